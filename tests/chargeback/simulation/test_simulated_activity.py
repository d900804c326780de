"""Telemetry, bindings and attribution of a simulated estate say exactly what its devices did."""

from collections import defaultdict
from collections.abc import Callable
from typing import Any

import polars as pl
import pytest

from chargeback.simulation.estate_plan import CLUSTERS
from tests.chargeback.simulation.simulated import SimulatedEstate, month_end, small_estate
from tests.chargeback.simulation.simulated_days import measured, tables_of

ESTATES: dict[str, Callable[[], SimulatedEstate]] = {
    "over the change of the clock": small_estate,
    "over the month's end": month_end,
}
FIGURES = {
    "observed": "observed_milliseconds",
    "idle": "idle_milliseconds",
    "active": "active_milliseconds",
    "starved": "starved_milliseconds",
    "consumed": "consumed_ppm_milliseconds",
    "energy": "energy_microjoules",
}

Side = tuple[SimulatedEstate, str]


@pytest.fixture(scope="module", params=[(name, cluster) for name in ESTATES for cluster in CLUSTERS], ids=str)
def side(request: pytest.FixtureRequest) -> Side:
    """An estate, and one of its clusters."""
    name, cluster = request.param
    return ESTATES[name](), cluster


def _unseen(estate: SimulatedEstate, cluster: str, day: str) -> set[str]:
    """Runs that no label can have named: shorter than from one scrape to the next, or all of it in a telemetry gap."""
    scrape = int(str(estate.truth.arguments["scrape_seconds"]))
    length = (pl.col("held_until") - pl.col("held_from")).dt.total_seconds()
    short = tables_of(estate, cluster, day).holds.filter(length < scrape)["run"]
    activity = estate.of(cluster)[day]["activity"]
    return {*short, *(run for run, of in activity.items() if not any(figures["observed"] for figures in of.values()))}


def test_every_hold_is_bound_to_the_gpus_that_it_had(side: Side) -> None:
    estate, cluster = side
    for day, true in estate.of(cluster).items():
        found: dict[str, set[str]] = defaultdict(set)
        for run, gpu in measured(estate, cluster, day).bindings.select("run", "gpu").rows():
            found[run].add(gpu)

        had = {run: set(gpus) for run, gpus in true["activity"].items()}
        unbound = {run for run, gpus in had.items() if found[run] != gpus}
        assert unbound <= _unseen(estate, cluster, day), day


def test_what_every_gpu_did_while_it_was_held_is_true_to_the_millisecond(side: Side) -> None:
    estate, cluster = side
    for day, true in estate.of(cluster).items():
        by_gpu = (
            measured(estate, cluster, day)
            .attribution.filter(pl.col("gpu") != "")
            .group_by("run", "gpu")
            .agg(pl.col(column).sum() if name != "energy" else _sum_or_null(column) for name, column in FIGURES.items())
        )
        found = {(row["run"], row["gpu"]): {name: row[column] for name, column in FIGURES.items()}
                 for row in by_gpu.iter_rows(named=True)}  # fmt: skip
        expected: dict[tuple[str, str], dict[str, Any]] = {
            (run, gpu): figures for run, of in true["activity"].items() for gpu, figures in of.items()
        }
        unseen = _unseen(estate, cluster, day)
        assert {run for run, _ in expected.keys() - found.keys()} <= unseen, day
        assert {key: figures for key, figures in expected.items() if key in found} == found, day


def _sum_or_null(column: str) -> pl.Expr:
    return pl.when(pl.col(column).is_not_null().any()).then(pl.col(column).sum()).alias(column)


def test_what_worked_while_nobody_held_it_is_true_to_the_millisecond(side: Side) -> None:
    estate, cluster = side
    for day, true in estate.of(cluster).items():
        by_gpu = (
            measured(estate, cluster, day)
            .unallocated.group_by("gpu")
            .agg(pl.col("active_milliseconds").sum(), pl.col("consumed_ppm_milliseconds").sum())
        )
        found = {gpu: {"active": active, "consumed": consumed} for gpu, active, consumed in by_gpu.rows()}

        assert found == true["unallocated_activity"], day


def test_values_that_are_none_and_values_said_twice_are_counted_and_nothing_contradicts(side: Side) -> None:
    estate, cluster = side
    counts = pl.concat(measured(estate, cluster, day).raw_devices for day in estate.of(cluster)).select(
        pl.col("sentinels", "impossible", "duplicates", "conflicts").sum()
    )

    sentinels, impossible, duplicates, conflicts = counts.row(0)
    assert sentinels > 0
    assert duplicates > 0
    assert impossible == conflicts == 0


def test_what_was_held_after_its_workload_had_ended_is_true(side: Side) -> None:
    estate, cluster = side
    for day, true in estate.of(cluster).items():
        late = measured(estate, cluster, day).attribution.filter(pl.col("after_end_seconds") > 0)
        found = dict(late.group_by("run").agg(pl.col("after_end_seconds").sum()).rows())

        assert {run: str(seconds) for run, seconds in found.items()} == true["after_end"], day


def test_no_second_that_was_held_is_lost_between_holds_and_attribution(side: Side) -> None:
    estate, cluster = side
    for day in estate.of(cluster):
        held = tables_of(estate, cluster, day).holds.select(
            (pl.col("device_count") * (pl.col("held_until") - pl.col("held_from")).dt.total_seconds()).sum()
        )

        assert measured(estate, cluster, day).attribution["held_seconds"].sum() == held.item()
