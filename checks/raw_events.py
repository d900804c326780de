"""Checks of raw_events."""

import polars as pl

from chargeback.contracts.raw_events import RAW_EVENTS
from checks.gate import Check, Outcome, Reading


def backward_events(reading: Reading) -> Outcome:
    """Events that end before they start."""
    rows = reading.table(RAW_EVENTS).collect()
    findings = rows.filter(pl.col("TimeEnd") < pl.col("TimeStart")).select(
        key="NodeName", expected=pl.format("end at or after {}", "TimeStart"), observed=pl.format("{}", "TimeEnd")
    )
    return Outcome(findings, {"events": len(rows)})


CHECKS = (
    Check("raw_events_readable", RAW_EVENTS, "No event ends before it starts.", backward_events, stops="run"),
)  # fmt: skip
