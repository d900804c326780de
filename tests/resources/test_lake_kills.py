"""Writers killed at any point leave a readable table, and a retry converges to what an undisturbed writer makes."""

import multiprocessing
import os
import random
import signal
import time
from pathlib import Path

import pytest

from chargeback.contracts.holds import HOLDS
from resources.lake import Lake
from resources.storage_location import StorageLocation
from tests.resources.lake_log import logged_contents
from tests.resources.lake_writers import write_generation
from tests.resources.lakes import day, read
from tests.services.seaweedfs import S3Server

DAYS = tuple(f"2026-10-{number:02}" for number in range(5, 8))
PARTITIONS = [day(each) for each in DAYS]
LIVES = multiprocessing.get_context("forkserver")
LIVES.set_forkserver_preload(["boto3", "resources.s3_store", "tests.resources.lake_writers"])
SECONDS_TO_BEGIN = 120


def lives(location: StorageLocation, generation: int, *, killed_after: float | None) -> float | None:
    """One writer's life: how many seconds it took from its beginning; None if it was killed after so many."""
    hears, says = LIVES.Pipe(duplex=False)
    process = LIVES.Process(target=write_generation, args=(location, DAYS, generation, says))
    process.start()
    says.close()
    assert hears.poll(SECONDS_TO_BEGIN)
    begun = time.monotonic()
    process.join(killed_after)
    if process.is_alive() and process.pid is not None:
        os.kill(process.pid, signal.SIGKILL)
        process.join()
    assert process.exitcode in (0, -signal.SIGKILL)
    return time.monotonic() - begun if process.exitcode == 0 else None


def nothing_is_half_there(location: StorageLocation) -> None:
    """Every partition has no rows yet, or exactly those of one generation."""
    found = read(Lake(location), *PARTITIONS)
    for each in DAYS:
        rows = found.filter(found["day"] == each)
        assert len(rows) in (0, 3)
        assert rows["device_count"].n_unique() <= 1


def killed_writers_converge(location: StorageLocation, undisturbed: StorageLocation, *, kills: int, seed: int) -> None:
    """Kill so many writers at random points, every other one a retry of the one before; then let one live."""
    chance = random.Random(seed)
    whole_life = lives(undisturbed, kills, killed_after=None)
    assert whole_life is not None
    killed, generation = 0, 1
    while killed < kills:
        was_killed = lives(location, generation, killed_after=chance.uniform(0, whole_life)) is None
        killed += was_killed
        nothing_is_half_there(location)
        generation += int(not was_killed or killed % 2 == 0)
    lives(location, kills, killed_after=chance.uniform(0, whole_life / 2))

    lives(location, kills, killed_after=None)

    contents, expected = (Lake(each).scan(HOLDS, PARTITIONS).contents for each in (location, undisturbed))
    assert contents == expected
    assert len(read(Lake(location), *PARTITIONS)) == 3 * len(DAYS)
    assert logged_contents(location)[0] is None  # without a gap, from the table's first version


def test_twenty_writers_killed_at_random_points_lose_nothing_and_the_next_one_converges(s3_server: S3Server) -> None:
    killed_writers_converge(s3_server.fresh_location(), s3_server.fresh_location(), kills=20, seed=7)


def test_on_a_directory_too(tmp_path: Path) -> None:
    there, undisturbed = (StorageLocation(str(tmp_path / name)) for name in ("killed", "undisturbed"))

    killed_writers_converge(there, undisturbed, kills=20, seed=11)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2))
def test_a_hundred_killed_writers_lose_nothing(s3_server: S3Server, seed: int) -> None:
    killed_writers_converge(s3_server.fresh_location(), s3_server.fresh_location(), kills=100, seed=seed)
