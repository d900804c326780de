"""Checks of capacity."""

from chargeback.attribution.conservation import capacity_states_add_up, overcommitted
from chargeback.contracts.capacity import CAPACITY
from checks.gate import Check, Outcome, Reading


def unconserved(reading: Reading) -> Outcome:
    """Hours whose states do not add up to capacity (design.md 5.4)."""
    rows = reading.table(CAPACITY).collect()
    return Outcome(capacity_states_add_up(rows), {"host_hours": len(rows)})


def double_booked(reading: Reading) -> Outcome:
    """Hours in which more was held than there is."""
    return Outcome(overcommitted(reading.table(CAPACITY).collect()))


CHECKS = (
    Check("capacity_conserved", CAPACITY, "Each second of each GPU is in exactly one state.", unconserved, stops="run"),
    Check("capacity_not_overcommitted", CAPACITY, "Nobody holds more than there is.", double_booked,
          stops="certificate"),
)  # fmt: skip
