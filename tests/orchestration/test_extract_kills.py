"""Extractors killed on their way: what landed is whole, and giving the command again lands all of it, once."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from resources.landing import Landing
from resources.open_store import store_at
from resources.settings import load_settings
from tests.orchestration.killed_commands import CALM
from tests.services.kubernetes_http import TOKEN, FakeCluster, served
from tests.services.prometheus import History, prometheus_with
from tests.settings_texts import settings_text
from tests.small_lake import CHARGEBACK

ATTEMPTS = 10
HERE = Path(__file__).parents[2]


@pytest.fixture
def config(tmp_path: Path) -> Path:
    """Settings of the lake that is disturbed, beside those of the one that is not."""
    for name, root in (("chargeback.toml", "stormy"), (CALM, "calm")):
        (tmp_path / name).write_text(settings_text(tmp_path / root, k8s_b="kubernetes"))
    return tmp_path / "chargeback.toml"


def killed(config: Path, module: str, *command: str) -> int:
    """Kill the command over and over; how many of them really died."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.orchestration.killed_commands", module, str(ATTEMPTS),
         "extract", *command, "--config", str(config)],
        cwd=HERE, capture_output=True, text=True, check=True,
    )  # fmt: skip
    return int(done.stdout)


def again(config: Path, *command: str) -> None:
    """Give the command as a person does, to its end."""
    subprocess.run(
        [CHARGEBACK, "extract", *command, "--config", str(config)], cwd=HERE, capture_output=True, text=True, check=True
    )  # fmt: skip


def landed(config: Path, source: str) -> list[bytes]:
    """What stands in landing: read, and so proven by the sum in its name; none of it misnamed."""
    landing = Landing(store_at(load_settings(config).location))
    assert landing.misnamed() == []
    return sorted(landing.read(each) for each in landing.objects(source, "k8s-b"))


@pytest.mark.debian
def test_telemetry_whose_extractor_was_killed_again_and_again_lands_once(config: Path, tmp_path: Path) -> None:
    scrapes = {1_774_915_200.5 + number * 30: str(number % 2) for number in range(2_880)}  # 2026-03-31, UTC
    labels = {"UUID": "GPU-0", "Hostname": "gpu01", "gpu": "0", "job": "dcgm", "instance": "gpu01:9400"}
    metrics = (History(name, labels, scrapes) for name in ("DCGM_FI_PROF_SM_ACTIVE", "DCGM_FI_DEV_GPU_UTIL"))
    with prometheus_with(tmp_path / "prometheus", *metrics) as url:
        command = ("dcgm", "--cluster", "k8s-b", "--prometheus", url, "--day", "2026-03-31", "--hours", "1")
        died = killed(config, "orchestration.extract_dcgm", *command)
        again(config, *command)

    assert died > 0
    assert landed(config, "dcgm") == landed(config.with_name(CALM), "dcgm")
    assert len(landed(config, "dcgm")) == 48


def test_a_listing_whose_extractor_was_killed_lands_whole_or_not_at_all(config: Path, tmp_path: Path) -> None:
    cluster, token = FakeCluster(), tmp_path / "token"
    token.write_text(TOKEN)
    pods = [{"metadata": {"name": f"p{number}", "uid": f"u{number}"}} for number in range(2_000)]
    cluster.serve("Pod", "/api/v1/pods", pods)
    cluster.serve("Node", "/api/v1/nodes", [{"metadata": {"name": "n1", "uid": "n1"}}])
    with served(cluster) as server:
        command = ("kubernetes", "--cluster", "k8s-b", "--server", server, "--token-file", str(token))
        died = killed(config, "orchestration.extract_kubernetes,kubernetes.client", *command)
        again(config, *command)

    assert died > 0
    listings = [json.loads(content)["items"] for content in landed(config, "kubernetes/pods")]
    assert {len(items) for items in listings} == {len(pods)}
    assert landed(config, "kubernetes/nodes")
