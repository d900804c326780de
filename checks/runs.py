"""Checks of runs."""

import polars as pl

from chargeback.contracts.runs import RUNS
from checks.gate import Check, Outcome, Reading


def impossible_runs(reading: Reading) -> Outcome:
    """Runs whose instants are out of order; a pod holds from when it was bound, and may end before it starts."""
    rows = reading.table(RUNS).collect().with_columns(begins=pl.coalesce("bound", "started"))
    findings = rows.filter(pl.col("observed_until") < pl.col("begins")).select(
        key="run", expected=pl.format("seen at or after {}", "begins"), observed=pl.format("{}", "observed_until")
    )
    return Outcome(findings, {"runs": len(rows)})


def unknown_counts(reading: Reading) -> Outcome:
    """Runs on GPU nodes whose GPU count nobody recorded, pods whose ask cannot be read: never zero (design.md 5.2)."""
    rows = reading.table(RUNS).filter(pl.col("gpu_count_basis") == "unknown").collect()
    is_pod = pl.col("scheduler") == "kubernetes"
    held = pl.col("observed_until") - pl.coalesce("bound", "started")
    told = pl.format("account {}, {} s on {}", pl.col("account").fill_null("unknown"), held.dt.total_seconds(),
                     pl.col("hosts").fill_null("unknown hosts"))  # fmt: skip
    asked = pl.format(
        "{} {}, asks {}", "job_id", told, pl.col("alloc_tres").fill_null("by a claim that is not on record")
    )
    findings = rows.select(
        key="run",
        expected=pl.lit("a GPU count, or an entry in approvals/ that settles it"),
        observed=pl.when(is_pod).then(asked).otherwise(told),
    )
    return Outcome(findings)


CHECKS = (
    Check("runs_valid", RUNS, "No run was last seen before it started.", impossible_runs, stops="run"),
    Check("gpu_counts_known", RUNS, "The GPU count of every run on a GPU node is recorded or approved.", unknown_counts,
          stops="certificate"),
)  # fmt: skip
