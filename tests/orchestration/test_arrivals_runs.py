"""Which runs will read what just arrived: only one that has not begun and makes all that is asked."""

from datetime import UTC, datetime, timedelta

import dagster as dg
import pytest
from dagster import DagsterEventType as Event

from orchestration.arrivals_runs import RunsUnderWay, last_succeeded, runs_of

FIFTH = "slurm-a|2026-10-05"
RAW, ALL = (frozenset(dg.AssetKey(name) for name in names) for names in (("raw_sacct",), ("raw_sacct", "runs")))


@pytest.fixture
def instance() -> dg.DagsterInstance:
    """An empty instance."""
    return dg.DagsterInstance.ephemeral()


def run(instance: dg.DagsterInstance, assets: frozenset[dg.AssetKey] | None, *events: Event) -> None:
    """A run of the fifth to which these events happened."""
    made = instance.add_run(
        dg.DagsterRun("bill_cluster_day", tags={"dagster/partition": FIFTH}, asset_selection=assets)
    )
    for event in events:
        instance.report_dagster_event(dg.DagsterEvent(event.value, "bill_cluster_day"), made.run_id)


def under_way(instance: dg.DagsterInstance, *, later: timedelta = timedelta()) -> RunsUnderWay:
    """What is under way so much later."""
    return runs_of(instance, now=datetime.now(UTC) + later)


@pytest.mark.parametrize("assets, covers", [(None, True), (ALL, True), (RAW, False)], ids=["job", "all", "a part"])
def test_a_queued_run_reads_an_arrival_if_it_makes_all_that_is_asked(
    instance: dg.DagsterInstance, assets: frozenset[dg.AssetKey] | None, covers: bool
) -> None:
    run(instance, assets)

    assert under_way(instance).will_read(FIFTH, ALL) is covers
    assert not under_way(instance).reads_now(FIFTH, ALL)
    assert not under_way(instance).will_read("slurm-a|2026-10-06", ALL)


def test_a_run_that_has_begun_is_waited_for_even_if_it_makes_a_part(instance: dg.DagsterInstance) -> None:
    run(instance, RAW, Event.RUN_START)

    assert under_way(instance).reads_now(FIFTH, ALL)
    assert not under_way(instance).will_read(FIFTH, RAW)


def test_a_run_that_ended_is_neither_queued_nor_under_way(instance: dg.DagsterInstance) -> None:
    run(instance, ALL, Event.RUN_START, Event.RUN_FAILURE)

    assert not under_way(instance).reads_now(FIFTH, ALL)
    assert not under_way(instance).will_read(FIFTH, ALL)


def test_a_run_that_a_crash_left_unlaunched_covers_nothing_after_ten_minutes(instance: dg.DagsterInstance) -> None:
    run(instance, ALL)

    assert under_way(instance, later=timedelta(minutes=9)).will_read(FIFTH, ALL)
    assert not under_way(instance, later=timedelta(minutes=11)).will_read(FIFTH, ALL)


def test_the_latest_run_decides_whether_a_partition_succeeded(instance: dg.DagsterInstance) -> None:
    assert not last_succeeded(instance, FIFTH)
    run(instance, ALL, Event.RUN_START, Event.RUN_SUCCESS)
    assert last_succeeded(instance, FIFTH)
    run(instance, ALL, Event.RUN_START, Event.RUN_FAILURE)
    assert not last_succeeded(instance, FIFTH)
