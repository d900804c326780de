"""What several processes committed at once is held against what they were told."""

import multiprocessing
import shutil
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest
from deltalake import write_deltalake

from resources import delta_probe
from resources.delta_probe import COMMITS, CommitFigures, figures_of, probe_commits
from resources.lake_table import TABLES
from resources.storage_location import StorageLocation
from resources.store_failures import AccessRefused
from tests.resources.test_bucket import store_that_says
from tests.services.seaweedfs import S3Server

TOLD = ("0|0", "0|1", "1|0", "1|1")
SOUND = CommitFigures(writers=2, asked=4, told=4, lost=0, doubled=0, gaps=0, conflicts=1, milliseconds=1000)


@pytest.fixture(scope="module")
def committed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A table to which two processes made two commits each. Not to be changed."""
    folder = tmp_path_factory.mktemp("committed")
    steps: list[None] = []
    figures = probe_commits(StorageLocation(str(folder)), writers=2, commits=2, committed=lambda: steps.append(None))
    assert figures.passed
    assert len(steps) == 4
    return folder


@pytest.fixture
def table(committed: Path, tmp_path: Path) -> Path:
    """A copy of it, to be damaged."""
    shutil.copytree(committed, tmp_path, dirs_exist_ok=True)
    return tmp_path / TABLES / COMMITS.table


def found_in(table: Path, told: tuple[str, ...] = TOLD) -> CommitFigures:
    return figures_of(StorageLocation(str(table.parents[1])), told, writers=2, commits=2, milliseconds=1000)


def entry(table: Path, version: int) -> Path:
    return table / "_delta_log" / f"{version:020}.json"


def test_commits_that_are_there_as_told_pass(table: Path) -> None:
    found = found_in(table)

    assert replace(found, conflicts=1) == SOUND
    assert found.passed


def test_a_commit_that_was_confirmed_and_is_not_in_the_log_is_lost(table: Path) -> None:
    entry(table, 4).unlink()

    found = found_in(table)

    assert (found.lost, found.gaps) == (1, 0)
    assert not found.passed


def test_a_log_entry_that_another_writer_overwrote_is_a_lost_commit(table: Path) -> None:
    shutil.copy(entry(table, 3), entry(table, 4))

    assert found_in(table).lost == 1
    assert not found_in(table).passed


def test_a_version_that_is_missing_is_a_gap_and_what_cannot_be_read_is_lost(table: Path) -> None:
    entry(table, 2).unlink()

    found = found_in(table)

    assert found.lost == 4
    assert not found.passed


def test_a_commit_whose_rows_are_gone_is_lost_although_its_log_entry_stands(table: Path) -> None:
    next(table.glob("writer=1/turn=1/*.parquet")).unlink()

    assert found_in(table).lost > 0


def test_rows_that_are_there_twice_are_doubled(table: Path) -> None:
    again = pl.DataFrame({"writer": ["0"] * 3, "turn": ["1"] * 3, "row": [0, 1, 2]}, schema=COMMITS.schema)
    write_deltalake(table, again, mode="append")

    found = found_in(table)

    assert (found.lost, found.doubled) == (0, 1)
    assert not found.passed


def test_a_commit_that_no_writer_was_told_of_does_not_pass(table: Path) -> None:
    found = found_in(table, told=TOLD[:3])

    assert (found.told, found.lost) == (3, 0)
    assert not found.passed


def test_a_store_that_refuses_the_probe_is_one_sentence_in_none_of_its_words(s3_server: S3Server) -> None:
    with store_that_says(403, "AccessDenied") as location, pytest.raises(AccessRefused) as told:
        probe_commits(location, writers=2, commits=2)

    assert str(told.value).startswith(f"s3://lake/x/tables/commits at {location.endpoint_url}: access is refused")
    assert "canary" not in str(told.value)


def test_a_writer_that_the_store_fails_ends_without_a_trace_and_lets_the_others_end(
    s3_server: S3Server, capfd: pytest.CaptureFixture[str]
) -> None:
    spawned = multiprocessing.get_context("spawn")
    together, words = spawned.Barrier(1), spawned.Queue()
    with store_that_says(403, "AccessDenied") as location:
        writer = spawned.Process(target=delta_probe._write, args=(location, 0, 2, together, words))
        writer.start()
        writer.join()

    assert writer.exitcode == 0
    assert together.broken
    assert capfd.readouterr().err == ""
