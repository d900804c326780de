"""One commit that replaces one partition, and the proof that it did that and nothing else.

Not here: retries (lake.py).
"""

import json
from collections.abc import Iterator, Mapping

import polars as pl
from deltalake import CommitProperties, write_deltalake

from chargeback.contracts.partition import Partition
from resources.content_hash import canonical_json, content_hash
from resources.lake_closing import certificate_of_closed_month
from resources.lake_records import LakeCorruption, MonthClosed, Provenance
from resources.lake_table import OpenTable, answers_lost_count_as_failed_commits, predicate_of
from resources.object_store import ObjectStore


def commit_partition(
    table: OpenTable, partition: Partition, frame: pl.DataFrame, *, content: str, provenance: Provenance
) -> OpenTable:
    """Replace the partition's rows against the version that is open; the table, now at the new version, is returned.

    Raises  MonthClosed if that version says so; deltalake.exceptions.CommitFailedError if meanwhile the same partition
    changed, any month was closed, or the answer was lost. Other partitions that changed meanwhile do not hinder.
    """
    refuse_closed_month(table, partition)
    metadata = {
        "partition": partition.key,
        "content_hash": content,
        "input_fingerprint": provenance.fingerprint,
        "inputs": canonical_json(dict(provenance.inputs)).decode(),
        "code_version": provenance.code_version,
        "run_id": provenance.run_id,
    }
    with answers_lost_count_as_failed_commits():
        write_deltalake(
            table.delta,
            frame,
            mode="overwrite",
            predicate=predicate_of(table.contract, partition),
            commit_properties=CommitProperties(custom_metadata=metadata),
        )
    return table


def refuse_closed_month(table: OpenTable, partition: Partition) -> None:
    """Raise MonthClosed if the version that is open says that the partition's month is closed."""
    month = dict(partition.values).get("month")
    certificate = certificate_of_closed_month(table, month) if month else None
    if month and certificate is not None:
        raise MonthClosed(table.contract.table, month, certificate)


def verify_commit(committed: OpenTable, partition: Partition, store: ObjectStore, *, content: str, rows: int) -> None:
    """Look at what was committed: its log entry touches this partition only, and the rows read back are those meant.

    Raises  LakeCorruption otherwise.
    """
    where = f"{committed.contract.table} {partition} version {committed.version}"
    for action in _actions(committed.log_entry(committed.version, store)):
        about = action.get("add") or action.get("remove")
        if about is not None and about["partitionValues"] != dict(partition.values):
            raise LakeCorruption(f"{where}: the commit touched another partition, {about['partitionValues']}")
        written = action.get("commitInfo")
        if written is not None and written.get("content_hash") != content:
            raise LakeCorruption(f"{where}: the log entry is another writer's, of {written.get('partition')}")
    stored = committed.frame([partition]).collect()
    if len(stored) != rows:
        raise LakeCorruption(f"{where}: {rows} rows were written, {len(stored)} are there")
    stored_content = content_hash(stored, committed.contract)
    if stored_content != content:
        raise LakeCorruption(f"{where}: content {content} was written, {stored_content} is there")


def _actions(entry: bytes) -> Iterator[Mapping[str, Mapping[str, object]]]:
    return (json.loads(line) for line in entry.splitlines() if line)
