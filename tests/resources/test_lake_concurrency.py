"""Several processes write to one lake at once: nothing is lost, nothing is doubled, and losers know."""

import multiprocessing
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor

import pytest

from chargeback.contracts.holds import HOLDS
from resources.lake import Lake
from resources.storage_location import StorageLocation
from tests.resources.lakes import day, read, write_days, write_same_day
from tests.services.seaweedfs import S3Server

DAYS = ["2026-10-05", "2026-10-06", "2026-10-07"]
WRITERS = range(4)


@pytest.fixture(scope="module")
def processes(s3_server: S3Server) -> Iterator[ProcessPoolExecutor]:
    """Four processes, spawned and never forked: Delta's runtime does not survive a fork."""
    with ProcessPoolExecutor(4, mp_context=multiprocessing.get_context("spawn")) as pool:
        yield pool


def test_four_processes_that_make_a_table_and_write_their_own_partitions_all_succeed(
    location: StorageLocation, processes: ProcessPoolExecutor
) -> None:
    outcomes = list(processes.map(write_days, [location] * 4, WRITERS, [DAYS] * 4))

    rows = read(Lake(location), *(day(each, f"slurm-{writer}") for writer in WRITERS for each in DAYS))
    states = Lake(location).states(HOLDS, [day(each, f"slurm-{writer}") for writer in WRITERS for each in DAYS])

    assert outcomes == [["new"] * 3] * 4
    assert len(rows) == 4 * 3 * 3
    assert rows.group_by("cluster").len().sort("cluster")["len"].to_list() == [9, 9, 9, 9]
    assert sorted(state.version for state in states.values()) == list(range(1, 13))


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
