"""What was lost on the way is found by holding landing against the raw tables, and asked for at most once a day."""

import os
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


def land(lake: Path, text: str, *, seconds_ago: float = 600) -> str:
    """An object that nobody noticed, modified so long before NOW; its key."""
    key = landing_key(text)
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
