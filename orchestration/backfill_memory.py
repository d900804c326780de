"""What a backfill remembers in the lake, so that the same command goes on after a kill at any instant.

    backfills/<id>.json     asked days and clusters, what stood before the first start, what is done

The id follows from what was asked. What stood before is written once, before anything is computed. Not here: computing.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from chargeback.ledger.recomputation import Standing
from chargeback.ledger.recomputed_figures import figures_as_rows, figures_of_rows
from resources.content_hash import canonical_json
from resources.kept_records import NO_RECORD, record_in
from resources.lake_records import LakeRefusal
from resources.object_store import ObjectStore

FOLDER = "backfills"


class MemoryUnreadable(LakeRefusal):
    """What a backfill remembers was damaged, or another file lies in its place; nothing was begun."""


@dataclass(frozen=True, slots=True)
class BackfillMemory:
    """One backfill.

    `months` were open at its start and are what `before` speaks of. `versions`: table -> Delta version that it was read
    at. `done`: keys of days that ended well under `code_version`.
    """

    first_day: str
    last_day: str
    clusters: tuple[str, ...]
    months: tuple[str, ...]
    code_version: str
    started_at: str
    before: Standing
    versions: Mapping[str, int]
    done: frozenset[str] = field(default_factory=frozenset)
    finished: bool = False

    @property
    def key(self) -> str:
        """Where it lies in the lake."""
        return memory_key(self.first_day, self.last_day, self.clusters)

    def with_done(self, partition: str) -> "BackfillMemory":
        """The same with one more partition that ended well."""
        return replace(self, done=self.done | {partition})


def memory_key(first_day: str, last_day: str, clusters: Sequence[str]) -> str:
    """The object of the backfill of these days of these clusters."""
    asked = canonical_json({"first_day": first_day, "last_day": last_day, "clusters": sorted(clusters)})
    return f"{FOLDER}/{first_day}--{last_day}-{hashlib.sha256(asked).hexdigest()[:12]}.json"


def recall(store: ObjectStore, key: str) -> BackfillMemory | None:
    """What is remembered under a key; None if nothing is. Raises MemoryUnreadable if it is no memory of ours."""
    if not store.exists(key):
        return None
    try:
        read = record_in(store.get(key))
        before = read.pop("before")
        return BackfillMemory(
            **{**read, **{name: tuple(read[name]) for name in ("clusters", "months")}, "done": frozenset(read["done"])},
            before=Standing(
                charged=figures_of_rows(before["charged"]),
                held=figures_of_rows(before["held"]),
                contents=dict(before["contents"]),
            ),
        )
    except NO_RECORD as fault:
        raise MemoryUnreadable(
            f"{key}: what this backfill remembers cannot be read ({type(fault).__name__}): restore the object from a "
            "backup, or delete it and give the command again: the days are then computed anew, and what changed is "
            "told against what stands now"
        ) from None


def keep(store: ObjectStore, memory: BackfillMemory) -> None:
    """Write it, whole at any instant."""
    before = memory.before
    written = {name: getattr(memory, name) for name in BackfillMemory.__slots__ if name not in ("before", "done")}
    figures = {"charged": figures_as_rows(before.charged), "held": figures_as_rows(before.held)}
    content = {
        **written,
        "clusters": list(memory.clusters),
        "months": list(memory.months),
        "versions": dict(memory.versions),
        "done": sorted(memory.done),
        "before": {**figures, "contents": dict(before.contents)},
    }
    store.put(memory.key, canonical_json(content))
