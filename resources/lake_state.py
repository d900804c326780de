"""What is known about a partition: kept beside the table, believed only for exactly the files that it was written for.

A note is written after the commit. If a crash came between, or the files were compacted, the note names other files
than the table: the state is then computed from the rows, with an unknown fingerprint, so the rule runs once more, finds
equal content and renews the note. Nothing depends on a note being there. Not here: writing rows (lake_commit.py).
"""

import hashlib
import json
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from chargeback.contracts.partition import Partition
from resources.content_hash import canonical_json, content_hash
from resources.lake_records import UNKNOWN, PartitionState, Provenance
from resources.lake_table import TABLES, OpenTable
from resources.object_store import ObjectMissing, ObjectStore

NOTES_READ_AT_ONCE = 16


@dataclass(frozen=True, slots=True)
class _Note:
    """A state and the files that it speaks of."""

    state: PartitionState
    files_hash: str


def partition_states(
    table: OpenTable, partitions: Sequence[Partition], store: ObjectStore
) -> dict[str, PartitionState]:
    """Partition key -> what stands there in the version that is open, of those that were ever written."""
    with ThreadPoolExecutor(NOTES_READ_AT_ONCE) as threads:  # a note is one request to S3, and a month has many
        notes = threads.map(lambda partition: _read_note(table, partition, store), partitions)
        found = {
            partition.key: _state(table, partition, note) for partition, note in zip(partitions, notes, strict=True)
        }
    return {key: state for key, state in found.items() if state is not None}


def partition_state(table: OpenTable, partition: Partition, store: ObjectStore) -> PartitionState | None:
    """What stands in the partition in the version that is open; None if it was never written."""
    return _state(table, partition, _read_note(table, partition, store))


def _state(table: OpenTable, partition: Partition, note: _Note | None) -> PartitionState | None:
    if note is not None and note.files_hash == _files_hash(table, partition):
        return note.state
    if note is None and not table.files(partition):
        return None
    rows = table.frame([partition]).collect()
    return PartitionState(content_hash(rows, table.contract), UNKNOWN, {}, UNKNOWN, len(rows), table.version)


def write_state(
    table: OpenTable, partition: Partition, store: ObjectStore, *, content: str, row_count: int, provenance: Provenance
) -> PartitionState:
    """Note what stands in the partition in the version that is open, and what it was made from."""
    state = PartitionState(
        content_hash=content,
        input_fingerprint=provenance.fingerprint,
        inputs=dict(provenance.inputs),
        code_version=provenance.code_version,
        row_count=row_count,
        version=table.version,
    )
    fields = {name: getattr(state, name) for name in PartitionState.__slots__}
    note = {"state": fields, "files_hash": _files_hash(table, partition), "run_id": provenance.run_id}
    store.put(_note_key(table, partition), canonical_json(note))
    return state


def _note_key(table: OpenTable, partition: Partition) -> str:
    return f"{TABLES}/{table.contract.table}/_chargeback/{partition.key}.json"


def _read_note(table: OpenTable, partition: Partition, store: ObjectStore) -> _Note | None:
    """The note, or None if there is none that can be read: nothing depends on it."""
    try:
        note = json.loads(store.get(_note_key(table, partition)))
        return _Note(PartitionState(**note["state"]), note["files_hash"])
    except (ObjectMissing, ValueError, TypeError, KeyError):
        return None


def _files_hash(table: OpenTable, partition: Partition) -> str:
    return hashlib.sha256("\n".join(table.files(partition)).encode()).hexdigest()
