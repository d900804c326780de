"""Checks of raw_claims: each passes on what clusters show, and fails on what it is there for."""

from pathlib import Path

import polars as pl

from chargeback.contracts.raw_claims import RAW_CLAIMS
from chargeback.contracts.raw_slices import RAW_SLICES
from tests.checks.kubernetes_judging import judged_rows
from tests.tables import a_table_of

SLICES = a_table_of(RAW_SLICES, """
    driver          pool    device  type  uuid
    gpu.nvidia.com  node-1  gpu-0   gpu   GPU-44d2411e
""")  # fmt: skip


def claims(rows: str) -> pl.DataFrame:
    """Claims of driver and device by pod."""
    header = "kind  namespace  name  podName  driver  pool  device  adminAccess"
    return a_table_of(RAW_CLAIMS, f"{header}\n{rows}")


def test_raw_claims_resolved_passes_for_devices_that_slices_name_and_for_what_is_no_gpu(tmp_path: Path) -> None:
    rows = claims("""
        ResourceClaim  vision  c-1  train-0  gpu.nvidia.com  node-1  gpu-0  false
        ResourceClaim  vision  c-2  watch-0  gpu.nvidia.com  node-9  gpu-7  true
        ResourceClaim  vision  c-3  train-0  dra.net         node-1  nic-0  false
    """.strip())  # fmt: skip

    judgement = judged_rows("raw_claims_resolved", tmp_path, {RAW_CLAIMS: rows, RAW_SLICES: SLICES})

    assert judgement.is_pass
    assert judgement.evidence.metrics["granted_devices"] == 1


def test_raw_claims_resolved_passes_where_the_kubelet_says_which_device_a_pod_has(tmp_path: Path) -> None:
    rows = claims("""
        ResourceClaim  vision  c-1  train-0  gpu.nvidia.com  node-2  gpu-0             false
        PodResources   vision  ''   train-0  nvidia.com/gpu  ''      GPU-61a65011      false
    """.strip())  # fmt: skip

    assert judged_rows("raw_claims_resolved", tmp_path, {RAW_CLAIMS: rows, RAW_SLICES: SLICES}).is_pass


def test_raw_claims_resolved_fails_for_a_granted_device_that_no_slice_names(tmp_path: Path) -> None:
    rows = claims("ResourceClaim  vision  c-1  train-0  gpu.nvidia.com  node-2  gpu-0  false")

    judgement = judged_rows("raw_claims_resolved", tmp_path, {RAW_CLAIMS: rows, RAW_SLICES: SLICES})

    assert judgement.is_failure
    assert judgement.told == (
        "claim vision/c-1 of pod train-0 | a ResourceSlice of gpu.nvidia.com with device gpu-0 in pool node-2 "
        "| none landed for this day"
    )
