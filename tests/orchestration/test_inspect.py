"""`chargeback inspect` of every public file: what it is in one line, never a stack trace; for people and scripts."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from orchestration.cli import app
from tests.tables import SHARED, shared_file

PUBLIC_FILES = sorted(
    path
    for folder in ("data/k8s", "data/dcgm", "data/prometheus", "worked-day")
    for path in SHARED.joinpath(folder).rglob("*")
    if path.is_file()
)


def inspect(*arguments: object) -> Result:
    return CliRunner().invoke(app, ["inspect", *map(str, arguments)])


@pytest.mark.parametrize("path", PUBLIC_FILES, ids=lambda path: "/".join(path.parts[-2:]))
def test_every_public_file_is_inspected_and_every_record_accounted_for(path: Path) -> None:
    for_people, for_scripts = inspect(path), inspect(path, "--json")

    found = json.loads(for_scripts.stdout)
    assert for_people.exit_code == for_scripts.exit_code == (2 if found["problem"] else 0)
    assert for_people.output.startswith(f"{path.name}: {found['source']}, {found['records']:,} records")
    assert found["records"] == (
        sum(found["ignored"].values()) + len(found["quarantined"]) + len(found["unknown_gpu_count"]) + found["holds"]
    )


def test_pods_are_shown_by_namespace_and_accelerator() -> None:
    nodes = shared_file("worked-day", "nodes.json")

    shown = inspect(
        shared_file("worked-day", "pods.json"), "--cluster", "k8s-b", "--nodes", nodes, "--extracted-at",
        "2026-07-09T00:00:00Z",
    ).output  # fmt: skip

    assert "4 hold GPUs: 64.00 GPU-hours (230400 GPU-seconds)" in shown
    assert "1 ignored: never scheduled" in shown
    assert "by namespace" in shown
    assert "job serving/serve-7c9: 93,600 s so far" in shown


def test_telemetry_is_shown_by_what_it_covers_and_what_is_not_believed() -> None:
    shown = inspect(shared_file("worked-day", "sm_active.json")).output

    assert "4 devices (0 of them slices) on 1 hosts, 5,699 samples" in shown
    assert "from 2026-07-07T23:59:15Z to 2026-07-08T23:59:18Z, one every 60 s" in shown
    assert "94.98 device-hours observed of 96.00" in shown
    assert "4 devices: activity from DCGM_FI_PROF_SM_ACTIVE" in shown
    assert "5 values that mean `no value`: missing" in shown
    assert "hold GPUs" not in shown
