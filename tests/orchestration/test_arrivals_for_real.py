"""From a dropped file to the days that are asked for, with the product's own rules, on each kind of store."""

import os
from pathlib import Path

import dagster as dg
import pytest

from orchestration.arrivals_reading import ReadAhead
from orchestration.definitions import definitions_for
from orchestration.workspace import open_workspace
from resources.landing import Landing
from resources.local_store import LocalStore
from resources.open_store import store_at
from resources.settings import Settings
from resources.storage_location import StorageLocation
from tests.orchestration.sensor_ticks import NOW, Daemon, settings_of
from tests.services.seaweedfs import S3Server, s3_server
from tests.services.sqs import SqsServer, any_credentials, sqs_server

__all__ = ["any_credentials", "s3_server", "sqs_server"]  # the fixtures

FOURTH, FIFTH, SIXTH = (f"slurm-a|2026-10-0{day}" for day in (4, 5, 6))
HEAD = "JobIDRaw|JobID|Cluster|Account|User|QOS|Partition|State|Start|End|ElapsedRaw|AllocTRES|NodeList\n"


def job(number: int, begins: str, ends: str, seconds: int) -> str:
    """A row of sacct."""
    span = f"2026-10-{begins}:00:00|2026-10-{ends}:00:00|{seconds}"
    return f"{number}|{number}|slurm-a|vision-lab|ada|normal|gpu|COMPLETED|{span}|gres/gpu:h100=1|gpu01\n"


OVER_MIDNIGHT = job(1, "05T20", "06T04", 28_800)
ON_THE_FIFTH = job(2, "05T08", "05T09", 3_600)


def land(location: StorageLocation, text: str, *, day: int = 7) -> None:
    """An extract of that morning."""
    at = NOW.replace(day=day, hour=1)
    Landing(store_at(location)).land(
        text.encode(), source="slurm/sacct", cluster="slurm-a", extracted_at=at, extension="psv"
    )


def take(settings: Settings, *partitions: str) -> None:
    """Make the raw tables of these days, as the runs that were asked for would."""
    definitions = definitions_for(settings)
    raw = [asset for asset in definitions.assets or () if isinstance(asset, dg.AssetsDefinition)
           and asset.key.to_user_string() in ("landed_objects", "quarantine", "raw_sacct")]  # fmt: skip
    for partition in partitions:
        cluster, _, day = partition.partition("|")
        outcome = dg.materialize(
            raw, partition_key=dg.MultiPartitionKey({"cluster": cluster, "day": day}),
            resources=definitions.resources, instance=dg.DagsterInstance.ephemeral(),
        )  # fmt: skip
        assert outcome.success


def ended(daemon: Daemon, *partitions: str) -> None:
    """The runs that were asked for begin, take what is there, and end."""
    daemon.begin()
    take(daemon.settings, *partitions)
    daemon.end()


def test_a_file_dropped_into_a_directory_is_filed_and_its_days_are_asked_for(tmp_path: Path) -> None:
    settings = settings_of(StorageLocation(str(tmp_path / "lake")))
    daemon = Daemon(settings, None)
    dropped = tmp_path / "lake" / "incoming" / "slurm-a" / "sacct dump of ada.psv"
    dropped.parent.mkdir(parents=True)
    dropped.write_text(HEAD + OVER_MIDNIGHT)
    os.utime(dropped, (NOW.timestamp() - 300,) * 2)

    made = daemon.tick()

    assert set(made) == {FIFTH, SIXTH}
    assert not dropped.exists()


def test_only_days_whose_facts_change_are_asked_for_and_the_same_facts_again_for_none(tmp_path: Path) -> None:
    settings = settings_of(StorageLocation(str(tmp_path / "lake")))
    daemon = Daemon(settings, None)
    land(settings.location, HEAD + OVER_MIDNIGHT)
    assert set(daemon.tick()) == {FIFTH, SIXTH}
    ended(daemon, FIFTH, SIXTH)

    land(settings.location, HEAD + OVER_MIDNIGHT, day=8)
    land(settings.location, HEAD + OVER_MIDNIGHT + "\n", day=8)
    assert daemon.tick() == {}

    land(settings.location, HEAD + OVER_MIDNIGHT + ON_THE_FIFTH, day=9)
    assert set(daemon.tick()) == {FIFTH}


def test_what_no_sensor_noticed_is_found_by_holding_landing_against_the_raw_tables(tmp_path: Path) -> None:
    settings = settings_of(StorageLocation(str(tmp_path / "lake")))
    land(settings.location, HEAD + OVER_MIDNIGHT)
    land(settings.location, HEAD + job(3, "04T08", "04T09", 3_600))
    for each in LocalStore(settings.location.directory).list("landing/"):
        os.utime(settings.location.directory / each.key, (NOW.timestamp() - 3_600,) * 2)
    take(settings, FIFTH, SIXTH)
    daemon = Daemon(settings, None, sensor=1)

    assert set(daemon.tick()) == {FOURTH}


def test_objects_on_s3_are_noticed_by_listing(s3_server: S3Server) -> None:
    settings = settings_of(s3_server.proven_location())
    daemon = Daemon(settings, None)
    assert daemon.sensor.name == "arrivals_by_listing"
    assert daemon.tick() == {}
    land(settings.location, HEAD + OVER_MIDNIGHT)
    assert set(daemon.tick()) == {FIFTH, SIXTH}

    daemon.restart()
    store_at(settings.location).put("incoming/slurm-a/late.psv", (HEAD + job(4, "04T08", "04T09", 3_600)).encode())

    assert set(daemon.tick()) == {FOURTH}
    assert open_workspace(settings).store.list("incoming/") == []


@pytest.mark.usefixtures("any_credentials")
def test_objects_on_s3_are_noticed_by_the_notifications_of_their_bucket(sqs_server: SqsServer) -> None:
    queue = sqs_server.fresh_queue()
    settings = settings_of(sqs_server.notifying_location(queue), queue.events)
    daemon = Daemon(settings, None)
    store_at(settings.location).put("incoming/slurm-a/ä b+c.psv", (HEAD + ON_THE_FIFTH).encode())
    land(settings.location, HEAD + job(4, "04T08", "04T09", 3_600))

    made: set[str] = set()
    for _ in range(60):  # moto notifies from a thread of its own
        made |= set(daemon.tick())
        if len(made) > 1:
            break

    assert made == {FOURTH, FIFTH}
    assert {run.tags["chargeback/noticed-by"] for run in daemon.runs()} == {"arrivals_by_notification"}


@pytest.mark.usefixtures("any_credentials")
def test_messages_for_which_there_was_no_time_go_back_to_the_queue_and_are_asked_about_next(
    sqs_server: SqsServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    queue = sqs_server.fresh_queue()
    settings = settings_of(sqs_server.notifying_location(queue), queue.events)
    daemon = Daemon(settings, None)
    land(settings.location, HEAD + ON_THE_FIFTH)
    while queue.counted()[0] < 2:  # the object, and the test that S3 sends at set-up
        continue
    with monkeypatch.context() as no_time:
        no_time.setattr(ReadAhead, "complete", lambda self, arrived, has_time: False)
        assert daemon.tick() == {}
        assert "1 not asked about yet" in (daemon.told or "")
    assert queue.counted()[1] == 0

    assert set(daemon.tick()) == {FIFTH}


def test_a_storm_is_read_over_several_looks_and_asked_about_when_all_of_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = settings_of(StorageLocation(str(tmp_path / "lake")))
    for number in range(6):
        land(settings.location, HEAD + job(number, "05T08", "05T09", 3_600))
    workspace = open_workspace(settings)
    arrived = workspace.landing.objects("slurm/sacct", "slurm-a")
    monkeypatch.setattr("orchestration.arrivals_reading.READ_BEFORE_LOOKING_AT_THE_CLOCK", 2)
    ahead = ReadAhead(workspace)

    answers = [ahead.complete(arrived, has_time=lambda: False) for _ in range(3)]

    assert answers == [False, False, True]
    assert all(workspace.observations.is_read(each) for each in arrived)
