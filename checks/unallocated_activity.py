"""Checks of unallocated_activity."""

import polars as pl

from chargeback.contracts.unallocated_activity import UNALLOCATED_ACTIVITY
from checks.gate import Check, Outcome, Reading


def work_that_nobody_held(reading: Reading) -> Outcome:
    """Devices that were active while nobody held them, in an hour for longer than a hold's last sample can last."""
    assert reading.day is not None  # noqa: S101  (unallocated_activity is partitioned by day)
    rows = reading.table(UNALLOCATED_ACTIVITY).collect()
    last_sample = reading.settings.staleness_seconds(reading.day.cluster) * 1000
    devices = (
        rows.filter(pl.col("active_milliseconds") > last_sample)
        .group_by("host", "gpu", "accelerator")
        .agg(
            active=pl.col("active_milliseconds").sum(),
            hours=pl.len(),
            labels=pl.col("labels").drop_nulls().unique().sort().str.join(", "),
        )
    )
    findings = devices.select(
        key=pl.format("{} {} {}", "host", "gpu", "accelerator"),
        expected=pl.lit("held by somebody, or not active"),
        observed=pl.format(
            "active for {} s in {} hours, held by nobody; labelled {}",
            pl.col("active") // 1000,
            "hours",
            pl.when(pl.col("labels") == "").then(pl.lit("nothing")).otherwise("labels"),
        ),
    )
    return Outcome(findings.sort("key"), {"gpu_hours_active": int(rows["active_milliseconds"].sum()) // 3_600_000})


CHECKS = (
    Check("nothing_ran_unheld", UNALLOCATED_ACTIVITY, "Nothing ran on a GPU that no scheduler had granted.",
          work_that_nobody_held, stops="nothing"),
)  # fmt: skip
