"""A full listing is complete or absent, of one state, and says in one line why it is refused."""

import gzip
import json
import tracemalloc
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from resources.kubernetes_access import KubernetesAccess
from resources.kubernetes_api import RESTARTS, KubernetesApi, KubernetesRefused, ListingForbidden
from resources.kubernetes_kinds import LISTED_KINDS, NODES, PODS, ListedKind
from resources.kubernetes_listing import Listing
from resources.setting_kinds import SettingsRefused
from tests.services.kubernetes_http import TOKEN, FakeCluster, served

KUEUE = next(kind for kind in LISTED_KINDS if kind.name == "workloads.kueue.x-k8s.io")
RAYJOBS = next(kind for kind in LISTED_KINDS if kind.name == "rayjobs.ray.io")


def pod(number: int, **spec: Any) -> dict[str, Any]:
    return {
        "metadata": {"name": f"p{number}", "namespace": "team-a", "uid": f"u{number}"},
        "spec": {"containers": [{"name": "c", **spec}]},
    }


@pytest.fixture
def cluster() -> FakeCluster:
    made = FakeCluster()
    made.serve("Pod", "/api/v1/pods", [pod(number) for number in range(60)])
    made.serve("Node", "/api/v1/nodes", [])
    return made


@pytest.fixture
def token_file(tmp_path: Path) -> Path:
    file = tmp_path / "token"
    file.write_text(f"{TOKEN}\n", encoding="utf-8")
    return file


@pytest.fixture
def api(cluster: FakeCluster, token_file: Path) -> Iterator[KubernetesApi]:
    with served(cluster) as server:
        client = KubernetesAccess(server=server, token_file=token_file).connected()
        yield KubernetesApi(client, page_objects=25, first_wait_seconds=0.001)


def document(listing: Listing) -> dict[str, Any]:
    read: dict[str, Any] = json.loads(gzip.decompress(listing.content))
    return read


def test_the_pages_of_a_list_are_one_list_in_the_order_of_the_api(api: KubernetesApi, cluster: FakeCluster) -> None:
    before = datetime.now(UTC)

    listing = api.full_listing(PODS, "v1")

    found = document(listing)
    assert (found["kind"], found["apiVersion"], found["metadata"]) == ("PodList", "v1", {"resourceVersion": "1000"})
    assert found["items"] == [pod(number) for number in range(60)]
    assert (listing.objects, listing.pages, listing.restarts) == (60, 3, 0)
    assert before <= listing.extracted_at <= datetime.now(UTC)


def test_an_empty_cluster_is_a_full_listing_of_nothing(api: KubernetesApi) -> None:
    listing = api.full_listing(NODES, "v1")

    assert document(listing) == {
        "apiVersion": "v1", "kind": "NodeList", "items": [], "metadata": {"resourceVersion": "1000"}
    }  # fmt: skip


def test_the_same_state_listed_twice_is_the_same_bytes(api: KubernetesApi) -> None:
    assert api.full_listing(PODS, "v1").content == api.full_listing(PODS, "v1").content


def test_expired_pages_start_the_listing_again_at_a_later_instant(api: KubernetesApi, cluster: FakeCluster) -> None:
    cluster.expiries["/api/v1/pods"] = 2

    listing = api.full_listing(PODS, "v1")

    found = document(listing)
    assert listing.restarts == 2
    assert found["metadata"] == {"resourceVersion": "1002"}
    assert [each["metadata"]["name"] for each in found["items"]] == [f"p{number}" for number in range(60)]


def test_pages_of_two_states_are_no_full_listing_and_start_it_again(api: KubernetesApi, cluster: FakeCluster) -> None:
    cluster.drifts["/api/v1/pods"] = 1

    assert api.full_listing(PODS, "v1").restarts == 1


def test_pages_that_expire_each_time_are_refused_and_not_kept_in_part(api: KubernetesApi, cluster: FakeCluster) -> None:
    cluster.expiries["/api/v1/pods"] = 1_000_000

    with pytest.raises(KubernetesRefused, match=f"pages of pods expired {RESTARTS + 1} times"):
        api.full_listing(PODS, "v1")


@pytest.mark.parametrize("fault", [500, 503, 504, 429, b'{"kind":"PodLi', b"<html>sorry</html>"])
def test_a_fault_of_the_server_is_asked_again(fault: int | bytes, api: KubernetesApi, cluster: FakeCluster) -> None:
    cluster.faults["/api/v1/pods"] = [fault, fault]

    listing = api.full_listing(PODS, "v1")

    assert (listing.objects, cluster.requests.count("/api/v1/pods")) == (60, 5)


def test_a_server_that_never_answers_is_refused_in_one_line(api: KubernetesApi, cluster: FakeCluster) -> None:
    cluster.faults["/api/v1/pods"] = [503] * 100

    with pytest.raises(KubernetesRefused, match=r"/api/v1/pods did not answer 6 times: not now$"):
        api.full_listing(PODS, "v1")


def test_a_port_where_nobody_listens_is_refused_in_one_line(token_file: Path) -> None:
    with served(FakeCluster()) as server:
        pass
    api = KubernetesApi(KubernetesAccess(server=server, token_file=token_file).connected(), first_wait_seconds=0.001)

    with pytest.raises(KubernetesRefused, match=r"did not answer 6 times: NewConnectionError$"):
        api.full_listing(PODS, "v1")


def test_what_may_not_be_listed_names_the_missing_rule(api: KubernetesApi, cluster: FakeCluster) -> None:
    cluster.forbidden.add("/api/v1/pods")

    with pytest.raises(ListingForbidden) as refused:
        api.full_listing(PODS, "v1")

    said = str(refused.value)
    assert said.startswith("may not list pods: add to the ClusterRole the rule ")
    assert 'apiGroups: [""], resources: ["pods"], verbs: ["list"]' in said
    assert "\n" not in said


def test_a_wrong_token_is_refused_and_appears_nowhere(cluster: FakeCluster, tmp_path: Path) -> None:
    wrong = tmp_path / "wrong"
    wrong.write_text("very-secret-token", encoding="utf-8")
    with served(cluster) as server:
        api = KubernetesApi(KubernetesAccess(server=server, token_file=wrong).connected())
        with pytest.raises(KubernetesRefused, match=r"does not accept the credentials \(401\)") as refused:
            api.full_listing(PODS, "v1")

    assert "very-secret-token" not in str(refused.value)
    assert len(cluster.requests) == 1


def test_a_token_that_is_renewed_while_listing_is_read_again(
    api: KubernetesApi, cluster: FakeCluster, token_file: Path
) -> None:
    token_file.write_text("of-yesterday", encoding="utf-8")
    with pytest.raises(KubernetesRefused):
        api.full_listing(PODS, "v1")

    token_file.write_text(TOKEN, encoding="utf-8")

    assert api.full_listing(PODS, "v1").objects == 60


def test_a_group_that_is_not_there_is_told_apart_from_one_that_is_forbidden(
    api: KubernetesApi, cluster: FakeCluster
) -> None:
    cluster.serve("Workload", "/apis/kueue.x-k8s.io/v1beta1/workloads", [])
    cluster.forbidden.add("/apis/kueue.x-k8s.io/v1beta1/workloads")

    assert api.version_of(RAYJOBS) is None
    assert api.version_of(KUEUE) == "v1beta1"
    with pytest.raises(ListingForbidden, match=r'apiGroups: \["kueue.x-k8s.io"\], resources: \["workloads"\]'):
        api.full_listing(KUEUE, "v1beta1")


def test_the_preferred_version_of_several_is_asked(api: KubernetesApi, cluster: FakeCluster) -> None:
    cluster.serve("Workload", "/apis/kueue.x-k8s.io/v1beta1/workloads", [])
    cluster.serve("Workload", "/apis/kueue.x-k8s.io/v1beta2/workloads", [])

    assert api.version_of(KUEUE) == "v1beta2"


def test_a_group_without_the_kind_is_as_good_as_none(api: KubernetesApi, cluster: FakeCluster) -> None:
    podgroups = ListedKind("kubernetes/workloads", "scheduling.k8s.io", ("v1",), "podgroups")
    cluster.serve("PriorityClass", "/apis/scheduling.k8s.io/v1/priorityclasses", [])

    assert api.version_of(podgroups) is None


def test_an_answer_that_is_no_list_is_refused(api: KubernetesApi, cluster: FakeCluster) -> None:
    cluster.faults["/api/v1/pods"] = [b'{"kind":"Table","rows":[]}']

    with pytest.raises(KubernetesRefused, match="answered with something that is no list"):
        api.full_listing(PODS, "v1")


def test_passwords_in_environments_and_bookkeeping_are_not_kept(api: KubernetesApi, cluster: FakeCluster) -> None:
    environment = [
        {"name": "PASSWORD", "value": "hunter2"},
        {"name": "NVIDIA_VISIBLE_DEVICES", "value": "all"},
        {"name": "HOST", "valueFrom": {"fieldRef": {"fieldPath": "spec.nodeName"}}},
    ]
    stated = pod(1, env=environment)
    stated["metadata"] |= {
        "managedFields": [{"manager": "kubectl"}],
        "annotations": {"kubectl.kubernetes.io/last-applied-configuration": "hunter2", "gpu-fraction": "0.5"},
    }
    cluster.serve("Pod", "/api/v1/pods", [stated])

    (kept,) = document(api.full_listing(PODS, "v1"))["items"]

    assert kept["metadata"] == {
        "name": "p1", "namespace": "team-a", "uid": "u1", "annotations": {"gpu-fraction": "0.5"}
    }  # fmt: skip
    assert kept["spec"]["containers"][0]["env"] == [{"name": "PASSWORD"}, *environment[1:]]


def test_a_large_listing_never_stands_in_memory_as_a_whole(api: KubernetesApi, cluster: FakeCluster) -> None:
    padding = "".join(f"{number:04d}" for number in range(500))
    cluster.serve("Pod", "/api/v1/pods", [pod(number, image=f"{number}{padding}") for number in range(4000)])
    api.full_listing(NODES, "v1")
    tracemalloc.start()
    try:
        listing = api.full_listing(PODS, "v1")
        _, peak_bytes = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    whole_bytes = len(gzip.decompress(listing.content))
    assert whole_bytes > 8_000_000
    assert peak_bytes < whole_bytes / 4


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"token_file": "token"}, "--token-file needs --server"),
        ({"server": "https://k8s"}, "--server needs --token-file"),
        ({"server": "http://k8s.example", "token_file": "token"}, "must begin with https://"),
        ({"server": "https://k8s", "token_file": "absent"}, "--token-file: no such file"),
        ({"server": "https://k8s", "token_file": "empty"}, "holds no token"),
        ({"server": "https://k8s", "token_file": "token", "context": "c"}, "leave --kubeconfig and --context out"),
        ({"kubeconfig": "absent"}, "--kubeconfig: no such file"),
        ({"kubeconfig": "token"}, "cannot be used"),
        ({"kubeconfig": "empty"}, "cannot be used"),
        ({"kubeconfig": "broken"}, "cannot be used"),
    ],
)
def test_a_contradiction_in_how_to_get_in_is_one_line(
    given: dict[str, Any], said: str, tmp_path: Path, token_file: Path
) -> None:
    (tmp_path / "empty").touch()
    (tmp_path / "broken").write_text("clusters: [\n - {", encoding="utf-8")
    stated = {
        name: tmp_path / value if name in ("token_file", "kubeconfig") else value for name, value in given.items()
    }

    with pytest.raises(SettingsRefused, match=said) as refused:
        KubernetesAccess(**stated).connected()

    assert "\n" not in str(refused.value)


def test_a_kubeconfig_gets_in_by_its_context(cluster: FakeCluster, tmp_path: Path) -> None:
    with served(cluster) as server:
        written = {
            "apiVersion": "v1", "kind": "Config", "current-context": "elsewhere",
            "clusters": [{"name": "k", "cluster": {"server": server}}],
            "users": [{"name": "robot", "user": {"token": TOKEN}}],
            "contexts": [{"name": "here", "context": {"cluster": "k", "user": "robot"}}],
        }  # fmt: skip
        file = tmp_path / "config"
        file.write_text(json.dumps(written), encoding="utf-8")

        api = KubernetesApi(KubernetesAccess(kubeconfig=file, context="here").connected())

        assert api.full_listing(PODS, "v1").objects == 60
