"""Which contents a partition had, commit by commit: what one goes back to. Not here: reading them (lake.py)."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

from chargeback.contracts.contract import Contract
from chargeback.contracts.partition import Partition
from resources.lake_kept import table_now
from resources.lake_records import UNKNOWN
from resources.lake_table import checked_partition
from resources.object_store import ObjectStore
from resources.storage_location import StorageLocation


@dataclass(frozen=True, slots=True)
class PastContent:
    """A content that a partition had from a version on, and what it was made from: `table|partition` -> hash, and by
    which code."""

    version: int
    content_hash: str
    inputs: Mapping[str, str]
    code_version: str
    committed_at: datetime


def past_contents(
    location: StorageLocation, contract: Contract, partition: Partition, store: ObjectStore
) -> list[PastContent]:
    """Every content of a partition that the table's log still tells of, newest first; none if there is no table.

    The log is kept for 400 days (lake_table.py). Commits of other partitions and of other tools are left out.
    """
    checked_partition(contract, partition)
    with table_now(location, contract, store) as table:
        commits = table.delta.history() if table else []
    return [
        PastContent(
            version=int(commit["version"]),
            content_hash=str(commit["content_hash"]),
            inputs=json.loads(commit["inputs"]),
            code_version=str(commit.get("code_version", UNKNOWN)),
            committed_at=datetime.fromtimestamp(commit["timestamp"] / 1000, UTC),
        )
        for commit in sorted(commits, key=lambda commit: -int(commit["version"]))
        if commit.get("partition") == partition.key and "content_hash" in commit
    ]
