"""The log of a table as it stands in the store, read without Delta. Not here: what is expected of it."""

import json

from chargeback.contracts.holds import HOLDS
from resources.lake_table import TABLES
from resources.open_store import store_at
from resources.storage_location import StorageLocation


def logged_contents(location: StorageLocation) -> list[tuple[str, str] | None]:
    """(partition, content hash) of each version of the holds, from version 0; None for one that wrote no partition.

    Versions are without a gap, else an assertion fails.
    """
    store = store_at(location)
    entries = {}
    for each in store.list(f"{TABLES}/{HOLDS.table}/_delta_log/"):
        name = each.key.rpartition("/")[2].removesuffix(".json")
        if name.isdigit():
            actions = [json.loads(line) for line in store.get(each.key).splitlines() if line]
            (said,) = [action["commitInfo"] for action in actions if "commitInfo" in action]
            entries[int(name)] = (said["partition"], said["content_hash"]) if "content_hash" in said else None
    assert sorted(entries) == list(range(len(entries)))
    return [entries[version] for version in sorted(entries)]
