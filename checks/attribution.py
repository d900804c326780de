"""Checks of attribution."""

import polars as pl

from chargeback.attribution.conservation import (
    attribution_against_bindings,
    attribution_against_capacity,
    attribution_against_holds,
    gpus_held_twice,
    states_add_up,
)
from chargeback.contracts.attribution import ATTRIBUTION
from chargeback.contracts.bindings import BINDINGS
from chargeback.contracts.capacity import CAPACITY
from chargeback.contracts.holds import HOLDS
from chargeback.usage.set_members import members_of
from checks.gate import Check, Outcome, Reading


def lost_or_doubled_seconds(reading: Reading) -> Outcome:
    """Holds whose hours do not add up to them."""
    rows = reading.table(ATTRIBUTION).collect()
    return Outcome(attribution_against_holds(rows, reading.table(HOLDS).collect()), {"rows": len(rows)})


def states_not_adding_up(reading: Reading) -> Outcome:
    """Hours whose idle, starved, busy and unmeasured time does not add up to what was held."""
    return Outcome(states_add_up(reading.table(ATTRIBUTION).collect()))


def gpu_hours_lost_or_made(reading: Reading) -> Outcome:
    """GPUs, and hosts with their hours, on which the attribution holds more or less than bindings and capacity say."""
    assert reading.day is not None  # noqa: S101  (attribution is partitioned by day)
    rows, bindings, capacity = (reading.table(each).collect() for each in (ATTRIBUTION, BINDINGS, CAPACITY))
    findings = pl.concat(
        [
            attribution_against_bindings(rows, bindings),
            attribution_against_capacity(rows, capacity, members_of(rows["host"], capacity["host"])),
            gpus_held_twice(rows, interval=reading.day.interval),
        ]
    )
    return Outcome(findings, {"rows": len(rows), "bindings": len(bindings)})


CHECKS = (
    Check("attribution_conserves_holds", ATTRIBUTION, "Attributed hours add up to the holds, to the second.",
          lost_or_doubled_seconds, stops="run"),
    Check("attribution_states_add_up", ATTRIBUTION, "Each held second is in exactly one state.", states_not_adding_up,
          stops="run"),
    Check("gpu_hours_conserved", ATTRIBUTION, "Each GPU-second that was held is attributed once: per GPU as bound, per "
          "host and hour as capacity has it.", gpu_hours_lost_or_made, stops="run"),
)  # fmt: skip
