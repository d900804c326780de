"""A clock that is set back reorders nothing: who wins in the lake is decided by versions and content."""

import os
import time
from pathlib import Path

from chargeback.contracts.holds import HOLDS
from resources.lake import Lake
from resources.lake_table import open_table
from resources.storage_location import StorageLocation
from tests.resources.lakes import day, holds, made_from, read

A_WEEK = 7 * 86_400


def as_if_written_with_a_clock_ahead(folder: Path) -> None:
    """Let everything that stands there now be younger than all that comes."""
    ahead = time.time() + A_WEEK
    for path in folder.rglob("*"):
        os.utime(path, (ahead, ahead))


def test_the_last_version_counts_though_its_files_are_older(tmp_path: Path) -> None:
    lake = Lake(StorageLocation(str(tmp_path)))

    for gpus in range(1, 25):  # past a checkpoint
        lake.replace(HOLDS, day(), holds(day(), gpus=gpus), made_from(str(gpus)))
        as_if_written_with_a_clock_ahead(tmp_path)
    written = lake.replace(HOLDS, day(), holds(day(), gpus=99), made_from("99"))
    opened_anew = open_table(lake.location, HOLDS)

    assert written.version == 25
    assert set(read(lake, day())["device_count"]) == {99}
    assert opened_anew is not None
    assert opened_anew.version == 25
    assert set(opened_anew.frame([day()]).collect()["device_count"]) == {99}
    assert lake.is_current(HOLDS, day(), made_from("99"))
    assert set(lake.scan(HOLDS, [day()], version=1).frame.collect()["device_count"]) == {1}
