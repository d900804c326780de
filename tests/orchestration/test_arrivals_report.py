"""`chargeback arrivals` shows what arrivals requested and how soon, what waits, and what was set aside."""

import io
import json
import os
from pathlib import Path

import pytest
from rich.console import Console

from orchestration.arrivals_desk import set_aside
from orchestration.arrivals_report import ArrivalsReport, arrivals_report, print_arrivals
from resources.local_store import LocalStore
from resources.storage_location import StorageLocation
from tests.foreign_records import FOREIGN
from tests.orchestration.sensor_ticks import NOW, Daemon, PlainRules, landing_key, settings_of
from tests.small_lake import small_lake


@pytest.fixture
def daemon(tmp_path: Path) -> Daemon:
    """Ticks on an empty lake."""
    return Daemon(settings_of(StorageLocation(str(tmp_path / "lake"))), PlainRules())


def land(daemon: Daemon, text: str, *, seconds_ago: float) -> None:
    """An object, modified so long before NOW."""
    root, key = daemon.settings.location.directory, landing_key(text)
    LocalStore(root).put_new(key, text.encode())
    os.utime(root / key, (NOW.timestamp() - seconds_ago,) * 2)


def report_of(daemon: Daemon, *, limit: int = 20) -> ArrivalsReport:
    """What the command would show."""
    store = LocalStore(daemon.settings.location.directory)
    return arrivals_report(daemon.instance, store, daemon.settings, limit=limit)


def shown(report: ArrivalsReport) -> str:
    """As it is printed."""
    console = Console(file=io.StringIO(), width=200, highlight=False)
    print_arrivals(report, console)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def test_each_request_tells_when_its_objects_arrived_and_how_long_it_took(daemon: Daemon) -> None:
    land(daemon, "2026-10-05", seconds_ago=10)
    land(daemon, "2026-10-06", seconds_ago=30)
    land(daemon, "2026-10-07", seconds_ago=500)
    daemon.tick()
    daemon.begin()

    report = report_of(daemon)

    latencies = {each.partition: each.latency_seconds for each in report.requests}
    assert latencies == {"slurm-a|2026-10-05": 10.0, "slurm-a|2026-10-06": 30.0, "slurm-a|2026-10-07": 500.0}
    assert (report.median_latency_seconds, report.longest_latency_seconds) == (30.0, 500.0)
    assert {each.status for each in report.requests} == {"STARTED"}
    assert "median 30.0 s, longest 500.0 s, of 3 requests" in shown(report)
    assert len(report_of(daemon, limit=2).requests) == 2


def test_runs_that_somebody_else_asked_for_are_not_shown(daemon: Daemon) -> None:
    land(daemon, "2026-10-05", seconds_ago=10)
    daemon.tick()
    (run,) = daemon.runs()
    daemon.instance.add_run(replace_tags(run))

    assert len(report_of(daemon).requests) == 1


def replace_tags(run: object) -> object:
    """The same run, asked for by hand."""
    from dagster import DagsterRun

    assert isinstance(run, DagsterRun)
    return DagsterRun(job_name=run.job_name, tags={"dagster/partition": "slurm-a|2026-10-05"})


def test_what_was_set_aside_is_shown_with_its_reason_and_obeys_no_terminal_codes(daemon: Daemon) -> None:
    store = LocalStore(daemon.settings.location.directory)
    set_aside(store, reason="is not JSON", about="[red]\x1b[2Jhello[/red]")
    set_aside(store, reason="is not JSON", about="[red]\x1b[2Jhello[/red]")

    report = report_of(daemon)

    assert report.set_aside_count == 1
    text = shown(report)
    assert "[red] [2Jhello[/red]" in text
    assert "\x1b" not in text


def test_files_of_others_among_what_was_set_aside_are_named_and_hide_nothing(daemon: Daemon) -> None:
    store = LocalStore(daemon.settings.location.directory)
    set_aside(store, reason="is not JSON", about="a message")
    for name, content in FOREIGN.items():
        store.put(f"events-refused/{name.replace(' ', '-')}.json", content)

    report = report_of(daemon)

    said = {each.about: each.reason for each in report.set_aside}
    assert said.pop("a message") == "is not JSON"
    assert set(said) == {f"events-refused/{name.replace(' ', '-')}.json" for name in FOREIGN}
    assert {reason.partition(",")[0] for reason in said.values()} == {"is no record that this software wrote"}
    assert "events-refused/no-JSON.json" in shown(report)


def test_the_command_says_that_nothing_arrived_yet_and_json_is_for_scripts(tmp_path: Path) -> None:
    lake = small_lake(tmp_path)

    told = lake.run("arrivals")
    scripted = lake.run("arrivals", "--json")

    assert (told.returncode, scripted.returncode) == (0, 0), told.stderr + scripted.stderr
    assert "no run was requested by an arrival yet" in told.stdout
    assert json.loads(scripted.stdout)["requests"] == []
