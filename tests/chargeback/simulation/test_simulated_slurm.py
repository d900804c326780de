"""The simulated Slurm cluster: its records are read by the real parsers and tables say exactly what is true."""

from collections import Counter, defaultdict
from collections.abc import Callable
from fractions import Fraction

import polars as pl
import pytest

from chargeback.billing_period import day_interval
from chargeback.simulation.estate_plan import SLURM
from chargeback.simulation.made import Made
from chargeback.simulation.slurm_run import TIERS
from resources.parsers import parser_of
from tests.chargeback.simulation.simulated import (
    ZONE,
    SimulatedEstate,
    capacity_by_accelerator,
    content_of,
    gpu_seconds_by,
    month_end,
    small_estate,
    true_gpu_seconds,
)
from tests.slurm_estate import PARSERS, DayTables, SlurmEstate

ESTATES: dict[str, Callable[[], SimulatedEstate]] = {
    "over the change of the clock": small_estate,
    "over the month's end": month_end,
}
PREEMPTIBLE = {qos: tier for qos, tier in TIERS.items() if tier != "standard"}

Billed = tuple[SimulatedEstate, dict[str, DayTables]]


@pytest.fixture(scope="module", params=ESTATES)
def billed(request: pytest.FixtureRequest) -> Billed:
    """The estate, and its tables of every day."""
    simulated = ESTATES[request.param]()
    objects = [(made.source, made.extracted_at, content_of(made)) for made in _slurm_objects(simulated)]
    estate = SlurmEstate(objects, ZONE, ZONE, PREEMPTIBLE, SLURM)
    return simulated, {day: estate.day(day) for day in simulated.of(SLURM)}


def _slurm_objects(simulated: SimulatedEstate) -> list[Made]:
    return [
        made
        for made in simulated.landed(SLURM, "slurm/")
        if made.source in PARSERS and not made.content.startswith(b"job_id|")
    ]


def test_every_record_is_read_and_none_is_quarantined(billed: Billed) -> None:
    for made in _slurm_objects(billed[0]):
        parsed = parser_of(made.source, "txt")(content_of(made), cluster=SLURM, zone=ZONE)

        assert parsed.quarantined == ()


def test_every_run_holds_exactly_what_it_held(billed: Billed) -> None:
    simulated, tables = billed
    for day, true in simulated.of(SLURM).items():
        assert gpu_seconds_by(tables[day].holds, "run", "accelerator") == true_gpu_seconds(true["held"]), day


def test_every_run_stands_in_its_days_with_its_class_and_how_it_ended(billed: Billed) -> None:
    simulated, tables = billed
    for day, true in simulated.of(SLURM).items():
        interval = day_interval(day, ZONE)
        runs = tables[day].runs
        ended = runs.filter(
            pl.col("started").is_not_null(), pl.col("ended") >= interval.start, pl.col("ended") < interval.end
        )

        assert len(runs) == true["runs"], day
        assert Counter(runs["workload_class"]) == true["classes"], day
        assert Counter(ended["end_cause"]) == true["ended"], day


def test_what_teams_and_tiers_held_is_true(billed: Billed) -> None:
    simulated, tables = billed
    for day, true in simulated.of(SLURM).items():
        tiers: dict[str, Fraction] = defaultdict(Fraction)
        for key, text in true["owners"].items():
            tiers[key.rpartition("|")[2]] += Fraction(text)
        held = tables[day].holds.join(tables[day].runs.select("run", "tier"), on="run", validate="m:1")

        assert {tier: seconds for (tier,), seconds in gpu_seconds_by(held, "tier").items()} == tiers


def test_every_gpu_second_of_the_inventory_is_in_its_true_state(billed: Billed) -> None:
    simulated, tables = billed
    for day, true in simulated.of(SLURM).items():
        found = capacity_by_accelerator(tables[day].capacity)

        assert set(found) == set(true["capacity"]), day
        for accelerator, states in true["capacity"].items():
            assert {state: found[accelerator][state] for state in states} == {
                state: Fraction(text) for state, text in states.items()
            }, (day, accelerator)
            assert found[accelerator]["overcommitted"] == found[accelerator]["unknown"] == 0
