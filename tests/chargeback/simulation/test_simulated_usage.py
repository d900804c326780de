"""Runs, holds and capacity of a simulated estate say exactly what is true of it, whichever scheduler it was."""

from collections import Counter, defaultdict
from collections.abc import Callable
from fractions import Fraction

import polars as pl
import pytest

from chargeback.billing_period import day_interval
from chargeback.simulation.estate_plan import CLUSTERS
from tests.chargeback.simulation.simulated import (
    ZONE,
    SimulatedEstate,
    capacity_by_accelerator,
    gpu_seconds_by,
    month_end,
    small_estate,
    true_gpu_seconds,
)
from tests.chargeback.simulation.simulated_days import tables_of

ESTATES: dict[str, Callable[[], SimulatedEstate]] = {
    "over the change of the clock": small_estate,
    "over the month's end": month_end,
}

Side = tuple[SimulatedEstate, str]


@pytest.fixture(scope="module", params=[(name, cluster) for name in ESTATES for cluster in CLUSTERS], ids=str)
def side(request: pytest.FixtureRequest) -> Side:
    """An estate, and one of its clusters."""
    name, cluster = request.param
    return ESTATES[name](), cluster


def test_every_run_holds_exactly_what_it_held(side: Side) -> None:
    estate, cluster = side
    for day, true in estate.of(cluster).items():
        holds = tables_of(estate, cluster, day).holds

        assert gpu_seconds_by(holds, "run", "accelerator") == true_gpu_seconds(true["held"]), day


def test_every_run_stands_in_its_days_with_its_class_and_how_it_ended(side: Side) -> None:
    estate, cluster = side
    for day, true in estate.of(cluster).items():
        interval = day_interval(day, ZONE)
        runs = tables_of(estate, cluster, day).runs
        ended = runs.filter(
            pl.col("bound").is_not_null(), pl.col("ended") >= interval.start, pl.col("ended") < interval.end
        )

        assert len(runs) == true["runs"], day
        assert Counter(runs["workload_class"]) == true["classes"], day
        assert Counter(ended["end_cause"]) == true["ended"], day


def test_what_tiers_held_is_true(side: Side) -> None:
    estate, cluster = side
    for day, true in estate.of(cluster).items():
        tiers: dict[str, Fraction] = defaultdict(Fraction)
        for key, text in true["owners"].items():
            tiers[key.rpartition("|")[2]] += Fraction(text)
        tables = tables_of(estate, cluster, day)
        held = tables.holds.join(tables.runs.select("run", "tier"), on="run", validate="m:1")

        assert {tier: seconds for (tier,), seconds in gpu_seconds_by(held, "tier").items()} == tiers, day


def test_every_gpu_second_of_the_inventory_is_in_its_true_state(side: Side) -> None:
    estate, cluster = side
    for day, true in estate.of(cluster).items():
        found = capacity_by_accelerator(tables_of(estate, cluster, day).capacity)

        assert set(found) == set(true["capacity"]), day
        for accelerator, states in true["capacity"].items():
            assert {state: found[accelerator][state] for state in states} == {
                state: Fraction(text) for state, text in states.items()
            }, (day, accelerator)
            assert found[accelerator]["overcommitted"] == found[accelerator]["unknown"] == 0


def test_no_count_of_gpus_is_unknown(side: Side) -> None:
    estate, cluster = side
    for day in estate.of(cluster):
        bases = set(tables_of(estate, cluster, day).runs["gpu_count_basis"])

        assert "recorded" in bases
        assert "unknown" not in bases
