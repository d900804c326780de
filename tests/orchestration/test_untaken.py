"""Held against the raw tables, landing says what was never read, and not again and again what changes nothing."""

from datetime import timedelta
from pathlib import Path

import pytest

from orchestration.touched import Touched, touched_partitions
from orchestration.untaken import settle, settled_objects, sources_of, untaken_of_source
from tests.orchestration.test_touched_days import days, job, night, running, sacct
from tests.raw_estate import RawEstate


@pytest.fixture
def estate(tmp_path: Path) -> RawEstate:
    """Made on the morning of 4 October from one extract."""
    estate = RawEstate.begun_in(tmp_path, first_day="2026-10-01")
    estate.land("slurm/sacct", sacct(running(1, "01 08:00", "04 00:10"), job(2, "02 20:00", "03 04:00")), at=night(4))
    estate.make(now=night(4))
    return estate


def untaken(estate: RawEstate) -> Touched:
    """Asked about as the reconciliation does."""
    workspace = estate.workspace
    settled = settled_objects(workspace)
    objects = [
        each
        for source, cluster in sources_of(workspace.settings)
        for each in untaken_of_source(source, cluster, workspace=workspace, now=night(4), settled=settled)
    ]
    touched = touched_partitions(objects, workspace=workspace, now=night(4))
    settle(workspace, [each for each in objects if each.key in touched.changed_nothing], now=night(4))
    return touched


def test_what_the_raw_tables_were_made_from_is_not_found(estate: RawEstate) -> None:
    assert untaken(estate) == Touched({}, {}, frozenset(), {})


def test_an_object_that_nobody_was_told_of_is_found_until_it_is_taken(estate: RawEstate) -> None:
    lost = estate.land("slurm/sacct", sacct(job(3, "02 01:00", "02 02:00")), at=night(4))

    found = [dict(untaken(estate).days) for _ in range(2)]
    estate.make(now=night(4), only=days("02"))

    assert found == [{key: {lost.key} for key in days("02")}] * 2
    assert untaken(estate).days == {}


def test_a_day_whose_run_failed_is_found_though_the_object_was_taken_by_another_day(estate: RawEstate) -> None:
    over_midnight = estate.land("slurm/sacct", sacct(job(3, "01 20:00", "02 02:00")), at=night(4))

    estate.make(now=night(4), only=days("01"))

    assert untaken(estate).days == {key: {over_midnight.key} for key in days("02")}
    estate.make(now=night(4), only=days("02"))
    assert untaken(estate) == Touched({}, {}, frozenset(), {})


def test_a_record_that_cannot_be_read_is_found_until_the_quarantine_of_each_of_its_days_shows_it(
    estate: RawEstate,
) -> None:
    ends_before_it_begins = [job(8, "01 12:00", "01 01:00"), job(9, "02 12:00", "02 01:00")]
    broken = estate.land("slurm/sacct", sacct(*ends_before_it_begins), at=night(4))

    found = [dict(untaken(estate).days)]
    estate.make(now=night(4), only=days("01"))
    found.append(dict(untaken(estate).days))

    assert found == [{key: {broken.key} for key in days("01", "02")}, {key: {broken.key} for key in days("02")}]


def test_an_extract_that_overlaps_days_on_which_it_says_nothing_new_is_asked_about_once(estate: RawEstate) -> None:
    nightly = estate.land("slurm/sacct", sacct(running(1, "01 08:00", "04 00:09")), at=night(4) - timedelta(minutes=1))
    estate.make(now=night(4), only=estate.touched(nightly, now=night(4)).days)

    assert untaken(estate).changed_nothing == {nightly.key}
    assert untaken(estate) == Touched({}, {}, frozenset(), {})


def test_an_object_that_changes_nothing_is_found_once_and_remembered(estate: RawEstate) -> None:
    same = estate.land("slurm/sacct", sacct(job(2, "02 20:00", "03 04:00")), at=night(4) + timedelta(hours=1))

    assert untaken(estate).changed_nothing == {same.key}
    assert untaken(estate).changed_nothing == frozenset()
    assert settled_objects(estate.workspace) == {same.key}


def test_what_is_remembered_can_be_lost_and_costs_time_only(estate: RawEstate) -> None:
    same = estate.land("slurm/sacct", sacct(job(2, "02 20:00", "03 04:00")), at=night(4) + timedelta(hours=1))
    untaken(estate)
    (kept,) = (estate.folder / "lake" / "settled").rglob("*.json.gz")
    kept.write_bytes(b"half a file")

    assert untaken(estate).changed_nothing == {same.key}


def test_an_object_that_speaks_of_a_day_to_come_is_not_remembered(estate: RawEstate) -> None:
    ahead = estate.land("slurm/sacct", sacct(job(5, "06 00:00", "06 01:00")), at=night(7))

    assert untaken(estate).changed_nothing == {ahead.key}
    assert untaken(estate).changed_nothing == {ahead.key}
