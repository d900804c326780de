"""What is requested by itself of the certificate and of what it lets out, and which sensors are on."""

from pathlib import Path

import dagster as dg
import pytest

from chargeback.contracts.registry import MONTHLY
from checks.registry import ALL_CHECKS
from orchestration.automation import BRING_UP_TO_DATE, LET_OUT, SEND
from orchestration.definitions import definitions_for
from resources.lake import Lake
from tests.orchestration.ticks import BEFORE_LAST, LAST, RUNNING, Ticks, estate_settings

CHECK = "statements_equal_charges"
CERTIFIED = (
    *("statements", "journal_entries", "recovery"),
    *("focus_cost_and_usage", "focus_invoice_detail", "focus_billing_period"),
)
BLOCKING = {
    contract.table: [check.name for check in ALL_CHECKS if check.contract is contract and check.stops == "run"]
    for contract in MONTHLY
}


@pytest.fixture
def ticks(tmp_path: Path) -> Ticks:
    """The sensor up to the certificate, after its first tick on an empty instance."""
    return Ticks(estate_settings(tmp_path)).begun()


def made(ticks: Ticks, month: str, *tables: str, content: str = "a", failing: str | None = None) -> None:
    """A run made tables of a month and all their blocking checks passed but for one."""
    run = ticks.begins(tables, month)
    for table in tables:
        ticks.stands(table, month, content=content, by=run)
        for check in BLOCKING[table]:
            ticks.judged(table, check, month, passed=check != failing, by=run)
    ticks.ends(run)


def computed(ticks: Ticks, *months: str, content: str = "a", failing: str | None = None) -> None:
    """Statements, journals and FOCUS rows of months stand."""
    for month in months:
        made(ticks, month, *CERTIFIED, content=content, failing=failing)


def test_the_certificate_is_requested_of_months_that_are_over_and_never_of_the_running_one(ticks: Ticks) -> None:
    computed(ticks, LAST, RUNNING)

    assert ticks.tick() == {"certificate": {LAST}}
    assert ticks.tick() == {}


def test_a_month_whose_check_failed_is_not_certified_when_another_passes_later(ticks: Ticks) -> None:
    computed(ticks, BEFORE_LAST, failing=CHECK)
    assert ticks.tick() == {}

    computed(ticks, LAST)

    assert ticks.tick() == {"certificate": {LAST}}
    assert ticks.tick() == {}


def test_a_month_that_failed_is_certified_once_its_check_passes(ticks: Ticks) -> None:
    computed(ticks, LAST, failing=CHECK)
    assert ticks.tick() == {}

    computed(ticks, LAST, content="b")

    assert ticks.tick() == {"certificate": {LAST}}


def test_a_month_that_passed_and_then_fails_with_another_content_is_not_certified(ticks: Ticks) -> None:
    computed(ticks, LAST)
    assert ticks.tick() == {"certificate": {LAST}}

    computed(ticks, LAST, failing=CHECK, content="b")

    assert ticks.tick() == {}


def test_a_month_that_has_just_ended_is_certified_in_the_morning_though_nothing_changed_since(ticks: Ticks) -> None:
    computed(ticks, RUNNING)
    assert ticks.tick() == {}

    assert ticks.tick(days=26, hours=20)["certificate"] == {RUNNING}  # the first of December


def test_a_closed_month_is_not_certified_again(ticks: Ticks) -> None:
    Lake(ticks.settings.location).close_month(LAST, by="controller", certificate_hash="c" * 64)
    computed(ticks, LAST, BEFORE_LAST)

    assert ticks.tick() == {"certificate": {BEFORE_LAST}}


def test_nothing_is_let_out_by_the_sensor_that_brings_up_to_date(ticks: Ticks) -> None:
    made(ticks, LAST, "certificate")

    assert ticks.tick() == {}


def test_a_new_certificate_is_let_out_once_and_its_postings_follow(tmp_path: Path) -> None:
    ticks = Ticks(estate_settings(tmp_path, publish=True), sensor=LET_OUT).begun()
    made(ticks, LAST, "certificate")
    assert ticks.tick() == {"published": {LAST}}
    made(ticks, LAST, "published")

    assert ticks.tick() == {"postings": {LAST}}
    assert ticks.tick() == {}

    made(ticks, LAST, "certificate")  # the same content
    assert ticks.tick() == {}


def test_neither_a_closed_month_nor_the_running_one_is_let_out(tmp_path: Path) -> None:
    ticks = Ticks(estate_settings(tmp_path, publish=True), sensor=LET_OUT).begun()
    Lake(ticks.settings.location).close_month(LAST, by="controller", certificate_hash="c" * 64)
    made(ticks, LAST, "certificate")
    made(ticks, RUNNING, "certificate")

    assert ticks.tick() == {}
    assert ticks.tick(hours=18) == {}


def test_what_stood_certified_before_letting_out_was_switched_on_is_let_out_next_morning(tmp_path: Path) -> None:
    ticks = Ticks(estate_settings(tmp_path, publish=True), sensor=LET_OUT)
    made(ticks, LAST, "certificate")
    ticks.begun()

    assert ticks.tick() == {}
    assert ticks.tick(hours=18) == {"published": {LAST}}


@pytest.mark.parametrize(
    "automation, running",
    [
        ({}, {BRING_UP_TO_DATE, "yesterday_of_every_cluster"}),
        ({"publish": True}, {BRING_UP_TO_DATE, LET_OUT, "yesterday_of_every_cluster"}),
        ({"publish": True, "send": True}, {BRING_UP_TO_DATE, LET_OUT, SEND, "yesterday_of_every_cluster"}),
        ({"enabled": False}, set()),
        ({"enabled": False, "publish": True}, set()),
    ],
)
def test_what_is_on_follows_from_the_settings(tmp_path: Path, automation: dict[str, bool], running: set[str]) -> None:
    repository = definitions_for(estate_settings(tmp_path, **automation)).get_repository_def()

    ours = (BRING_UP_TO_DATE, LET_OUT, SEND)
    sensors = {
        each.name for each in repository.sensor_defs
        if each.name in ours and each.default_status == dg.DefaultSensorStatus.RUNNING
    }  # fmt: skip
    schedules = {
        each.name for each in repository.schedule_defs if each.default_status == dg.DefaultScheduleStatus.RUNNING
    }
    assert sensors | schedules == running


def test_every_table_is_watched_by_exactly_one_of_the_sensors(tmp_path: Path) -> None:
    definitions = definitions_for(estate_settings(tmp_path))
    graph = definitions.resolve_asset_graph()
    watched = [
        key
        for name in (BRING_UP_TO_DATE, LET_OUT, SEND)
        for key in definitions.resolve_sensor_def(name).asset_selection.resolve(graph)
    ]

    assert sorted(watched) == sorted(graph.get_all_asset_keys())
    names = {sensor.name for sensor in definitions.get_repository_def().sensor_defs}
    assert "default_automation_condition_sensor" not in names


def test_a_tick_of_the_sensor_itself_asks_for_one_run_a_month(ticks: Ticks) -> None:
    sensor = ticks.definitions.resolve_sensor_def(BRING_UP_TO_DATE)
    repository = ticks.definitions.get_repository_def()
    with dg.build_sensor_context(instance=ticks.instance, repository_def=repository) as first:
        cursor = sensor.evaluate_tick(first).cursor
    ticks.stands("attribution", "slurm-a|2026-09-29", "slurm-a|2026-09-30", "k8s-b|2026-10-07")

    with dg.build_sensor_context(instance=ticks.instance, repository_def=repository, cursor=cursor) as second:
        requests = sensor.evaluate_tick(second).run_requests or []

    assert {request.partition_key for request in requests} == {BEFORE_LAST, LAST}
    assert len(requests) == 2
    assert {len(request.asset_selection or ()) for request in requests} == {9}
