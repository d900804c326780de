"""Checks of runs."""

import polars as pl

from chargeback.contracts.runs import RUNS
from checks.gate import Check, Outcome, Reading


def impossible_runs(reading: Reading) -> Outcome:
    """Runs whose instants are out of order."""
    rows = reading.table(RUNS).collect()
    findings = rows.filter(pl.col("observed_until") < pl.col("started")).select(
        key="run", expected=pl.format("seen at or after {}", "started"), observed=pl.format("{}", "observed_until")
    )
    return Outcome(findings, {"runs": len(rows)})


def unknown_counts(reading: Reading) -> Outcome:
    """Runs on GPU nodes whose GPU count nobody recorded: never charged as zero (design.md 5.2)."""
    rows = reading.table(RUNS).filter(pl.col("gpu_count_basis") == "unknown").collect()
    findings = rows.select(
        key="run",
        expected=pl.lit("a GPU count, or an entry in approvals/ that settles it"),
        observed=pl.format("account {}, {} s on {}", pl.col("account").fill_null("unknown"),
                           (pl.col("observed_until") - pl.col("started")).dt.total_seconds(),
                           pl.col("hosts").fill_null("unknown hosts")),
    )  # fmt: skip
    return Outcome(findings)


CHECKS = (
    Check("runs_valid", RUNS, "No run was last seen before it started.", impossible_runs, stops="run"),
    Check("gpu_counts_known", RUNS, "The GPU count of every run on a GPU node is recorded or approved.", unknown_counts,
          stops="certificate"),
)  # fmt: skip
