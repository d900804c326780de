"""Checks of raw_kubernetes_nodes: each passes on what clusters show, and fails on what it is there for."""

from pathlib import Path

import polars as pl
import pytest

from chargeback.contracts.raw_kubernetes_nodes import RAW_KUBERNETES_NODES
from tests.checks.kubernetes_judging import judged_rows
from tests.tables import a_table_of

A100 = '{"nvidia.com/gpu.product":"NVIDIA-A100-SXM4-80GB"}'


def nodes(*labels_and_capacity: tuple[str, str]) -> pl.DataFrame:
    """Nodes node-1, node-2, ... with labels and capacity."""
    rows = "\n".join(f"node-{number}  2026-07-08T00:00Z" for number, _ in enumerate(labels_and_capacity, start=1))
    labels, capacity = ([pair[at] for pair in labels_and_capacity] for at in (0, 1))
    table = a_table_of(RAW_KUBERNETES_NODES, f"name  statedFrom\n{rows}")
    return table.with_columns(labels=pl.Series(labels), capacity=pl.Series(capacity))


def test_raw_kubernetes_nodes_readable_passes_for_nodes_with_whole_gpus_and_a_product(tmp_path: Path) -> None:
    rows = nodes((A100, '{"nvidia.com/gpu":"4"}'), ("{}", '{"cpu":"64"}'), ("{}", '{"nvidia.com/gpu":"0"}'))

    judgement = judged_rows("raw_kubernetes_nodes_readable", tmp_path, {RAW_KUBERNETES_NODES: rows})

    assert judgement.is_pass
    assert judgement.evidence.metrics["nodes"] == 3


@pytest.mark.parametrize(
    ("labels", "capacity", "told"),
    [
        (A100, '{"nvidia.com/gpu":"four"}', "node node-1 | nvidia.com/gpu: a whole number | four"),
        ("{}", '{"nvidia.com/gpu":"4"}', "none; nvidia.com/gpu"),
        ("{}", '{"nvidia.com/mig-1g.5gb":"7"}', "none; nvidia.com/mig-1g.5gb"),
    ],
    ids=["no whole number", "no product", "slices of no product"],
)
def test_raw_kubernetes_nodes_readable_fails_for_gpus_that_cannot_be_counted_or_named(
    tmp_path: Path, labels: str, capacity: str, told: str
) -> None:
    rows = nodes((labels, capacity))

    judgement = judged_rows("raw_kubernetes_nodes_readable", tmp_path, {RAW_KUBERNETES_NODES: rows})

    assert judgement.is_failure
    assert told in judgement.told
