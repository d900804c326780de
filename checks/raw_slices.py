"""Checks of raw_slices."""

import polars as pl

from chargeback.contracts.raw_slices import RAW_SLICES
from checks.gate import Check, Outcome, Reading


def unnamed_devices(reading: Reading) -> Outcome:
    """Published whole GPUs without a UUID. A slice may have none before it is made."""
    devices = reading.table(RAW_SLICES).filter(pl.col("type") == "gpu").collect()
    unnamed = devices.filter(pl.col("uuid").fill_null("") == "")
    findings = unnamed.select(
        key=pl.format("device {} of pool {}", "device", "pool"),
        expected=pl.lit("an attribute uuid"),
        observed=pl.format("none from driver {}", "driver"),
    )
    return Outcome(findings, {"gpu_devices": len(devices)})


CHECKS = (
    Check("raw_slices_named", RAW_SLICES, "Every published whole GPU has a UUID.", unnamed_devices, stops="nothing"),
)
