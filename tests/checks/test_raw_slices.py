"""Checks of raw_slices: each passes on what clusters show, and fails on what it is there for."""

from pathlib import Path

from chargeback.contracts.raw_slices import RAW_SLICES
from tests.checks.kubernetes_judging import judged_rows
from tests.tables import a_table_of


def test_raw_slices_named_passes_for_named_gpus_and_slices_that_are_not_made_yet(tmp_path: Path) -> None:
    rows = a_table_of(RAW_SLICES, """
        driver          pool    device       type  uuid          parentUUID
        gpu.nvidia.com  node-1  gpu-0        gpu   GPU-44d2411e  -
        gpu.nvidia.com  node-1  gpu-0-mig-1  mig   -             GPU-44d2411e
    """)  # fmt: skip

    judgement = judged_rows("raw_slices_named", tmp_path, {RAW_SLICES: rows})

    assert judgement.is_pass
    assert judgement.evidence.metrics["gpu_devices"] == 1


def test_raw_slices_named_fails_for_a_gpu_without_a_uuid(tmp_path: Path) -> None:
    rows = a_table_of(RAW_SLICES, """
        driver          pool    device  type  uuid
        gpu.nvidia.com  node-1  gpu-0   gpu   -
    """)  # fmt: skip

    judgement = judged_rows("raw_slices_named", tmp_path, {RAW_SLICES: rows})

    assert judgement.is_failure
    assert judgement.told == "device gpu-0 of pool node-1 | an attribute uuid | none from driver gpu.nvidia.com"
