"""docs/systems.md names every system of the papers, says nothing untested, and points at tests that are there."""

import re

import pytest

from tests.architecture.source_tree import ROOT

PAGE = (ROOT / "docs" / "systems.md").read_text(encoding="utf-8")
ROWS = [[cell.strip() for cell in line.strip("|").split("|")] for line in PAGE.splitlines()
        if line.startswith("| ") and not line.startswith("| system")]  # fmt: skip
TEST = re.compile(r"`(tests/[^`]+)`")

NAMED_IN_THE_PAPERS = (
    "Slurm", "Kubernetes", "Kueue", "Volcano", "Coscheduling", "KAI Scheduler", "Run:ai", "Ray", "KubeRay",
    "Determined AI", "Borg", "Karpenter", "Cluster Autoscaler", "CAST AI", "ResourceQuota",
    "API Priority and Fairness", "KEP 4671", "backfill", "fair share", "GRES shards", "MPS", "MIG", "Time-slicing",
    "DRA", "HAMi", "DCGM", "dcgm-exporter", "GPU Operator", "device plugin", "Prometheus", "NCCL", "InfiniBand",
    "OpenTelemetry", "Identity system", "Finance system", "ERP", "Cloud bills", "egress", "Storage", "Notebooks",
    "Inference services", "etcd", "slurmrestd", "placement group", "OptOps",
)  # fmt: skip


def test_each_test_that_the_page_points_at_is_there() -> None:
    named = set(TEST.findall(PAGE))

    assert len(named) > 10
    assert sorted(path for path in named if not (ROOT / path).is_file()) == []


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0])
def test_each_system_says_what_is_read_and_what_shows_it(row: list[str]) -> None:
    _, read, _, shown = row

    assert read
    assert TEST.search(shown) or shown.startswith("none")


@pytest.mark.parametrize("system", NAMED_IN_THE_PAPERS)
def test_each_system_that_the_papers_name_has_a_row(system: str) -> None:
    assert [row[0] for row in ROWS if system.lower() in " ".join(row).lower()]
