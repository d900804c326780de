"""Checks of raw_reservations."""

import polars as pl

from chargeback.contracts.raw_reservations import RAW_RESERVATIONS
from checks.gate import Check, Outcome, Reading


def backward_reservations(reading: Reading) -> Outcome:
    """Reservations that end before they start."""
    rows = reading.table(RAW_RESERVATIONS).collect()
    findings = rows.filter(pl.col("TimeEnd") < pl.col("TimeStart")).select(
        key="Name", expected=pl.format("end at or after {}", "TimeStart"), observed=pl.format("{}", "TimeEnd")
    )
    return Outcome(findings, {"reservations": len(rows)})


CHECKS = (
    Check("raw_reservations_readable", RAW_RESERVATIONS, "No reservation ends before it starts.",
          backward_reservations, stops="run"),
)  # fmt: skip
