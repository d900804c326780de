"""Checks of raw_claims."""

import polars as pl

from chargeback.contracts.raw_claims import RAW_CLAIMS
from chargeback.contracts.raw_slices import RAW_SLICES
from checks.gate import Check, Outcome, Reading

DEVICE = ["driver", "pool", "device"]


def unresolved_devices(reading: Reading) -> Outcome:
    """Granted DRA devices of GPUs of which neither a slice nor the kubelet says what they are."""
    claims, slices = reading.table(RAW_CLAIMS), reading.table(RAW_SLICES)
    granted = claims.filter(
        pl.col("kind") == "ResourceClaim", ~pl.col("adminAccess"), pl.col("driver").str.contains("gpu")
    )
    told = claims.filter(pl.col("kind") == "PodResources", pl.col("device").str.contains("GPU-|MIG-"))
    unresolved = (
        granted.join(slices, on=DEVICE, how="anti").join(told, on=["namespace", "podName"], how="anti").collect()
    )
    findings = unresolved.sort("namespace", "name", *DEVICE, "podName").select(
        key=pl.format("claim {}/{} of pod {}", "namespace", "name", "podName"),
        expected=pl.format("a ResourceSlice of {} with device {} in pool {}", "driver", "device", "pool"),
        observed=pl.lit("none landed for this day"),
    )
    return Outcome(findings, {"granted_devices": granted.collect().select(DEVICE).n_unique()})


CHECKS = (
    Check("raw_claims_resolved", RAW_CLAIMS,
          "Of every granted GPU device a ResourceSlice, or the kubelet, says which one it is.", unresolved_devices,
          stops="certificate"),
)  # fmt: skip
