"""Checks of raw_devices."""

import polars as pl

from chargeback.contracts.raw_devices import RAW_DEVICES
from checks.gate import Check, Outcome, Reading

COUNTED = ("samples", "sentinels", "impossible", "duplicates", "conflicts", "parent_values")


def contradicting_exporters(reading: Reading) -> Outcome:
    """Devices of which one metric was said differently at one instant; what else is missing is counted beside it."""
    rows = reading.table(RAW_DEVICES).collect()
    conflicting = rows.group_by("device", "host", "gpu", "gpu_instance").agg(pl.col("conflicts").sum()).sort("device")
    findings = conflicting.filter(pl.col("conflicts") > 0).select(
        key=pl.format("{} {} {}", "host", "gpu", "gpu_instance").str.strip_chars(),
        expected=pl.lit("one value of a metric at one instant"),
        observed=pl.format("different values at {} instants, all of them left out", "conflicts"),
    )
    devices = {"devices": rows["device"].n_unique()}
    return Outcome(findings, devices | {name: int(rows[name].sum()) for name in COUNTED})


CHECKS = (
    Check("telemetry_trustworthy", RAW_DEVICES, "No two exporters contradict each other about a device.",
          contradicting_exporters, stops="nothing"),
)  # fmt: skip
