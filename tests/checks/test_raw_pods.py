"""Checks of raw_pods: each passes on what clusters show, and fails on what it is there for."""

from pathlib import Path

import pytest

from chargeback.contracts.raw_pods import RAW_PODS
from tests.checks.kubernetes_judging import judged_rows
from tests.tables import a_table_of

COUNTED = '[{"name":"main","kind":"main","limits":{"nvidia.com/gpu":"2","cpu":"500m"},"requests":{},"claims":[]}]'
HALF = COUNTED.replace('"2"', '"500m"')


def test_raw_pods_readable_passes_for_whole_gpus_and_dated_ends(tmp_path: Path) -> None:
    pods = a_table_of(RAW_PODS, """
        uid  namespace  name   phase      scheduled          finished
        1    vision     train  Succeeded  2026-07-08T01:00Z  2026-07-08T13:00Z
        2    vision     serve  Running    2026-07-08T01:00Z  -
        3    vision     wait   Failed     -                  -
    """, containers=COUNTED)  # fmt: skip

    judgement = judged_rows("raw_pods_readable", tmp_path, {RAW_PODS: pods})

    assert judgement.is_pass
    assert judgement.evidence.metrics["pods"] == 3


def test_raw_pods_readable_fails_for_a_gpu_quantity_that_is_no_whole_number(tmp_path: Path) -> None:
    pods = a_table_of(RAW_PODS, """
        uid  namespace  name
        1    vision     train
    """, containers=HALF)  # fmt: skip

    judgement = judged_rows("raw_pods_readable", tmp_path, {RAW_PODS: pods})

    assert judgement.is_failure
    assert judgement.told == "vision/train container main | nvidia.com/gpu: a whole number | 500m"


@pytest.mark.parametrize("phase", ["Succeeded", "Failed"])
def test_raw_pods_readable_fails_for_a_pod_that_is_over_since_nobody_knows_when(tmp_path: Path, phase: str) -> None:
    pods = a_table_of(RAW_PODS, f"""
        uid  namespace  name   phase    scheduled
        1    vision     train  {phase}  2026-07-08T01:00Z
    """, containers=COUNTED)  # fmt: skip

    judgement = judged_rows("raw_pods_readable", tmp_path, {RAW_PODS: pods})

    assert judgement.is_failure
    assert f"vision/train | an instant at which it ended | {phase}, held until it was last seen" in judgement.told
