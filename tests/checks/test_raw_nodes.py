"""Checks of raw_nodes: each passes on what was billed, and fails on what it is there for."""

import polars as pl

from chargeback.contracts.raw_nodes import RAW_NODES
from tests.checks.judging import change_first, judged
from tests.estates import Estate


def test_raw_nodes_readable_passes_for_nodes_with_whole_gpus_and_slices(billed_estate: Estate) -> None:
    judgement = judged("raw_nodes_readable", billed_estate)

    assert judgement.is_pass
    assert judgement.evidence.metrics["gpu_nodes"] == 4


def test_raw_nodes_readable_fails_for_a_gpu_whose_count_cannot_be_read(estate: Estate) -> None:
    change_first(estate, RAW_NODES, Gres=pl.lit("gpu:h100:eight"))

    judgement = judged("raw_nodes_readable", estate)

    assert judgement.is_failure
    assert "gpu01 | gpu:TYPE:COUNT" in judgement.told
