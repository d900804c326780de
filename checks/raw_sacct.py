"""Checks of raw_sacct."""

import polars as pl

from chargeback.contracts.raw_sacct import RAW_SACCT
from checks.gate import Check, Outcome, Reading


def impossible_records(reading: Reading) -> Outcome:
    """Runs that end before they start, and running rows without a last observation."""
    rows = reading.table(RAW_SACCT).collect()
    backwards = rows.filter(pl.col("End") < pl.col("Start"))
    unseen = rows.filter(pl.col("Start").is_not_null() & pl.col("started_until").is_null())
    findings = pl.concat(
        [
            backwards.select(
                key="JobIDRaw", expected=pl.format("End at or after {}", "Start"), observed=pl.format("End {}", "End")
            ),
            unseen.select(
                key="JobIDRaw",
                expected=pl.lit("a last instant at which it was seen"),
                observed=pl.format("started {}, none", "Start"),
            ),
        ]
    )
    return Outcome(findings, {"records": len(rows)})


CHECKS = (
    Check("raw_sacct_valid", RAW_SACCT, "No run ends before it starts; each has a last observation.",
          impossible_records, stops="run"),
)  # fmt: skip
