"""Definitions load from nothing: no environment, no file but chargeback.toml, no socket, no slow import."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from chargeback.contracts.registry import CONTRACTS

LOAD = """
import json, os, sys

seen = {"sockets": [], "written": []}

def watch(event, arguments):
    if event.startswith("socket.") and event != "socket.gethostname":
        seen["sockets"].append(event)
    if event == "open":
        path, mode, flags = arguments
        writes = flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT) if isinstance(flags, int) else 0
        if (writes or any(letter in (mode or "") for letter in "wax+")) and path != os.devnull:
            seen["written"].append(str(path))
    if event in ("os.mkdir", "os.rename", "os.remove", "shutil.copyfile"):
        seen["written"].append(f"{event} {arguments[0]}")

sys.addaudithook(watch)

import orchestration.definitions
definitions = orchestration.definitions.defs()
graph = definitions.resolve_asset_graph()

json.dump({
    **seen,
    "assets": len(graph.materializable_asset_keys),
    "checks": len(graph.asset_check_keys),
    "jobs": sorted(job.name for job in definitions.resolve_all_job_defs() if not job.name.startswith("__")),
    "modules": sorted({name.partition(".")[0] for name in sys.modules}),
    "environment": sorted(os.environ),
}, sys.stdout)
"""


@pytest.fixture(scope="module")
def loaded(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What happened while the definitions were loaded in an empty folder, in a process of their own."""
    folder = tmp_path_factory.mktemp("empty")
    outcome = subprocess.run(
        [sys.executable, "-B", "-c", LOAD],
        cwd=folder, env={"PATH": os.environ["PATH"]}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert outcome.returncode == 0, outcome.stderr
    return {**json.loads(outcome.stdout), "left_behind": sorted(str(path) for path in Path(folder).rglob("*"))}


def test_the_definitions_load_without_any_environment(loaded: dict[str, Any]) -> None:
    assert loaded["assets"] == len(CONTRACTS)
    assert loaded["checks"] > loaded["assets"]
    assert loaded["jobs"] == ["bill_cluster_day", "bill_month", "post_month"]


def test_loading_imports_no_cloud_no_cluster_and_no_judge(loaded: dict[str, Any]) -> None:
    assert {"great_expectations", "boto3", "kubernetes"} & set(loaded["modules"]) == set()


def test_loading_opens_no_socket(loaded: dict[str, Any]) -> None:
    assert loaded["sockets"] == []


def test_loading_writes_no_file(loaded: dict[str, Any]) -> None:
    assert loaded["written"] == []
    assert loaded["left_behind"] == []
