"""An arriving object requests exactly the partitions that it touches; every sentence of that rule has a test."""

from datetime import UTC, datetime

from orchestration.touched import Touched, touched_partitions
from resources.landing import LandedObject
from tests.estates import BUSY, LAST_DAY, LATER, OVERNIGHT, Estate, job, sacct

FIRST, LAST = "slurm-a|2026-03-30", "slurm-a|2026-03-31"
NOW = datetime(2026, 3, 31, 20, tzinfo=UTC)
"""Both days have begun, and the next has not."""


def touched_by(estate: Estate, *keys: str, now: datetime = NOW) -> Touched:
    """What landed objects touch, by their keys."""
    workspace = estate.workspace
    wanted = [each for each in everything(estate) if each.key in keys]
    return touched_partitions(wanted, workspace=workspace, now=now)


def everything(estate: Estate) -> list[LandedObject]:
    """All that landed for slurm-a, and of people."""
    landing = estate.workspace.landing
    slurm = [each for source in ("sacct", "nodes", "events") for each in landing.objects(f"slurm/{source}", "slurm-a")]
    return [
        *slurm,
        *(each for source in ("rate-cards", "ownership", "approvals") for each in landing.objects(source, None)),
    ]


def test_a_late_record_touches_the_day_that_it_ran_on_and_no_other(estate: Estate) -> None:
    key = estate.land("slurm/sacct", sacct(job(5, "2026-03-31T12:00:00", "2026-03-31T14:00:00")), at=LATER)

    touched = touched_by(estate, key)

    assert touched == Touched(days={LAST: frozenset({key})}, months={}, changed_nothing=frozenset(), refused={})


def test_an_overlapping_extract_that_says_nothing_new_touches_nothing(estate: Estate) -> None:
    key = estate.land("slurm/sacct", sacct(OVERNIGHT, LAST_DAY), at=LATER)

    assert touched_by(estate, key) == Touched({}, {}, frozenset({key}), {})


def test_what_stands_already_is_not_touched_again(estate: Estate) -> None:
    keys = [each.key for each in everything(estate)]

    assert touched_by(estate, *keys) == Touched({}, {}, frozenset(keys), {})


def test_the_same_bytes_landed_again_are_one_object_and_touch_nothing(estate: Estate) -> None:
    key = estate.land("slurm/sacct", sacct(BUSY, OVERNIGHT, LAST_DAY), at=LATER)

    assert touched_by(estate, key).changed_nothing == {key}


def test_on_a_day_that_was_never_billed_everything_is_new(tmp_path) -> None:
    estate = Estate.begun_in(tmp_path)
    key = estate.land("slurm/sacct", sacct(OVERNIGHT))

    assert dict(touched_by(estate, key).days) == {FIRST: {key}, LAST: {key}}
