"""Checks of raw_device_maps."""

import polars as pl

from chargeback.contracts.raw_device_maps import RAW_DEVICE_MAPS
from checks.gate import Check, Outcome, Reading


def ambiguous_devices(reading: Reading) -> Outcome:
    """GPUs that stand under more than one number of a host, and numbers that stand for more than one GPU."""
    rows = reading.table(RAW_DEVICE_MAPS).collect()
    by_uuid = rows.group_by("host", "uuid").agg(pl.col("minor").unique().sort()).filter(pl.col("minor").list.len() > 1)
    by_index = rows.filter(pl.col("nvml_index").is_not_null()).group_by("host", "nvml_index").agg(
        pl.col("uuid").unique().sort()
    ).filter(pl.col("uuid").list.len() > 1)  # fmt: skip
    findings = pl.concat(
        [
            by_uuid.sort("host", "uuid").select(
                key=pl.format("{} {}", "host", "uuid"),
                expected=pl.lit("one minor number"),
                observed=pl.col("minor").cast(pl.List(pl.String)).list.join(", "),
            ),
            by_index.sort("host", "nvml_index").select(
                key=pl.format("{} nvml_index {}", "host", "nvml_index"),
                expected=pl.lit("one GPU"),
                observed=pl.col("uuid").list.join(", "),
            ),
        ]
    )
    return Outcome(findings, {"devices": len(rows), "hosts": rows["host"].n_unique()})


CHECKS = (
    Check("raw_device_maps_unambiguous", RAW_DEVICE_MAPS, "Each number of a host names one GPU, and each GPU has one.",
          ambiguous_devices, stops="certificate"),
)  # fmt: skip
