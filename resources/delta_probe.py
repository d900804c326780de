"""Whether a store keeps every Delta commit that it confirms: several processes commit to one table at once, for real.

They commit by the lake's own code with the lake's own options, to a table of their own below probe/. A plain race of
conditional puts does not show it: stores were seen that pass one and lose commits. Not here: that race
(store_probe.py), and what is remembered of the outcome (storage_proof.py).
"""

import json
import multiprocessing
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.context import SpawnProcess
from multiprocessing.queues import Queue
from multiprocessing.synchronize import Barrier
from queue import Empty
from threading import BrokenBarrierError
from typing import Any

import polars as pl
from deltalake.exceptions import DeltaError

from chargeback.contracts.contract import Column, Contract
from chargeback.contracts.partition import Partition
from resources.lake_commit import commit_partition
from resources.lake_records import LakeRefusal, Provenance
from resources.lake_table import TABLES, OpenTable, open_or_create_table, open_table
from resources.open_store import store_at
from resources.storage_location import StorageLocation
from resources.store_failures import StoreFailure, store_failures_named

WRITERS = 2
COMMITS_A_WRITER = 40
ROWS_A_COMMIT = 3
ATTEMPTS = 4
SECONDS_TO_START = 180
SECONDS_WITHOUT_A_WORD = 180

COMMITS = Contract(
    table="commits",
    grain="one row per row of a commit of the probe",
    key=("writer", "turn", "row"),
    partitioned_by=("writer", "turn"),
    stage="probe",
    columns=(
        Column("writer", pl.String(), "who committed"),
        Column("turn", pl.String(), "which of its commits"),
        Column("row", pl.Int64(), "row of the commit"),
    ),
    checks=(),
)


@dataclass(frozen=True, slots=True)
class CommitFigures:
    """What became of the commits. `told` are those that a writer was told had succeeded; the rest are counts of faults.

    `conflicts` are attempts that the store refused since another writer was first; they are as it should be.
    """

    writers: int
    asked: int
    told: int
    lost: int
    doubled: int
    gaps: int
    conflicts: int
    milliseconds: int

    @property
    def passed(self) -> bool:
        """Whether every commit was made, told, and is there once."""
        return self.told == self.asked and not (self.lost or self.doubled or self.gaps)

    @property
    def milliseconds_a_commit(self) -> int:
        """How long one commit took, while the others committed too."""
        return self.milliseconds // max(1, self.told)


def probe_commits(
    location: StorageLocation,
    *,
    writers: int = WRITERS,
    commits: int = COMMITS_A_WRITER,
    committed: Callable[[], None] = lambda: None,
) -> CommitFigures:
    """Let so many processes make so many commits each in a lake that is begun at the location; then look what is there.

    `committed` is called at each commit that a writer was told had succeeded. Processes are spawned, never forked.
    Raises  StoreFailure if nothing can be shown: the store cannot be written to, or read afterwards.
    """
    with store_failures_named(location.told(TABLES, COMMITS.table), DeltaError):
        open_or_create_table(location, COMMITS)
        begun = time.monotonic()
        told = list(_told_by_writers(location, writers, commits, committed))
        milliseconds = int((time.monotonic() - begun) * 1000)
        return figures_of(location, told, writers=writers, commits=commits, milliseconds=milliseconds)


def _told_by_writers(
    location: StorageLocation, writers: int, commits: int, committed: Callable[[], None]
) -> Iterator[str]:
    """The marks of the commits that writers were told had succeeded, as they say so; ends when all have ended."""
    spawned = multiprocessing.get_context("spawn")
    together = spawned.Barrier(writers)
    words: Queue[str | None] = spawned.Queue()
    processes: list[SpawnProcess] = [
        spawned.Process(target=_write, args=(location, writer, commits, together, words), daemon=True)
        for writer in range(writers)
    ]
    for process in processes:
        process.start()
    ended, quiet_since = 0, time.monotonic()
    while ended < writers:
        try:
            word = words.get(timeout=1)
        except Empty:
            gone = all(process.exitcode is not None for process in processes)
            if gone or time.monotonic() - quiet_since > SECONDS_TO_START + SECONDS_WITHOUT_A_WORD:
                break
            continue
        quiet_since = time.monotonic()
        if word is None:
            ended += 1
            continue
        committed()
        yield word
    for process in processes:
        process.kill() if ended < writers else process.join()


def _write(location: StorageLocation, writer: int, commits: int, together: Barrier, words: "Queue[str | None]") -> None:
    """One writer, in a process of its own: says each mark that it was told is committed, and None at the end.

    All begin each turn together, with the table at the same version: so they meet at nearly every commit. One that the
    store fails ends without a word, and the others with it: what they were not told of is counted as not made.
    """
    has_ended = False
    try:
        with suppress(DeltaError, OSError, StoreFailure, BrokenBarrierError):
            together.wait(SECONDS_TO_START)
            for turn in range(commits):
                partition = _partition(writer, turn)
                table = open_or_create_table(location, COMMITS)
                together.wait(SECONDS_WITHOUT_A_WORD)
                if _committed(table, partition):
                    words.put(partition.key)
            words.put(None)
            has_ended = True
    finally:
        if not has_ended:
            together.abort()  # the others would wait for it


def _committed(table: OpenTable, partition: Partition) -> bool:
    """Whether the store says that the commit succeeded. A second attempt replaces the same rows: it doubles nothing."""
    values = dict(partition.values)
    frame = pl.DataFrame(
        {**{name: [value] * ROWS_A_COMMIT for name, value in values.items()}, "row": range(ROWS_A_COMMIT)},
        schema=COMMITS.schema,
    )
    made_from = Provenance("probe", "probe", {})
    for _ in range(ATTEMPTS):
        try:
            commit_partition(table, partition, frame, content=partition.key, provenance=made_from)
        except (DeltaError, OSError, StoreFailure):
            table = open_or_create_table(table.location, COMMITS)
            continue
        return True
    return False


def figures_of(
    location: StorageLocation, told: Sequence[str], *, writers: int, commits: int, milliseconds: int
) -> CommitFigures:
    """Read log and table afresh, and hold them against `told`, the marks that writers were told are committed."""
    log = _log(location)
    logged = {entry.get("partition") for entry in log.values()}
    version, rows = _rows(location, writers, commits)
    return CommitFigures(
        writers=writers,
        asked=writers * commits,
        told=len(told),
        lost=sum(mark not in logged or rows[mark] < ROWS_A_COMMIT for mark in told),
        doubled=sum(count > ROWS_A_COMMIT for count in rows.values()),
        gaps=len(set(range(version + 1)) ^ set(log)),
        conflicts=sum(int(entry.get("operationMetrics", {}).get("num_retries", 0)) for entry in log.values()),
        milliseconds=milliseconds,
    )


def _log(location: StorageLocation) -> dict[int, dict[str, Any]]:
    """Version -> what its log entry says of its commit."""
    store = store_at(location)
    entries: dict[int, dict[str, Any]] = {}
    for each in store.list(f"{TABLES}/{COMMITS.table}/_delta_log/"):
        name = each.key.rpartition("/")[2].removesuffix(".json")
        if name.isdigit():
            actions = (json.loads(line) for line in store.get(each.key).splitlines() if line)
            entries[int(name)] = next((action["commitInfo"] for action in actions if "commitInfo" in action), {})
    return entries


def _rows(location: StorageLocation, writers: int, commits: int) -> tuple[int, Counter[str]]:
    """The table's version, and of each commit how many of its rows are there; a table that cannot be read has none."""
    partitions = [_partition(writer, turn) for writer in range(writers) for turn in range(commits)]
    try:
        table = open_table(location, COMMITS)
        if table is None:
            return -1, Counter()
        found = table.frame(partitions).collect()
    except (DeltaError, LakeRefusal, OSError, StoreFailure, pl.exceptions.PolarsError):
        return -1, Counter()
    return table.version, Counter(
        f"{writer}|{turn}" for writer, turn in zip(found["writer"], found["turn"], strict=True)
    )


def _partition(writer: int, turn: int) -> Partition:
    return Partition((("writer", str(writer)), ("turn", str(turn))))
