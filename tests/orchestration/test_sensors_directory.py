"""Arrivals in a directory: each new object asks for the days that it touches, in a bounded number of runs."""

import os
from dataclasses import replace
from pathlib import Path

import pytest

from orchestration.arrivals import ARRIVED_AT, LATENCY_SECONDS, NOTICED_BY, OBJECTS
from orchestration.sensors import IN_DIRECTORY, sensors_on
from resources.local_store import LocalStore
from resources.operation_settings import Automation, Events
from resources.setting_kinds import SettingsRefused
from resources.storage_location import StorageLocation
from tests.orchestration.sensor_ticks import NOW, Daemon, PlainRules, landing_key, settings_of

FIFTH, SIXTH = "slurm-a|2026-10-05", "slurm-a|2026-10-06"


@pytest.fixture
def lake(tmp_path: Path) -> Path:
    """The folder of an empty lake."""
    return tmp_path / "lake"


@pytest.fixture
def daemon(lake: Path) -> Daemon:
    """Ticks on it."""
    return Daemon(settings_of(StorageLocation(str(lake)), Events(most_runs_a_tick=5)), PlainRules())


def land(lake: Path, text: str, *, seconds_ago: float = 60, **where: str) -> str:
    """An object that names the days that it touches, modified so long before NOW; its key."""
    key = landing_key(text, **where)
    LocalStore(lake).put_new(key, text.encode())
    at = NOW.timestamp() - seconds_ago
    os.utime(lake / key, (at, at))
    return key


def test_an_object_asks_for_the_days_that_it_touches_with_the_tables_of_their_scheduler(
    lake: Path, daemon: Daemon
) -> None:
    land(lake, "2026-10-05\n2026-10-06")
    land(lake, "2026-10-07", cluster="k8s-b", source="kubernetes/pods")

    made = daemon.tick()

    assert set(made) == {FIFTH, SIXTH, "k8s-b|2026-10-07"}
    assets = {run.tags["dagster/partition"]: {each.to_user_string() for each in run.asset_selection or ()}
              for run in daemon.runs()}  # fmt: skip
    assert "raw_sacct" in assets[FIFTH]
    assert "raw_pods" not in assets[FIFTH]
    assert "raw_pods" in assets["k8s-b|2026-10-07"]
    assert {run.job_name for run in daemon.runs()} == {"bill_cluster_day"}


def test_the_request_tells_how_many_objects_and_how_long_since_the_earliest_arrived(lake: Path, daemon: Daemon) -> None:
    land(lake, "2026-10-05", seconds_ago=90.5)
    land(lake, "2026-10-05\n", seconds_ago=10)

    tags = daemon.tick()[FIFTH]

    assert tags[OBJECTS] == "2"
    assert tags[LATENCY_SECONDS] == "90.5"
    assert tags[ARRIVED_AT] == "2026-10-20T11:58:29+00:00"
    assert tags[NOTICED_BY] == IN_DIRECTORY


def test_nothing_is_asked_twice_and_the_tick_says_so(lake: Path, daemon: Daemon) -> None:
    land(lake, "2026-10-05")
    daemon.tick()

    assert daemon.tick() == {}
    assert daemon.told == "nothing arrived"


def test_a_changed_card_asks_for_the_card_of_its_months_and_nothing_else(lake: Path, daemon: Daemon) -> None:
    land(lake, "2026-10", source="rate-cards", cluster="")

    assert set(daemon.tick()) == {"2026-10"}
    (run,) = daemon.runs()
    assert run.job_name == "bill_month"
    assert {each.to_user_string() for each in run.asset_selection or ()} == {"rate_card"}


def test_a_signed_record_asks_for_its_months_again_though_a_keyring_asked_before(lake: Path, daemon: Daemon) -> None:
    land(lake, "2026-10", source="keyrings", cluster="")
    assert daemon.tick()["2026-10"][OBJECTS] == "1"
    daemon.begin()
    daemon.end()

    land(lake, "2026-10", source="approvals", cluster="")

    assert daemon.tick()["2026-10"][OBJECTS] == "1"


def test_a_partition_with_a_queued_run_is_not_asked_again(lake: Path, daemon: Daemon) -> None:
    land(lake, "2026-10-05")
    daemon.tick()
    land(lake, "2026-10-05\n")

    assert daemon.tick() == {}
    assert daemon.told == "1 arrived; 1 partitions are read by a run that is queued"
    daemon.begin()
    daemon.end()
    assert daemon.tick() == {}


def test_a_partition_whose_run_has_begun_is_asked_once_more_when_it_ends(lake: Path, daemon: Daemon) -> None:
    land(lake, "2026-10-05")
    daemon.tick()
    daemon.begin()
    land(lake, "2026-10-05\n")
    land(lake, "2026-10-05\n\n")

    assert daemon.tick() == {}
    assert "1 partitions wait, 1 of them for the end of a run" in (daemon.told or "")
    daemon.end()

    assert daemon.tick()[FIFTH][OBJECTS] == "2"


def test_a_tick_asks_for_a_bounded_number_of_runs_and_the_rest_waits_its_turn(lake: Path, daemon: Daemon) -> None:
    land(lake, "\n".join(f"2026-10-{day:02}" for day in range(1, 13)))

    ticks = [set(daemon.tick()) for _ in range(4)]

    assert [len(made) for made in ticks] == [5, 5, 2, 0]
    assert len(set().union(*ticks)) == 12


def test_what_waits_and_what_was_seen_outlives_the_process(lake: Path, daemon: Daemon) -> None:
    land(lake, "\n".join(f"2026-10-{day:02}" for day in range(1, 9)))
    daemon.tick()

    daemon.restart()

    assert len(daemon.tick()) == 3
    assert daemon.tick() == {}


def test_a_tick_that_is_lost_loses_nothing_and_doubles_nothing(lake: Path, daemon: Daemon) -> None:
    land(lake, "2026-10-05\n2026-10-06")
    lost = daemon.evaluate()
    daemon.restart()

    made = daemon.tick()

    assert {tags["dagster/run_key"] for tags in made.values()} == {each.run_key for each in lost.run_requests or []}
    assert len(daemon.runs()) == 2


@pytest.mark.parametrize("seconds_ago", [60, 3_600, 86_400 * 365, -3_600], ids=["same", "late", "set back", "ahead"])
def test_an_object_is_noticed_whatever_the_clock_of_its_store_says(
    lake: Path, daemon: Daemon, seconds_ago: int
) -> None:
    land(lake, "2026-10-06")
    daemon.tick()
    land(lake, "2026-10-05", seconds_ago=seconds_ago, day="2026-10-06")

    tags = daemon.tick()[FIFTH]

    assert float(tags[LATENCY_SECONDS]) >= 0


def test_a_day_that_the_calendar_does_not_have_takes_nothing_from_the_others(lake: Path, daemon: Daemon) -> None:
    land(lake, "2026-10-05\n2026-09-30\n2026-10-21\n2026-02-31\nnonsense")

    assert set(daemon.tick()) == {FIFTH}


def test_a_name_that_landing_never_gives_is_set_aside_and_told_once(lake: Path, daemon: Daemon) -> None:
    LocalStore(lake).put_new("landing/slurm/sacct/cluster=slurm-a/dump.psv", b"2026-10-05")
    LocalStore(lake).put_new("landing/x", b"2026-10-05")

    daemon.tick()

    assert "2 set aside" in (daemon.told or "")
    kept = LocalStore(lake).list("events-refused/")
    assert len(kept) == 2
    assert all(b"Drop the file into incoming/" in LocalStore(lake).get(each.key) for each in kept)
    daemon.tick()
    assert daemon.told == "nothing arrived"


def test_one_object_that_nobody_can_use_takes_nothing_from_those_beside_it(lake: Path) -> None:
    rules = PlainRules()
    daemon = Daemon(settings_of(StorageLocation(str(lake))), rules)
    rules.unusable.add(land(lake, "2026-10-06"))
    land(lake, "2026-10-05")

    assert set(daemon.tick()) == {FIFTH}
    (kept,) = LocalStore(lake).list("events-refused/")
    assert b"nobody can use it" in LocalStore(lake).get(kept.key)


def test_the_lake_is_read_anew_when_it_changes_while_the_process_lives(lake: Path, daemon: Daemon) -> None:
    assert daemon.tick() == {}
    land(lake, "2026-10-05")
    assert set(daemon.tick()) == {FIFTH}


@pytest.mark.parametrize("enabled, status", [(True, "RUNNING"), (False, "STOPPED")])
def test_the_sensors_are_on_where_the_settings_say_so(lake: Path, enabled: bool, status: str) -> None:
    settings = replace(settings_of(StorageLocation(str(lake)), Events(look_every_seconds=45)),
                       automation=Automation(enabled=enabled))  # fmt: skip

    sensors = sensors_on(settings)

    assert [sensor.name for sensor in sensors] == ["arrivals_in_directory", "reconciliation"]
    assert {sensor.default_status.value for sensor in sensors} == {status}
    assert {sensor.minimum_interval_seconds for sensor in sensors} == {45}


def test_a_queue_beside_a_directory_is_refused(lake: Path) -> None:
    settings = settings_of(StorageLocation(str(lake)), Events(queue_url="https://sqs.eu-central-1.amazonaws.com/1/q"))

    with pytest.raises(SettingsRefused, match=r"events\.queue_url is set, but \[lake\] root is a directory"):
        sensors_on(settings)
