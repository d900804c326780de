"""Checks of quarantine."""

import polars as pl

from chargeback.contracts.quarantine import QUARANTINE
from checks.gate import Check, Outcome, Reading


def quarantined_records(reading: Reading) -> Outcome:
    """Records that could not be read; money may depend on each of them."""
    rows = reading.table(QUARANTINE).collect()
    findings = rows.select(
        key=pl.format("{} line {}", "object", "line"), expected=pl.lit("a readable record"), observed="reason"
    )
    return Outcome(findings, {"quarantined": len(rows)})


CHECKS = (
    Check("quarantine_share", QUARANTINE, "No more records in quarantine a day than quarantine_limit allows.",
          quarantined_records, stops="certificate", tolerated=lambda settings: settings.policies.quarantine_limit),
)  # fmt: skip
