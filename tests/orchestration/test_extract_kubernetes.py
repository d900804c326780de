"""`chargeback extract kubernetes`: what lands, what is said, and what is refused, as a person or a CronJob sees it."""

import json
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from orchestration.cli import app
from resources.landing import Landing
from resources.local_store import LocalStore
from resources.setting_kinds import SettingsRefused
from tests.services.kubernetes_http import TOKEN, FakeCluster, served
from tests.settings_texts import settings_text

Extract = Callable[..., Result]


@pytest.fixture
def cluster() -> FakeCluster:
    made = FakeCluster()
    pods = [{"metadata": {"name": f"p{number}", "uid": f"u{number}"}} for number in range(3)]
    made.serve("Pod", "/api/v1/pods", pods)
    made.serve("Node", "/api/v1/nodes", [{"metadata": {"name": "n1", "uid": "n1"}}])
    made.serve("Job", "/apis/batch/v1/jobs", [])
    made.serve("Workload", "/apis/kueue.x-k8s.io/v1beta1/workloads", [{"metadata": {"name": "w"}}])
    made.serve("ResourceClaim", "/apis/resource.k8s.io/v1/resourceclaims", [])
    return made


@pytest.fixture
def extract(cluster: FakeCluster, tmp_path: Path) -> Iterator[Extract]:
    config, token = tmp_path / "chargeback.toml", tmp_path / "token"
    config.write_text(settings_text(k8s_b="kubernetes", slurm_a="slurm"))
    token.write_text(TOKEN, encoding="utf-8")
    with served(cluster) as server:

        def run(name: str = "k8s-b", **options: str) -> Result:
            given = {"--server": server, "--token-file": str(token), "--config": str(config)} | options
            arguments = ["extract", "kubernetes", "--cluster", name, *(part for pair in given.items() for part in pair)]
            return CliRunner().invoke(app, arguments)

        yield run


def _landing(tmp_path: Path) -> Landing:
    return Landing(LocalStore(tmp_path / "lake"))


def test_each_kind_that_is_served_lands_as_one_object_and_the_others_are_named(
    extract: Extract, tmp_path: Path
) -> None:
    before = datetime.now(UTC).replace(microsecond=0)

    result = extract()

    assert result.exit_code == 0, result.output
    landing = _landing(tmp_path)
    landed = {source: landing.objects(f"kubernetes/{source}", "k8s-b")
              for source in ("pods", "nodes", "workloads", "claims")}  # fmt: skip
    kinds = {source: sorted(json.loads(landing.read(each))["kind"] for each in objects)
             for source, objects in landed.items()}  # fmt: skip
    assert kinds == {
        "pods": ["PodList"], "nodes": ["NodeList"], "workloads": ["JobList", "WorkloadList"],
        "claims": ["ResourceClaimList"],
    }  # fmt: skip
    (pods,) = landed["pods"]
    assert before <= pods.extracted_at <= datetime.now(UTC)
    assert f"kubernetes/pods: 3 pods v1 in 1 page, landed as {pods.key} (" in result.output
    assert "kubernetes/workloads: 1 workloads.kueue.x-k8s.io v1beta1" in result.output
    assert "kubernetes/workloads: rayjobs.ray.io are not served by this cluster" in result.output
    assert TOKEN not in result.output


def test_what_is_forbidden_is_named_with_its_rule_after_the_rest_has_landed(
    extract: Extract, cluster: FakeCluster, tmp_path: Path
) -> None:
    cluster.forbidden |= {"/api/v1/nodes", "/apis/batch/v1/jobs"}

    result = extract()

    assert isinstance(result.exception, SettingsRefused)
    said = str(result.exception)
    assert 'apiGroups: [""], resources: ["nodes"], verbs: ["list"]' in said
    assert 'apiGroups: ["batch"], resources: ["jobs"], verbs: ["list"]' in said
    assert "\n" not in said
    assert len(_landing(tmp_path).objects("kubernetes/pods", "k8s-b")) == 1
    assert len(_landing(tmp_path).objects("kubernetes/workloads", "k8s-b")) == 1
    assert _landing(tmp_path).objects("kubernetes/nodes", "k8s-b") == []


def test_a_wrong_token_lands_nothing(extract: Extract, tmp_path: Path) -> None:
    wrong = tmp_path / "wrong"
    wrong.write_text("someone-else", encoding="utf-8")

    result = extract(**{"--token-file": str(wrong)})

    assert "does not accept the credentials" in str(result.exception)
    assert "someone-else" not in result.output + str(result.exception)
    assert _landing(tmp_path).objects("kubernetes/pods", "k8s-b") == []


def test_a_cluster_of_another_scheduler_is_not_asked(extract: Extract, cluster: FakeCluster) -> None:
    result = extract("slurm-a")

    assert "cluster slurm-a has scheduler 'slurm'" in str(result.exception)
    assert cluster.requests == []


def test_a_cluster_that_nobody_set_up_is_not_asked(extract: Extract, cluster: FakeCluster) -> None:
    result = extract("k8s-z")

    assert "cluster 'k8s-z' is not in chargeback.toml" in str(result.exception)
    assert cluster.requests == []
