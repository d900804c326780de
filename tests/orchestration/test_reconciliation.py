"""What was lost on the way is found by holding landing against the raw tables, and asked for at most once a day."""

import os
from dataclasses import replace
from pathlib import Path

import pytest

from orchestration.arrivals import NOTICED_BY, OBJECTS
from resources.local_store import LocalStore
from resources.operation_settings import Events
from resources.storage_location import StorageLocation
from tests.orchestration.sensor_ticks import NOW, Daemon, PlainRules, landing_key, settings_of

FIFTH, SIXTH = "slurm-a|2026-10-05", "slurm-a|2026-10-06"


@pytest.fixture
def lake(tmp_path: Path) -> Path:
    """The folder of an empty lake."""
    return tmp_path / "lake"


@pytest.fixture
def rules() -> PlainRules:
    """What an object touches, and what was taken."""
    return PlainRules()


@pytest.fixture
def daemon(lake: Path, rules: PlainRules) -> Daemon:
    """Ticks of the reconciliation."""
    events = Events(reconcile_every_minutes=60, most_runs_a_tick=5)
    return Daemon(settings_of(StorageLocation(str(lake)), events), rules, sensor=1)


def land(lake: Path, text: str, *, seconds_ago: float = 600, source: str = "slurm/sacct") -> str:
    """An object that nobody noticed, modified so long before NOW; its key."""
    key = landing_key(text, source=source, cluster="slurm-a" if source.startswith("slurm/") else None)
    LocalStore(lake).put_new(key, text.encode())
    at = NOW.timestamp() - seconds_ago
    os.utime(lake / key, (at, at))
    return key


def test_an_object_whose_notification_was_lost_is_found_and_its_days_asked_for(lake: Path, daemon: Daemon) -> None:
    land(lake, "2026-10-05\n2026-10-06")
    land(lake, "2026-10-05")

    made = daemon.tick()

    assert set(made) == {FIFTH, SIXTH}
    assert made[FIFTH][OBJECTS] == "2"
    assert made[FIFTH][NOTICED_BY] == "reconciliation"


def test_what_just_arrived_is_left_to_the_sensor_that_notices_it(lake: Path, daemon: Daemon) -> None:
    land(lake, "2026-10-05", seconds_ago=30)

    assert daemon.tick() == {}


def test_landing_is_compared_when_it_is_due_and_not_before(lake: Path, daemon: Daemon) -> None:
    daemon.tick()
    land(lake, "2026-10-05")

    daemon.wait(minutes=59)
    assert daemon.tick() == {}
    assert daemon.told == "landing is held against the raw tables at 13:00 UTC"
    daemon.wait(minutes=1)

    assert set(daemon.tick()) == {FIFTH}


def test_a_partition_that_keeps_failing_is_asked_again_once_a_day(lake: Path, daemon: Daemon) -> None:
    land(lake, "2026-10-05")
    asked = []
    for hour in range(50):
        if daemon.tick():
            asked.append(hour)
            daemon.begin()
            daemon.end(well=False)
        daemon.wait(hours=1)

    assert asked == [0, 24, 48]


def test_more_lost_objects_of_a_failing_partition_do_not_ask_more_often(lake: Path, daemon: Daemon) -> None:
    asked = 0
    for hour in range(24):
        land(lake, "2026-10-05" + "\n" * hour)
        if daemon.tick():
            asked += 1
            daemon.begin()
            daemon.end(well=False)
        daemon.wait(hours=1)

    assert asked == 1


def test_another_loss_on_a_partition_that_was_mended_today_is_asked_for_today(
    lake: Path, daemon: Daemon, rules: PlainRules
) -> None:
    mended = land(lake, "2026-10-05")
    daemon.tick()
    daemon.begin()
    daemon.end()
    rules.taken.add(mended)
    land(lake, "2026-10-05\n")
    daemon.wait(hours=1)

    assert set(daemon.tick()) == {FIFTH}


def test_what_a_queued_run_will_read_is_not_lost(lake: Path, daemon: Daemon) -> None:
    land(lake, "2026-10-05")
    daemon.tick()
    daemon.wait(days=1, hours=1)

    assert daemon.tick() == {}
    assert "1 partitions are read by a run that is queued" in (daemon.told or "")


def test_a_month_of_losses_is_asked_for_tick_by_tick(lake: Path, daemon: Daemon) -> None:
    land(lake, "\n".join(f"2026-10-{day:02}" for day in range(1, 13)))

    made = []
    for _ in range(4):
        made.append(len(daemon.tick()))
        daemon.wait(seconds=30)

    assert made == [5, 5, 2, 0]


def test_a_tick_that_is_lost_compares_again(lake: Path, daemon: Daemon) -> None:
    land(lake, "2026-10-05")
    daemon.evaluate()
    daemon.restart()

    assert set(daemon.tick()) == {FIFTH}


def test_a_cursor_that_was_set_to_nothing_asks_no_partition_twice_on_one_day(lake: Path, daemon: Daemon) -> None:
    land(lake, "2026-10-05")
    daemon.tick()
    daemon.begin()
    daemon.end(well=False)
    daemon.cursor = None

    assert daemon.tick() == {}
    assert len(daemon.runs()) == 1


@pytest.fixture
def slow_daemon(lake: Path, rules: PlainRules) -> Daemon:
    """Ticks of a reconciliation that compares four objects in each."""
    return Daemon(settings_of(StorageLocation(str(lake)), Events(most_reconciled_a_tick=4)), rules, sensor=1)


def test_more_lost_objects_than_one_tick_compares_are_compared_tick_by_tick_and_none_is_left_out(
    lake: Path, slow_daemon: Daemon, rules: PlainRules
) -> None:
    for day in range(1, 11):
        land(lake, f"2026-10-{day:02}")
    land(lake, "2026-10-12", source="slurm/nodes")
    made, told = [], []
    for _ in range(4):
        made.append(set(slow_daemon.tick()))
        told.append(slow_daemon.told)
        slow_daemon.restart()
        slow_daemon.wait(seconds=30)

    days = [f"slurm-a|2026-10-{day:02}" for day in (*range(1, 11), 12)]
    assert [len(each) for each in made] == [4, 4, 3, 0]
    assert set().union(*made) == set(days)
    assert rules.asked == [4, 4, 2, 1]
    assert told[3] == "landing is held against the raw tables at 13:01 UTC"


def test_a_tick_says_how_much_it_compared_and_how_much_it_left(lake: Path, slow_daemon: Daemon) -> None:
    for day in range(1, 7):
        land(lake, f"2027-10-{day:02}")

    slow_daemon.tick()

    assert slow_daemon.told == (
        "4 arrived, 4 outside the calendar, 4 held against the raw tables, 2 of the same source left to the next look"
    )


def test_objects_that_come_while_a_comparison_goes_on_do_not_starve_those_behind_them(
    lake: Path, slow_daemon: Daemon
) -> None:
    last = "slurm-a|2026-10-12"
    land(lake, "2026-10-12", source="slurm/reservations")
    made = set()
    for day in range(1, 8):
        for copy in range(3):
            land(lake, f"2026-10-{day:02}" + "\n" * copy)
        made |= set(slow_daemon.tick())
        slow_daemon.wait(seconds=30)

    assert last in made


def test_a_comparison_that_stopped_in_a_source_that_the_settings_have_no_more_begins_again(
    lake: Path, slow_daemon: Daemon
) -> None:
    for day in range(1, 7):
        land(lake, f"2026-10-{day:02}")
    slow_daemon.tick()
    slow_daemon.settings = replace(slow_daemon.settings, clusters={"k8s-b": slow_daemon.settings.clusters["k8s-b"]})
    slow_daemon.restart()

    slow_daemon.tick()
    slow_daemon.wait(seconds=30)
    slow_daemon.tick()

    assert slow_daemon.told == "landing is held against the raw tables at 13:00 UTC"


def test_a_lost_card_asks_for_the_months_that_it_changes_and_an_older_one_beside_a_new_one_for_none(
    lake: Path, daemon: Daemon, rules: PlainRules
) -> None:
    taken = land(lake, "2026-10", source="rate-cards")
    rules.taken.add(taken)
    land(lake, "2026-10\n", source="rate-cards", seconds_ago=30)
    assert daemon.tick() == {}

    daemon.wait(hours=1)
    made = daemon.tick()

    assert {month: tags[OBJECTS] for month, tags in made.items()} == {"2026-10": "1"}


def test_lost_ownership_asks_for_no_month_that_only_a_card_changes(lake: Path, daemon: Daemon) -> None:
    land(lake, "2026-10", source="ownership")
    land(lake, "2026-10", source="rate-cards", seconds_ago=30)

    daemon.tick()

    (run,) = daemon.runs()
    assert {key.to_user_string() for key in run.asset_selection or ()} == {"ownership"}
