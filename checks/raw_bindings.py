"""Checks of raw_bindings."""

import polars as pl

from chargeback.contracts.raw_bindings import RAW_BINDINGS
from chargeback.contracts.raw_sacct import RAW_SACCT
from checks.gate import Check, Outcome, Reading


def unaccounted_bindings(reading: Reading) -> Outcome:
    """Runs that the scheduler showed with GPUs and the accounting records do not know on that day."""
    shown = reading.table(RAW_BINDINGS).collect()
    accounted = reading.table(RAW_SACCT).select("JobIDRaw", "Start").collect()
    unknown = shown.join(accounted, on=["JobIDRaw", "Start"], how="anti", nulls_equal=True)
    findings = unknown.select(
        key=pl.format("{} on {}", "JobIDRaw", "host"),
        expected=pl.format("an accounting record that starts {}", "Start"),
        observed=pl.lit("none landed for this day"),
    ).unique(maintain_order=True)
    return Outcome(findings, {"bindings": len(shown)})


CHECKS = (
    Check("raw_bindings_readable", RAW_BINDINGS, "Every run that was shown with GPUs has an accounting record.",
          unaccounted_bindings, stops="nothing"),
)  # fmt: skip
