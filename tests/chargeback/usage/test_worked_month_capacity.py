"""The worked month, conserved exactly: every GPU-second of 743 hours in the state that was computed by hand."""

import json
from collections import Counter
from fractions import Fraction
from zoneinfo import ZoneInfo

import pytest

from chargeback.attribution.conservation import (
    attribution_against_holds,
    capacity_states_add_up,
    double_booked,
    states_add_up,
)
from chargeback.billing_period import BillingPeriod, day_interval
from chargeback.contracts.capacity import CAPACITY, STATES
from tests.chargeback.attribution.unmeasured import unmeasured_hours
from tests.slurm_estate import DayTables, SlurmEstate
from tests.tables import instant, shared_file

PERIOD = BillingPeriod("2026-03", ZoneInfo("Europe/Amsterdam"))


@pytest.fixture(scope="module")
def days() -> dict[str, DayTables]:
    """The tables of all 31 days."""
    sources = {"slurm/sacct": "sacct.psv", "slurm/nodes": "nodes.txt", "slurm/events": "events.psv"}
    extracted_at = instant("2026-04-02T02:00Z")
    objects = [
        (source, extracted_at, shared_file("worked-month", name).read_bytes()) for source, name in sources.items()
    ]
    estate = SlurmEstate(objects, ZoneInfo("UTC"), PERIOD.zone, {"scavenger": "preemptible"}, "slurm-a")
    return {day: estate.day(day) for day in PERIOD.days}


def test_every_gpu_second_of_the_month_is_in_the_state_that_was_computed_by_hand(days: dict[str, DayTables]) -> None:
    expected = json.loads(shared_file("worked-month", "expected.json").read_text())["conservation_gpu_seconds"]

    found: dict[str, Counter[str]] = {accelerator: Counter() for accelerator in expected}
    for tables in days.values():
        for row in tables.capacity.iter_rows(named=True):
            for state in ("capacity", *STATES):
                found[row["accelerator"]][state] += Fraction(row[f"{state}_unit_seconds"], row["units_per_gpu"])

    for accelerator, figures in expected.items():
        seconds = found[accelerator]
        seconds["out_of_service"] = seconds["out_of_service_planned"] + seconds["out_of_service_unplanned"]
        assert {name: str(Fraction(seconds[name])) for name in figures} == figures
        assert seconds["reserved_unused"] == seconds["unknown"] == 0


def test_no_day_of_the_month_breaks_its_contract_or_its_conservation(days: dict[str, DayTables]) -> None:
    for day, tables in days.items():
        interval = day_interval(day, PERIOD.zone)
        hours = unmeasured_hours(tables.holds, cluster="slurm-a", day=day, interval=interval)

        assert CAPACITY.breaches(tables.capacity) == []
        assert capacity_states_add_up(tables.capacity).is_empty()
        assert double_booked(tables.capacity, tables.holds).is_empty()
        assert attribution_against_holds(hours, tables.holds).is_empty()
        assert states_add_up(hours).is_empty()
