"""Checks of raw_workloads."""

import polars as pl

from chargeback.contracts.raw_workloads import RAW_WORKLOADS
from checks.gate import Check, Outcome, Reading


def disordered_workloads(reading: Reading) -> Outcome:
    """Workload objects that were admitted or over before they were created."""
    rows = reading.table(RAW_WORKLOADS).collect()
    created = pl.col("creationTimestamp")
    disordered = rows.filter((pl.col("ended") < created) | (pl.col("admitted") < created))
    findings = disordered.select(
        key=pl.format("{} {}/{}", "kind", "namespace", "name"),
        expected=pl.format("created {}, then admitted and ended", created),
        observed=pl.format(
            "admitted {}, ended {}",
            pl.col("admitted").cast(pl.String).fill_null("never"),
            pl.col("ended").cast(pl.String).fill_null("not yet"),
        ),
    )
    return Outcome(findings, {"workloads": len(rows)})


CHECKS = (
    Check("raw_workloads_readable", RAW_WORKLOADS, "No workload was admitted or over before it was created.",
          disordered_workloads, stops="nothing"),
)  # fmt: skip
