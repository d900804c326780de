"""What the UI serves of the definitions, and that it ends as a whole."""

import signal
import socket
from pathlib import Path
from typing import Any

import pytest

from tests.small_lake import small_lake
from tests.ui.browser import until
from tests.ui.served_ui import ServedUi, started_ui

LOCATION = """{ repositoriesOrError { ... on RepositoryConnection { nodes {
  jobs { name }
  schedules { name cronSchedule executionTimezone scheduleState { status } }
  sensors { name sensorType sensorState { status } }
  partitionSets { pipelineName partitionsOrError { ... on Partitions { results { name } } } }
  assetGroups { groupName }
  assetNodes { assetKey { path } groupName kinds description owners { ... on TeamAssetOwner { team } }
               partitionDefinition { type dimensionTypes { name } } jobNames }
} } } }"""
RUNS = "{ runsOrError { ... on Runs { results { jobName status tags { key value } } } } }"
STAGES = {"raw", "usage", "attribution", "pricing", "ledger"}


@pytest.fixture(scope="module")
def location(served: ServedUi) -> dict[str, Any]:
    """The code location as the UI knows it."""
    (found,) = served.ask(LOCATION)["repositoriesOrError"]["nodes"]
    return dict(found)


def test_the_ui_says_when_it_can_be_opened(served: ServedUi) -> None:
    until(lambda: f"the Dagster UI answers on {served.address}" in served.said(), "to be told", served.said)


def test_there_is_one_job_for_each_partition_set(location: dict[str, Any]) -> None:
    partitions = {each["pipelineName"]: each["partitionsOrError"]["results"] for each in location["partitionSets"]}

    assert {"bill_cluster_day", "bill_month"} <= {job["name"] for job in location["jobs"]}
    assert {"name": "slurm-a|2026-03-31"} in partitions["bill_cluster_day"]
    assert {"name": "2026-03"} in partitions["bill_month"]


def test_nothing_moves_by_itself_where_the_settings_say_so(location: dict[str, Any]) -> None:
    schedules = {each["name"]: each for each in location["schedules"]}

    assert set(schedules) == {"yesterday_of_every_cluster"}
    assert {each["scheduleState"]["status"] for each in schedules.values()} == {"STOPPED"}
    assert {each["executionTimezone"] for each in schedules.values()} == {"Europe/Amsterdam"}
    sensors = {each["name"]: each["sensorState"]["status"] for each in location["sensors"]}
    assert {"bring_up_to_date", "let_out"} <= set(sensors)
    assert set(sensors.values()) == {"STOPPED"}


def test_every_table_has_a_stage_an_owner_kinds_and_a_grain(location: dict[str, Any]) -> None:
    tables = {each["assetKey"]["path"][0]: each for each in location["assetNodes"]}

    assert {group["groupName"] for group in location["assetGroups"]} == STAGES
    assert {each["groupName"] for each in tables.values()} == STAGES
    assert all(each["owners"] for each in tables.values())
    assert all({"polars", "deltalake"} <= set(each["kinds"]) for each in tables.values())
    assert all("Grain: one row per" in each["description"] for each in tables.values())
    assert tables["team_charges"]["owners"] == [{"team": "finance"}]


def test_days_are_by_cluster_up_to_attribution_and_months_from_rated_usage_on(location: dict[str, Any]) -> None:
    tables = {each["assetKey"]["path"][0]: each for each in location["assetNodes"]}

    daily = {name for name, each in tables.items() if each["partitionDefinition"]["type"] == "MULTIPARTITIONED"}
    assert {"raw_sacct", "runs", "holds", "capacity", "attribution"} <= daily
    assert {"rated_usage", "team_charges", "statements", "certificate", "published", "postings"} <= set(tables) - daily
    assert all("bill_cluster_day" in tables[name]["jobNames"] for name in daily)
    assert all("bill_month" in tables[name]["jobNames"] for name in set(tables) - daily - {"outbox"})
    assert "post_month" in tables["outbox"]["jobNames"]


def test_the_ui_shows_the_very_runs_of_the_bill(served: ServedUi) -> None:
    runs = served.ask(RUNS)["runsOrError"]["results"]

    partitions = {tag["value"] for run in runs for tag in run["tags"] if tag["key"] == "dagster/partition"}
    assert partitions == {"slurm-a|2026-03-30", "slurm-a|2026-03-31", "2026-03"}
    assert {run["status"] for run in runs} == {"SUCCESS"}


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_asked_to_end_while_it_starts_it_leaves_no_process_behind(tmp_path: Path, how: signal.Signals) -> None:
    lake = small_lake(tmp_path / "lake")
    with started_ui(lake.folder, tmp_path / "ui.log") as ui:
        until(lambda: "Dagster UI on" in ui.said(), "the UI to start", ui.said)

        assert ui.end(how) == (0, set())


def test_a_port_that_somebody_else_listens_on_is_refused_in_one_line(tmp_path: Path) -> None:
    lake = small_lake(tmp_path)
    with socket.create_server(("127.0.0.1", 0)) as somebody:
        port = somebody.getsockname()[1]
        refused = lake.run("ui", "--port", str(port))

    assert refused.returncode == 2
    assert refused.stderr.startswith(f"chargeback: cannot listen on 127.0.0.1:{port}: Address already in use")
    assert len(refused.stderr.strip().splitlines()) == 1
