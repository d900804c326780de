"""What the automation sensor requests of days and months, and what it leaves alone."""

from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from chargeback.contracts.partition import Partition
from chargeback.contracts.rated_usage import RATED_USAGE
from chargeback.contracts.registry import MONTHLY, daily_tables_of
from chargeback.pricing.credits import CreditPolicies
from orchestration.partitions import calendar_of
from resources.lake import Lake
from resources.lake_records import Provenance
from resources.settings import Settings
from tests.orchestration.ticks import BEFORE_LAST, LAST, RUNNING, Ticks, estate_settings

DERIVED = {"runs", "holds", "bindings", "capacity", "attribution", "unallocated_activity"}
FOCUS = {"focus_cost_and_usage", "focus_invoice_detail", "focus_billing_period"}
PREVIEW = {"rated_usage", "team_charges", "corrections", "statements", "journal_entries", "recovery"} | FOCUS
PEOPLE = {"rate_card", "ownership", "maps"}
DAYS = ("slurm-a|2026-10-05", "slurm-a|2026-10-06", "k8s-b|2026-10-07")


@pytest.fixture
def ticks(tmp_path: Path) -> Ticks:
    """The sensor after its first tick, on an empty instance."""
    return Ticks(estate_settings(tmp_path)).begun()


def previews(*months: str) -> dict[str, set[str]]:
    """Rated usage to statements, journal and FOCUS, of some months."""
    return {table: set(months) for table in PREVIEW}


def test_several_changed_days_request_their_month_once(ticks: Ticks) -> None:
    ticks.stands("attribution", *DAYS)

    assert ticks.tick() == previews(LAST)
    assert ticks.tick() == {}


def test_a_month_that_is_not_the_latest_is_requested_too(ticks: Ticks) -> None:
    ticks.stands("attribution", "slurm-a|2026-09-29")

    assert ticks.tick() == previews(BEFORE_LAST)


def test_the_same_content_once_more_requests_nothing(ticks: Ticks) -> None:
    ticks.stands("attribution", *DAYS, content="a")
    ticks.stands("rate_card", LAST, content="a")
    assert ticks.tick() == previews(LAST)

    ticks.stands("attribution", *DAYS, content="a")
    ticks.stands("rate_card", LAST, content="a")

    assert ticks.tick() == {}


def test_another_verdict_on_a_map_requests_the_statements_that_print_it_and_rates_nothing(ticks: Ticks) -> None:
    ticks.stands("maps", LAST, RUNNING, content="unsigned")
    ticks.tick()

    ticks.stands("maps", LAST, content="signed")

    assert ticks.tick() == {table: {LAST} for table in {"statements"} | FOCUS}


@pytest.mark.parametrize("table", sorted(PEOPLE - {"maps"}))
def test_another_card_or_ownership_requests_exactly_its_months(ticks: Ticks, table: str) -> None:
    ticks.stands(table, BEFORE_LAST, LAST, RUNNING, content="a")
    ticks.tick()

    ticks.stands(table, BEFORE_LAST, content="a")
    ticks.stands(table, LAST, RUNNING, content="b")

    assert ticks.tick() == previews(LAST, RUNNING)


def test_a_raw_table_materialised_alone_carries_on_to_attribution_and_its_month_waits_for_that(ticks: Ticks) -> None:
    ticks.stands("raw_sacct", DAYS[0])
    assert ticks.tick() == {table: {DAYS[0]} for table in DERIVED}

    run = ticks.begins(DERIVED, DAYS[0])
    ticks.stands("runs", DAYS[0], by=run)
    assert ticks.tick() == {}

    ticks.stands("attribution", DAYS[0], by=run)
    ticks.ends(run)
    assert ticks.tick() == previews(LAST)


def test_tables_that_the_clusters_scheduler_does_not_have_and_days_to_come_never_block(ticks: Ticks) -> None:
    days = calendar_of(ticks.settings).cluster_days.get_partition_keys(current_time=ticks.now)
    of_slurm = [day for day in days if day.startswith("slurm-a|") and day < "slurm-a|2026-11-03"]
    ticks.stands("attribution", *of_slurm)

    assert ticks.tick() == previews(BEFORE_LAST, LAST, RUNNING)


def test_a_month_waits_while_any_of_its_days_is_under_way_and_others_go_on(ticks: Ticks) -> None:
    run = ticks.begins(DERIVED, "slurm-a|2026-10-20")
    ticks.stands("attribution", *DAYS, "slurm-a|2026-11-02")
    assert ticks.tick() == previews(RUNNING)

    ticks.stands("attribution", "slurm-a|2026-10-20", by=run)
    ticks.ends(run)

    assert ticks.tick() == previews(LAST)


def test_a_day_that_changes_while_its_month_is_computed_requests_the_month_again(ticks: Ticks) -> None:
    ticks.stands("attribution", DAYS[0], content="a")
    assert ticks.tick() == previews(LAST)
    month = ticks.begins(PREVIEW, LAST)
    ticks.stands("attribution", DAYS[0], content="b")  # after the month had read it
    ticks.stands("rated_usage", LAST, content="of a", by=month)
    assert ticks.tick() == {}

    for table in PREVIEW:
        ticks.stands(table, LAST, content="of a", by=month)
    ticks.ends(month)

    assert ticks.tick()["rated_usage"] == {LAST}


def test_a_day_that_changed_between_the_request_and_its_run_is_not_forgotten(ticks: Ticks) -> None:
    ticks.stands("attribution", DAYS[0], content="a")
    assert ticks.tick() == previews(LAST)
    ticks.stands("attribution", DAYS[0], content="b")

    assert ticks.tick() == previews(LAST)


def test_a_run_that_makes_a_table_and_what_follows_from_it_requests_nothing_more(ticks: Ticks) -> None:
    whole_day = ticks.begins((contract.table for contract in daily_tables_of("slurm")), DAYS[0])
    for contract in daily_tables_of("slurm"):
        ticks.stands(contract.table, DAYS[0], by=whole_day)
    ticks.ends(whole_day)
    assert ticks.tick() == previews(LAST)

    month = ticks.begins((contract.table for contract in MONTHLY), LAST)
    for contract in MONTHLY:
        ticks.stands(contract.table, LAST, by=month)
    ticks.ends(month)

    assert ticks.tick() == {}


def test_each_morning_the_running_month_and_the_one_before_are_brought_up_to_date(ticks: Ticks) -> None:
    everything = {table: {LAST, RUNNING} for table in PREVIEW | PEOPLE}

    assert ticks.tick(hours=16) == {}  # 04:00
    ticks.begins(DERIVED, "slurm-a|2026-11-03")  # objects arrive without a pause

    assert ticks.tick(hours=1, minutes=5) == everything
    assert ticks.tick() == {}
    assert ticks.tick(days=1) == everything


def test_a_month_whose_suspense_fell_due_is_rated_again_the_next_morning_and_then_no_more(tmp_path: Path) -> None:
    settings = estate_settings(tmp_path)
    policies = replace(settings.policies, suspense_due_days=20)
    ticks = Ticks(replace(settings, policies=policies)).begun()
    rated_when_due(ticks.settings, BEFORE_LAST, is_due=False)  # its 20 days were over on 20 October
    rated_when_due(ticks.settings, LAST, is_due=False)  # its own end on 20 November
    recent = {LAST, RUNNING}

    assert ticks.tick(hours=12) == {}
    assert ticks.tick(hours=6)["rated_usage"] == {BEFORE_LAST} | recent

    rated_when_due(ticks.settings, BEFORE_LAST, is_due=True)

    assert ticks.tick(days=1)["rated_usage"] == recent


def rated_when_due(settings: Settings, month: str, *, is_due: bool) -> None:
    """An empty month was rated, and its suspense was due or not."""
    inputs = {"setting|credits": repr(CreditPolicies(suspense=is_due))}
    Lake(settings.location).replace(
        RATED_USAGE, Partition.of_month(month), RATED_USAGE.empty(), Provenance("a run", "code", inputs)
    )


def test_a_standing_lake_of_ninety_days_that_is_met_for_the_first_time_requests_nothing(tmp_path: Path) -> None:
    ticks = Ticks(estate_settings(tmp_path, first_day=date(2026, 8, 6)))
    calendar = calendar_of(ticks.settings)
    days = [key for key in calendar.cluster_days.get_partition_keys(current_time=ticks.now) if "2026-11-04" not in key]
    for table in ("raw_sacct", "runs", "capacity", "attribution"):
        ticks.stands(table, *(key for key in days if key.startswith("slurm-a")))
    for contract in MONTHLY:
        ticks.stands(contract.table, "2026-08", BEFORE_LAST, LAST)

    assert ticks.tick() == {}
    assert ticks.tick() == {}


def test_switched_on_again_after_weeks_it_requests_a_run_a_month_and_not_a_run_a_day(ticks: Ticks) -> None:
    keys = calendar_of(ticks.settings).cluster_days.get_partition_keys(current_time=ticks.now)
    days = [key for key in keys if key.startswith("slurm-a|") and key < "slurm-a|2026-11-03"]
    ticks.stands("attribution", *days, content="a")
    ticks.stands("attribution", *days[::2], content="b")

    assert ticks.tick(hours=12) == previews(BEFORE_LAST, LAST, RUNNING)


def test_a_closed_month_is_never_requested_whatever_changes_in_it(tmp_path: Path) -> None:
    ticks = Ticks(estate_settings(tmp_path)).begun()
    Lake(ticks.settings.location).close_month(LAST, by="controller", certificate_hash="c" * 64)
    ticks.stands("attribution", "slurm-a|2026-09-29", *DAYS, "slurm-a|2026-11-02")
    ticks.stands("rate_card", LAST)

    assert ticks.tick() == previews(BEFORE_LAST, RUNNING)

    assert ticks.tick() == {}
    assert ticks.tick(hours=18) == {table: {RUNNING} for table in PREVIEW | PEOPLE}
