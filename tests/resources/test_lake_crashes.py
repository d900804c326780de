"""A crash at any instruction loses nothing and doubles nothing; only what stands in the lake is believed."""

import shutil
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest
from deltalake import write_deltalake

from chargeback.contracts.holds import HOLDS
from resources import lake as lake_module
from resources.content_hash import content_hash
from resources.lake import Lake
from resources.lake_commit import commit_partition, verify_commit
from resources.lake_records import UNKNOWN, LakeCorruption
from resources.lake_table import OpenTable, open_or_create_table, open_table
from resources.open_store import store_at
from resources.storage_location import StorageLocation
from tests.resources.lakes import day, holds, made_from, read

MONDAY, TUESDAY = day("2026-10-05"), day("2026-10-06")


@pytest.fixture
def lake(location: StorageLocation) -> Lake:
    return Lake(location)


def commit_only(lake: Lake, frame: pl.DataFrame, inputs: str) -> OpenTable:
    """Commit Monday's rows as a run does that dies right afterwards."""
    table = open_or_create_table(lake.location, HOLDS)
    content = content_hash(frame, HOLDS)
    return commit_partition(table, MONDAY, frame, content=content, provenance=made_from(inputs))


# Case P01 (delta-rs#2279, #268): the write reports failure although the commit is in the log.
def test_an_error_after_the_commit_and_a_retry_do_not_double_the_rows(
    lake: Lake, monkeypatch: pytest.MonkeyPatch
) -> None:
    def connection_lost(*_: object, **__: object) -> None:
        raise ConnectionError("the answer was lost")

    thousand = pl.concat([holds(MONDAY, rows=20, gpus=8).with_columns(host=pl.lit(f"gpu{n:02}")) for n in range(50)])
    with monkeypatch.context() as broken:
        broken.setattr(lake_module, "verify_commit", connection_lost)
        with pytest.raises(ConnectionError):
            lake.replace(HOLDS, MONDAY, thousand, made_from("a"))

    again = lake.replace(HOLDS, MONDAY, thousand, made_from("a"))

    assert (again.reason, again.version) == ("unchanged content", 1)
    assert len(read(lake, MONDAY)) == 1000
    assert lake.is_current(HOLDS, MONDAY, made_from("a"))


def test_a_crash_between_commit_and_note_is_healed_by_the_next_run(lake: Lake) -> None:
    lake.replace(HOLDS, MONDAY, holds(MONDAY, gpus=8), made_from("a"))
    committed = commit_only(lake, holds(MONDAY, gpus=4), "b")

    after_crash = lake.state(HOLDS, MONDAY)
    healed = lake.replace(HOLDS, MONDAY, holds(MONDAY, gpus=4), made_from("b"))

    assert after_crash is not None
    assert (after_crash.input_fingerprint, after_crash.row_count) == (UNKNOWN, 3)
    assert after_crash.content_hash == content_hash(holds(MONDAY, gpus=4), HOLDS)
    assert (healed.reason, healed.version) == ("unchanged content", committed.version)
    assert lake.is_current(HOLDS, MONDAY, made_from("b"))
    assert lake.replace(HOLDS, MONDAY, holds(MONDAY, gpus=4), made_from("b")).reason == "unchanged input"


def test_a_crash_after_emptying_a_partition_is_seen_as_empty_and_not_as_the_old_rows(lake: Lake) -> None:
    lake.replace(HOLDS, MONDAY, holds(MONDAY), made_from("a"))
    commit_only(lake, HOLDS.empty(), "b")

    state = lake.state(HOLDS, MONDAY)

    assert state is not None
    assert (state.row_count, state.input_fingerprint) == (0, UNKNOWN)
    assert not lake.is_current(HOLDS, MONDAY, made_from("a"))


def test_a_first_write_that_died_before_its_note_is_simply_written_again(lake: Lake) -> None:
    commit_only(lake, HOLDS.empty(), "a")

    assert lake.state(HOLDS, MONDAY) is None
    assert lake.replace(HOLDS, MONDAY, HOLDS.empty(), made_from("a")).reason == "new"


def test_files_of_a_writer_that_died_before_its_commit_are_not_read(tmp_path: Path) -> None:
    lake = Lake(StorageLocation(str(tmp_path)))
    lake.replace(HOLDS, MONDAY, holds(MONDAY), made_from("a"))
    (written,) = tmp_path.glob("tables/holds/*/*/*.parquet")
    shutil.copy(written, written.with_name("part-00000-orphan.parquet"))

    assert len(read(lake, MONDAY)) == 3
    assert lake.is_current(HOLDS, MONDAY, made_from("a"))


DIES_BEFORE_ITS_NOTE = """
import os, sys
from chargeback.contracts.holds import HOLDS
from resources import lake
from resources.storage_location import StorageLocation
from tests.resources.lakes import day, holds, made_from
lake.write_state = lambda *_, **__: os._exit(9)
lake.Lake(StorageLocation(sys.argv[1])).replace(HOLDS, day(), holds(day()), made_from("a"))
"""


def test_a_process_that_is_killed_after_its_commit_leaves_a_lake_that_goes_on(tmp_path: Path) -> None:
    command = [sys.executable, "-c", DIES_BEFORE_ITS_NOTE, str(tmp_path)]
    died = subprocess.run(command, cwd=Path(__file__).parents[2], check=False)
    lake = Lake(StorageLocation(str(tmp_path)))

    again = lake.replace(HOLDS, MONDAY, holds(MONDAY), made_from("a"))

    assert died.returncode == 9
    assert (again.reason, again.version) == ("unchanged content", 1)
    assert len(read(lake, MONDAY)) == 3


def test_compaction_changes_no_content_and_the_next_run_writes_nothing(lake: Lake) -> None:
    lake.replace(HOLDS, MONDAY, holds(MONDAY), made_from("a"))
    lake.replace(HOLDS, TUESDAY, holds(TUESDAY), made_from("a"))
    before = lake.scan(HOLDS, [MONDAY, TUESDAY]).contents
    table = open_table(lake.location, HOLDS)
    assert table is not None
    split_into_two_files(table)

    table.delta.optimize.compact()
    after = lake.scan(HOLDS, [MONDAY, TUESDAY])
    again = lake.replace(HOLDS, MONDAY, holds(MONDAY), made_from("a"))

    assert after.contents == before
    assert (again.reason, lake.scan(HOLDS, [MONDAY]).version) == ("unchanged content", after.version)
    assert lake.is_current(HOLDS, TUESDAY, made_from("a"))


def split_into_two_files(table: OpenTable) -> None:
    """Monday's rows in two files, as if written twice."""
    rows = holds(MONDAY)
    predicate = "cluster = 'slurm-a' AND day = '2026-10-05'"
    write_deltalake(table.delta, rows.head(1), mode="overwrite", predicate=predicate)
    write_deltalake(table.delta, rows.tail(2), mode="append")


def test_a_damaged_note_is_not_believed(lake: Lake) -> None:
    lake.replace(HOLDS, MONDAY, holds(MONDAY), made_from("a"))
    store = store_at(lake.location)
    key = "tables/holds/_chargeback/slurm-a|2026-10-05.json"
    store.put(key, b"")

    state = lake.state(HOLDS, MONDAY)

    assert state is not None
    assert (state.input_fingerprint, state.row_count) == (UNKNOWN, 3)


def test_rows_that_are_not_those_meant_are_noticed_after_the_commit(lake: Lake) -> None:
    committed = commit_only(lake, holds(MONDAY, gpus=8), "a")
    store = store_at(lake.location)
    content, other = (content_hash(holds(MONDAY, gpus=n), HOLDS) for n in (8, 4))

    verify_commit(committed, MONDAY, store, content=content, rows=3)
    with pytest.raises(LakeCorruption, match="4 rows were written, 3 are there"):
        verify_commit(committed, MONDAY, store, content=content, rows=4)
    with pytest.raises(LakeCorruption, match="another writer's"):
        verify_commit(committed, MONDAY, store, content=other, rows=3)


def test_a_commit_that_touched_another_partition_is_noticed(lake: Lake) -> None:
    committed = commit_only(lake, holds(MONDAY), "a")

    with pytest.raises(LakeCorruption, match="the commit touched another partition"):
        verify_commit(committed, TUESDAY, store_at(lake.location), content=content_hash(holds(MONDAY), HOLDS), rows=3)


def test_a_damaged_data_file_is_noticed_when_it_is_read(tmp_path: Path) -> None:
    lake = Lake(StorageLocation(str(tmp_path)))
    lake.replace(HOLDS, MONDAY, holds(MONDAY), made_from("a"))
    (written,) = tmp_path.glob("tables/holds/*/*/*.parquet")
    written.unlink()

    with pytest.raises((FileNotFoundError, pl.exceptions.ComputeError)):
        read(lake, MONDAY)
