"""The same listing from a real kube-apiserver on a real etcd, with the rights that infra/extract gives, no others."""

import gzip
import json
import time
from datetime import UTC, datetime
from typing import Any
from urllib.error import HTTPError

import pytest
import yaml

from chargeback.usage.kubernetes_pods import parse_pods
from resources.kubernetes_access import KubernetesAccess
from resources.kubernetes_api import KubernetesApi, KubernetesRefused, ListingForbidden
from resources.kubernetes_kinds import LISTED_KINDS, NODES, PODS
from resources.kubernetes_listing import Listing
from tests.architecture.source_tree import ROOT
from tests.services.kube_apiserver import ADMIN, NOBODY, ROBOT, ApiServer, apiserver  # noqa: F401

MERGE = "application/merge-patch+json"
MANIFEST = ROOT / "infra" / "extract" / "kubernetes-extract.yaml"
KUEUE = next(kind for kind in LISTED_KINDS if kind.name == "workloads.kueue.x-k8s.io")
POD_SPEC = {
    "nodeName": "gpu-n1",
    "restartPolicy": "Never",
    "containers": [
        {"name": "c", "image": "x", "env": [{"name": "PASSWORD", "value": "hunter2"}],
         "resources": {"limits": {"nvidia.com/gpu": "1"}, "requests": {"cpu": "1"}}},
    ],
}  # fmt: skip
RUNNING = {
    "phase": "Running",
    "startTime": "2026-11-30T10:00:00Z",
    "conditions": [{"type": "PodScheduled", "status": "True", "lastTransitionTime": "2026-11-30T09:59:58Z"}],
}
FINISHED = {
    "phase": "Succeeded",
    "containerStatuses": [
        {"name": "c", "image": "x", "imageID": "y", "ready": False, "restartCount": 0, "state": {"terminated": {
            "exitCode": 0, "reason": "Completed", "startedAt": "2026-11-30T10:00:05Z",
            "finishedAt": "2026-11-30T11:00:00Z"}}},
    ],
}  # fmt: skip


@pytest.fixture(scope="module")
def estate(apiserver: ApiServer) -> ApiServer:  # noqa: F811
    """A node and 60 pods of two teams, and the rights of the manifest."""
    for namespace in ("team-a", "team-b", "chargeback"):
        apiserver.send("POST", "/api/v1/namespaces", {"metadata": {"name": namespace}})
    for document in yaml.safe_load_all(MANIFEST.read_text(encoding="utf-8")):
        if document["kind"] in ("ClusterRole", "ClusterRoleBinding"):
            plural = f"{document['kind'].lower()}s"
            apiserver.send("POST", f"/apis/rbac.authorization.k8s.io/v1/{plural}", document)
    apiserver.send("POST", "/api/v1/nodes", {"metadata": {"name": "gpu-n1"}})
    apiserver.send(
        "PATCH", "/api/v1/nodes/gpu-n1/status", {"status": {"capacity": {"nvidia.com/gpu": "8"}}}, kind=MERGE
    )
    for number in range(60):
        _create_pod(apiserver, number)
    _patch_status(apiserver, 0, RUNNING | FINISHED)
    _patch_status(apiserver, 2, RUNNING)
    return apiserver


@pytest.fixture
def api(estate: ApiServer) -> KubernetesApi:
    return _api(estate, ROBOT)


class CompactingApi(KubernetesApi):
    """The states of the store are compacted away after the first page, as many times as `times` says."""

    def __init__(self, estate: ApiServer, *, times: int) -> None:
        super().__init__(_access(estate, ROBOT).connected(), page_objects=25, first_wait_seconds=0.01)
        self.estate, self.times, self.pages = estate, times, 0

    def _page(self, *asked: Any) -> dict[str, Any]:
        page = super()._page(*asked)
        self.pages += 1
        if self.times:
            self.times -= 1
            self.estate.send("PATCH", "/api/v1/namespaces/team-a", {"metadata": {"labels": {"n": str(self.times)}}},
                             kind=MERGE)  # fmt: skip
            self.estate.compact()
        return page


def _access(estate: ApiServer, token: str) -> KubernetesAccess:
    return KubernetesAccess(server=estate.server, token_file=estate.token_file(token), ca_file=estate.ca_file)


def _api(estate: ApiServer, token: str) -> KubernetesApi:
    return KubernetesApi(_access(estate, token).connected(), page_objects=25, first_wait_seconds=0.01)


def _namespace(number: int) -> str:
    return f"team-{'ab'[number % 2]}"


def _create_pod(estate: ApiServer, number: int) -> None:
    body = {"metadata": {"name": f"p{number}", "labels": {"app": "t"}}, "spec": POD_SPEC}
    estate.send("POST", f"/api/v1/namespaces/{_namespace(number)}/pods", body)


def _patch_status(estate: ApiServer, number: int, status: dict[str, Any]) -> None:
    path = f"/api/v1/namespaces/{_namespace(number)}/pods/p{number}/status"
    estate.send("PATCH", path, {"status": status}, kind=MERGE)


def _once_it_is_served(estate: ApiServer, *asked: Any) -> None:
    deadline = time.monotonic() + 30
    while True:
        try:
            estate.send(*asked)
            return
        except HTTPError as refused:
            if refused.code != 404 or time.monotonic() > deadline:
                raise
            time.sleep(0.1)


def _items(listing: Listing) -> dict[str, dict[str, Any]]:
    document = json.loads(gzip.decompress(listing.content))
    assert document["kind"].endswith("List")
    assert document["metadata"]["resourceVersion"]
    return {item["metadata"]["name"]: item for item in document["items"]}


def test_sixty_pods_come_in_three_pages_with_their_statuses(api: KubernetesApi) -> None:
    listing = api.full_listing(PODS, "v1")

    items = _items(listing)
    assert (listing.pages, listing.restarts) == (3, 0)
    assert {f"p{number}" for number in range(60)} <= set(items)
    finished = items["p0"]["status"]
    assert finished["containerStatuses"][0]["state"]["terminated"]["finishedAt"] == "2026-11-30T11:00:00Z"
    assert finished["conditions"][0]["type"] == "PodScheduled"
    assert items["p2"]["status"]["phase"] == "Running"


def test_the_parser_reads_of_it_what_the_api_said_and_takes_it_for_a_full_listing(api: KubernetesApi) -> None:
    content = gzip.decompress(api.full_listing(PODS, "v1").content)

    parsed = parse_pods(content, cluster="k8s-b")

    assert (parsed.full_listings_of, parsed.quarantined) == (frozenset({"Pod"}), ())
    finished = parsed.frame.filter(namespace="team-a", name="p0").row(0, named=True)
    assert finished["scheduled"] == datetime(2026, 11, 30, 9, 59, 58, tzinfo=UTC)
    assert finished["finished"] == datetime(2026, 11, 30, 11, 0, tzinfo=UTC)
    assert json.loads(finished["containers"])[0]["limits"] == {"nvidia.com/gpu": "1"}


def test_nothing_that_is_secret_or_bookkeeping_is_kept(api: KubernetesApi) -> None:
    content = gzip.decompress(api.full_listing(PODS, "v1").content)

    assert b"hunter2" not in content
    assert b"managedFields" not in content


def test_a_pod_that_was_deleted_between_two_listings_is_missing_in_the_second(
    api: KubernetesApi, estate: ApiServer
) -> None:
    _create_pod(estate, 61)
    first = api.full_listing(PODS, "v1")
    estate.send("DELETE", "/api/v1/namespaces/team-b/pods/p61", {"gracePeriodSeconds": 0})

    second = api.full_listing(PODS, "v1")

    assert set(_items(first)) - set(_items(second)) == {"p61"}
    assert second.extracted_at > first.extracted_at


def test_a_listing_whose_pages_were_compacted_away_starts_again(estate: ApiServer) -> None:
    api = CompactingApi(estate, times=2)

    listing = api.full_listing(PODS, "v1")

    assert listing.restarts == 2
    assert len(_items(listing)) == listing.objects == 60


def test_a_listing_whose_pages_are_always_compacted_away_is_refused(estate: ApiServer) -> None:
    with pytest.raises(KubernetesRefused, match="pages of pods expired"):
        CompactingApi(estate, times=1000).full_listing(PODS, "v1")


def test_the_manifest_gives_the_right_to_list_every_kind_that_is_asked_for(estate: ApiServer) -> None:
    (role,) = [each for each in yaml.safe_load_all(MANIFEST.read_text(encoding="utf-8"))
               if each["kind"] == "ClusterRole"]  # fmt: skip

    permitted = {(group, plural) for rule in role["rules"] for group in rule["apiGroups"]
                 for plural in rule["resources"]}  # fmt: skip

    assert permitted == {(kind.group, kind.plural) for kind in LISTED_KINDS}
    assert {verb for rule in role["rules"] for verb in rule["verbs"]} == {"list"}


def test_groups_that_are_not_installed_are_absent_not_forbidden(api: KubernetesApi) -> None:
    served = {kind.name: api.version_of(kind) for kind in LISTED_KINDS}

    assert [served[name] for name in ("pods", "nodes", "replicasets.apps", "jobs.batch")] == ["v1"] * 4
    assert [served[name] for name in ("rayjobs.ray.io", "podgroups.scheduling.volcano.sh")] == [None, None]
    assert api.full_listing(NODES, "v1").objects == 1


def test_custom_resources_are_listed_once_their_definition_is_there(estate: ApiServer) -> None:
    schema = {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}}
    names = {"plural": "workloads", "singular": "workload", "kind": "Workload", "listKind": "WorkloadList"}
    versions = [{"name": "v1beta1", "served": True, "storage": True, "schema": schema}]
    estate.send("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", {
        "metadata": {"name": "workloads.kueue.x-k8s.io", "annotations": {"api-approved.kubernetes.io": "unapproved"}},
        "spec": {"group": "kueue.x-k8s.io", "scope": "Namespaced", "names": names, "versions": versions},
    })  # fmt: skip
    path = "/apis/kueue.x-k8s.io/v1beta1/namespaces/team-a/workloads"
    workload = {"apiVersion": "kueue.x-k8s.io/v1beta1", "kind": "Workload", "metadata": {"name": "w1"},
                "spec": {"queueName": "gpu"}}  # fmt: skip
    _once_it_is_served(estate, "POST", path, workload)
    api = _api(estate, ROBOT)

    assert api.version_of(KUEUE) == "v1beta1"
    assert _items(api.full_listing(KUEUE, "v1beta1"))["w1"]["spec"] == {"queueName": "gpu"}


def test_inside_a_pod_its_own_service_account_gets_in(estate: ApiServer, monkeypatch: pytest.MonkeyPatch) -> None:
    account = estate.folder / "account"
    account.mkdir()
    (account / "token").write_text(ROBOT, encoding="utf-8")  # a mounted token has no line end
    host, _, port = estate.server.removeprefix("https://").partition(":")
    monkeypatch.setenv("KUBERNETES_SERVICE_HOST", host)
    monkeypatch.setenv("KUBERNETES_SERVICE_PORT", port)
    monkeypatch.setattr("resources.kubernetes_access.SERVICE_ACCOUNT", account)
    monkeypatch.setattr("kubernetes.config.incluster_config.SERVICE_TOKEN_FILENAME", str(account / "token"))
    monkeypatch.setattr("kubernetes.config.incluster_config.SERVICE_CERT_FILENAME", str(estate.ca_file))

    api = KubernetesApi(KubernetesAccess().connected())

    assert (api.server, api.full_listing(NODES, "v1").objects) == (estate.server, 1)


def test_a_token_that_the_api_does_not_know_is_refused(estate: ApiServer) -> None:
    with pytest.raises(KubernetesRefused, match=r"does not accept the credentials \(401\)"):
        _api(estate, "made-up").full_listing(PODS, "v1")


def test_a_user_without_rights_is_told_the_missing_rule(estate: ApiServer) -> None:
    with pytest.raises(ListingForbidden, match=r'resources: \["pods"\], verbs: \["list"\].*User "nobody" cannot list'):
        _api(estate, NOBODY).full_listing(PODS, "v1")


def test_a_certificate_that_nobody_vouches_for_is_refused_at_once(estate: ApiServer) -> None:
    access = KubernetesAccess(server=estate.server, token_file=estate.token_file(ADMIN))

    with pytest.raises(KubernetesRefused, match=r"its certificate is not trusted, give --ca-file \(SSLError"):
        KubernetesApi(access.connected()).full_listing(PODS, "v1")
