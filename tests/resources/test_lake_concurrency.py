"""Several processes write to one lake at once: nothing is lost, nothing is doubled, and losers know."""

import multiprocessing
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from typing import Any

import pytest
from deltalake.exceptions import CommitFailedError

from chargeback.contracts.holds import HOLDS
from chargeback.contracts.partition import Partition
from resources import lake as lake_module
from resources.lake import Lake
from resources.lake_commit import commit_partition
from resources.lake_records import MonthClosed, PartitionContended
from resources.storage_location import StorageLocation
from tests.resources.lake_log import logged_contents
from tests.resources.lake_writers import write_own_partition, write_shared_partition
from tests.resources.lakes import AMOUNTS, amounts, day, holds, made_from, read, write_same_day
from tests.services.seaweedfs import S3Server

WRITERS = range(4)


@pytest.fixture(scope="module")
def processes(s3_server: S3Server) -> Iterator[ProcessPoolExecutor]:
    """Eight processes, spawned and never forked: Delta's runtime does not survive a fork."""
    with ProcessPoolExecutor(8, mp_context=multiprocessing.get_context("spawn")) as pool:
        yield pool


def each_writes_its_own_partition(
    location: StorageLocation, processes: ProcessPoolExecutor, *, writers: int, turns: int
) -> None:
    """Let processes make a table and write their own partitions at once; every row is there, none twice, all told."""
    told = list(processes.map(write_own_partition, [location] * writers, range(writers), [turns] * writers))

    partitions = [day(cluster=f"slurm-{writer}") for writer in range(writers)]
    rows = read(Lake(location), *partitions)
    log = logged_contents(location)

    assert [[reason for reason, _ in each] for each in told] == [["new", *["changed"] * (turns - 1)]] * writers
    assert rows.group_by("cluster").len().sort("cluster")["len"].to_list() == [3] * writers
    assert rows["device_count"].to_list() == [turns] * 3 * writers
    assert log[0] is None  # the making of the table, which several may have logged at once
    assert len([entry for entry in log if entry is not None]) == writers * turns
    for writer, partition in enumerate(partitions):  # its own order is kept in the history, nothing is left out
        logged = [entry[1] for entry in log if entry is not None and entry[0] == partition.key]
        assert logged == [content for _, content in told[writer]]


def test_eight_processes_that_make_a_table_and_write_their_own_partitions_all_succeed(
    location: StorageLocation, processes: ProcessPoolExecutor
) -> None:
    each_writes_its_own_partition(location, processes, writers=8, turns=10)


@pytest.mark.slow
def test_eight_processes_that_write_their_own_partitions_fifty_times_all_succeed(
    location: StorageLocation, processes: ProcessPoolExecutor
) -> None:
    each_writes_its_own_partition(location, processes, writers=8, turns=50)


def none_is_told_of_a_lost_success(location: StorageLocation, processes: ProcessPoolExecutor, *, turns: int) -> None:
    """Let two processes write one partition at once: one wins, the other sees it and writes again or is stopped."""
    told = list(processes.map(write_shared_partition, [location] * 2, range(2), [turns] * 2))

    log = [entry[1] for entry in logged_contents(location) if entry is not None]
    succeeded = [content for each in told for reason, content in each if reason != "contended"]

    assert [len(each) for each in told] == [turns] * 2
    assert sorted(log) == sorted(succeeded)
    assert Lake(location).scan(HOLDS, [day()]).contents == {f"holds|{day().key}": log[-1]}
    assert len(read(Lake(location), day())) == 3


def test_of_two_processes_that_keep_writing_one_partition_none_is_told_of_a_success_that_is_lost(
    location: StorageLocation, processes: ProcessPoolExecutor
) -> None:
    none_is_told_of_a_lost_success(location, processes, turns=8)


def test_of_four_processes_with_other_rows_for_one_partition_the_losers_know_it(
    location: StorageLocation, processes: ProcessPoolExecutor
) -> None:
    outcomes = list(processes.map(write_same_day, [location] * 4, WRITERS))

    gpus = read(Lake(location), day())["device_count"].to_list()
    written = [outcome for outcome in outcomes if outcome in ("new", "changed")]
    refused = [outcome for outcome in outcomes if outcome.startswith("PartitionContended: holds slurm-a|2026-10-05")]

    assert len(written) + len(refused) == 4
    assert written.count("new") == 1
    assert len(set(gpus)) == 1
    assert len(gpus) == 3
    assert outcomes[gpus[0] - 1] in ("new", "changed")


def overtaken_by(deed: Callable[[], object], monkeypatch: pytest.MonkeyPatch) -> None:
    """Let somebody else do this between a writer's reading of the table and its first commit."""
    deeds = [deed]

    def late(*given: Any, **named: Any) -> Any:
        if deeds:
            deeds.pop()()
        return commit_partition(*given, **named)

    monkeypatch.setattr(lake_module, "commit_partition", late)


def test_a_writer_overtaken_by_a_closing_stops_since_the_month_is_closed(
    location: StorageLocation, monkeypatch: pytest.MonkeyPatch
) -> None:
    lake, september = Lake(location), Partition.of_month("2026-09")
    lake.replace(AMOUNTS, september, amounts("2026-09", vision="10.00"), made_from("a"))
    close = partial(lake.close_month, "2026-09", by="finance", certificate_hash="c0ffee", contracts=[AMOUNTS])
    overtaken_by(close, monkeypatch)

    with pytest.raises(MonthClosed):
        lake.replace(AMOUNTS, september, amounts("2026-09", vision="11.00"), made_from("b"))

    assert lake.scan(AMOUNTS, [september]).frame.collect().equals(amounts("2026-09", vision="10.00"))


def test_a_writer_overtaken_in_another_partition_goes_on(
    location: StorageLocation, monkeypatch: pytest.MonkeyPatch
) -> None:
    lake, tuesday = Lake(location), day("2026-10-06")
    overtaken_by(partial(Lake(location).replace, HOLDS, tuesday, holds(tuesday), made_from("a")), monkeypatch)

    written = lake.replace(HOLDS, day(), holds(day()), made_from("a"))

    assert written.version == 2
    assert len(read(lake, day(), tuesday)) == 6


def test_a_writer_overtaken_in_its_own_partition_does_not_overwrite_newer_rows(
    location: StorageLocation, monkeypatch: pytest.MonkeyPatch
) -> None:
    lake = Lake(location)
    lake.replace(HOLDS, day(), holds(day(), gpus=1), made_from("a"))
    overtaken_by(partial(Lake(location).replace, HOLDS, day(), holds(day(), gpus=3), made_from("c")), monkeypatch)

    with pytest.raises(PartitionContended, match="compute it again from its present inputs"):
        lake.replace(HOLDS, day(), holds(day(), gpus=2), made_from("b"))

    assert read(lake, day())["device_count"].to_list() == [3, 3, 3]


def test_a_writer_overtaken_by_one_with_the_same_rows_has_nothing_left_to_do(
    location: StorageLocation, monkeypatch: pytest.MonkeyPatch
) -> None:
    lake = Lake(location)
    overtaken_by(partial(Lake(location).replace, HOLDS, day(), holds(day()), made_from("a")), monkeypatch)

    written = lake.replace(HOLDS, day(), holds(day()), made_from("a"))

    assert (written.reason, written.version) == ("unchanged input", 1)
    assert len(read(lake, day())) == 3


def test_a_writer_that_is_overtaken_for_ever_gives_up_with_a_reason(
    location: StorageLocation, monkeypatch: pytest.MonkeyPatch
) -> None:
    def never(*_: object, **__: object) -> None:
        raise CommitFailedError("a concurrent transaction added new data")

    monkeypatch.setattr(lake_module, "commit_partition", never)
    monkeypatch.setattr(lake_module, "LONGEST_WAIT_SECONDS", 0.001)

    with pytest.raises(PartitionContended, match=r"12 commits failed, others keep writing: a concurrent transaction"):
        Lake(location).replace(HOLDS, day(), holds(day()), made_from("a"))
