"""Pods as the API shows them: what is asked, when they lived, how they ended; every record used, ignored or told."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from chargeback.contracts.raw_pods import RAW_PODS
from chargeback.usage.extract import ParsedExtract
from chargeback.usage.kubernetes_claims import parse_claims
from chargeback.usage.kubernetes_nodes import parse_kubernetes_nodes
from chargeback.usage.kubernetes_pods import OF_THE_DAY, POD_COLUMNS, parse_pods
from tests.chargeback.usage.landed_kubernetes import at, kubectl_list, pod, pod_list, time
from tests.tables import CASES, instant, shared_file


def parse(*pods: Any) -> ParsedExtract:
    return parse_pods(pod_list(*pods), cluster="k8s-b")


def the_row(body: dict[str, Any]) -> dict[str, Any]:
    """The only row that is parsed."""
    parsed = parse(body)
    assert parsed.quarantined == ()
    return parsed.frame.row(0, named=True)


def the_reason(body: dict[str, Any]) -> str:
    """Why the only pod is quarantined."""
    (record,) = parse(body).quarantined
    return record.reason


def with_status(body: dict[str, Any], **status: Any) -> dict[str, Any]:
    return body | {"status": body["status"] | status}


def with_spec(body: dict[str, Any], **spec: Any) -> dict[str, Any]:
    return body | {"spec": body["spec"] | spec}


def ended(name: str, finished: str, *, code: int = 0, reason: str | None = None) -> dict[str, Any]:
    """Status of a container that ended for good."""
    state = {"exitCode": code, "startedAt": time("09:05"), "finishedAt": time(finished)}
    return {"name": name, "state": {"terminated": state | ({"reason": reason} if reason else {})}}


def running(name: str) -> dict[str, Any]:
    return {"name": name, "state": {"running": {"startedAt": time("09:05")}}}


def waiting(name: str, reason: str = "PodInitializing") -> dict[str, Any]:
    return {"name": name, "state": {"waiting": {"reason": reason}}}


def containers(*names: str) -> list[dict[str, Any]]:
    return [{"name": name} for name in names]


def test_the_frame_has_the_source_columns_of_the_contract_with_its_types() -> None:
    source = {name: dtype for name, dtype in RAW_PODS.schema.items() if name not in OF_THE_DAY}

    assert {**parse(pod()).frame.schema}.items() >= source.items()
    assert dict(parse().frame.schema) == dict(parse(pod()).frame.schema) == POD_COLUMNS


def test_identity_owner_and_labels_are_read_and_what_repeats_the_object_is_left_out() -> None:
    owners = [{"kind": "Cache", "name": "c", "uid": "o-0"},
              {"kind": "Job", "name": "train", "uid": "o-1", "controller": True}]  # fmt: skip
    labels = {"team": "vision", "app": "train"}
    annotations = {"gpu-fraction": "0.5", "kubectl.kubernetes.io/last-applied-configuration": "{}"}

    row = the_row(pod(labels=labels, annotations=annotations, ownerReferences=owners))

    assert (row["uid"], row["namespace"], row["name"], row["nodeName"]) == ("u-1", "vision", "pod-u-1", "node-1")
    assert (row["labels"], row["annotations"]) == ('{"app":"train","team":"vision"}', '{"gpu-fraction":"0.5"}')
    assert (row["ownerKind"], row["ownerName"], row["ownerUid"]) == ("Job", "train", "o-1")


def test_an_owner_that_does_not_control_is_none() -> None:
    assert the_row(pod(ownerReferences=[{"kind": "Cache", "name": "c", "uid": "o-0"}]))["ownerKind"] is None


def test_containers_are_kept_in_order_with_kind_quantities_as_text_and_claims() -> None:
    main = {"name": "main", "resources": {"limits": {"nvidia.com/gpu": 2, "cpu": "500m"}, "requests": {"cpu": 1},
                                          "claims": [{"name": "gpu"}, {"name": "nic", "request": "fast"}]}}  # fmt: skip
    inits = [{"name": "load", "resources": {"limits": {"nvidia.com/gpu": "4"}}},
             {"name": "proxy", "restartPolicy": "Always"}]  # fmt: skip

    row = the_row(with_spec(pod(), containers=[main], initContainers=inits))

    assert json.loads(row["containers"]) == [
        {"name": "main", "kind": "main", "limits": {"nvidia.com/gpu": "2", "cpu": "500m"}, "requests": {"cpu": "1"},
         "claims": [{"name": "gpu", "request": None}, {"name": "nic", "request": "fast"}]},
        {"name": "load", "kind": "init", "limits": {"nvidia.com/gpu": "4"}, "requests": {}, "claims": []},
        {"name": "proxy", "kind": "sidecar", "limits": {}, "requests": {}, "claims": []},
    ]  # fmt: skip


def test_claims_are_found_by_name_from_a_template_and_for_extended_resources() -> None:
    spec = [{"name": "shared", "resourceClaimName": "team-gpu"}, {"name": "own", "resourceClaimTemplateName": "gpu"}]
    status = {"resourceClaimStatuses": [{"name": "own", "resourceClaimName": "pod-own-x7"}],
              "extendedResourceClaimStatus": {"resourceClaimName": "pod-extended-z9"}}  # fmt: skip

    row = the_row(with_status(with_spec(pod(), resourceClaims=spec), **status))

    assert json.loads(row["resourceClaims"]) == {"shared": "team-gpu", "own": "pod-own-x7", "": "pod-extended-z9"}


def test_a_terminal_needs_standard_input_too() -> None:
    shell = [{"name": "main", "tty": True, "stdin": True}]

    assert the_row(with_spec(pod(), containers=shell))["tty"] is True
    assert the_row(with_spec(pod(), containers=[{"name": "main", "tty": True}]))["tty"] is False


def test_what_the_spec_says_of_scheduling_is_kept() -> None:
    spec = {"serviceAccountName": "trainer", "schedulerName": "kai-scheduler", "priorityClassName": "low",
            "restartPolicy": "Never", "activeDeadlineSeconds": 3600,
            "schedulingGroup": {"podGroupName": "gang-1"}}  # fmt: skip

    row = the_row(with_spec(pod(), **spec))

    kept = {name: row[name] for name in spec if name != "schedulingGroup"} | {"schedulingGroup": row["schedulingGroup"]}
    assert kept == spec | {"schedulingGroup": "gang-1"}


@pytest.mark.parametrize(
    ("conditions", "node", "start", "scheduled"),
    [
        ([{"type": "PodScheduled", "status": "True", "lastTransitionTime": time("09:02")}], "n", "09:03", "09:02"),
        ([], "n", "09:03", "09:03"),
        ([], "n", None, "09:00"),
        ([{"type": "PodScheduled", "status": "True", "lastTransitionTime": None}], "n", "09:03", "09:03"),
        ([], None, None, None),
        ([{"type": "PodScheduled", "status": "False", "lastTransitionTime": time("09:02")}], None, None, None),
    ],
    ids=["condition", "start of a static pod", "creation", "condition without a time", "unsaid", "not yet"],
)
def test_a_pod_is_bound_when_the_condition_says_so_else_when_its_host_started_it(
    conditions: list[Any], node: str | None, start: str | None, scheduled: str | None
) -> None:
    body = with_spec(with_status(pod(), conditions=conditions, startTime=start and time(start)), nodeName=node)

    assert the_row(body)["scheduled"] == (scheduled and at(scheduled))


def test_started_is_when_the_first_main_container_did_as_far_as_a_restart_lets_it_be_seen() -> None:
    states = [
        {"name": "a", "state": {"running": {"startedAt": time("12:00")}},
         "lastState": {"terminated": {"exitCode": 1, "startedAt": time("10:00"), "finishedAt": time("11:00")}}},
        {"name": "b", "state": {"running": {"startedAt": time("10:30")}}},
    ]  # fmt: skip
    spec = with_spec(pod(), containers=containers("a", "b"))

    assert the_row(with_status(spec, phase="Running", containerStatuses=states))["containersStarted"] == at("10:00")


def test_ready_is_the_last_time_that_it_became_so_and_null_while_it_is_not() -> None:
    bound, ready = (
        pod()["status"]["conditions"][0],
        {"type": "Ready", "status": "True", "lastTransitionTime": time("09:10")},
    )

    assert the_row(with_status(pod(), conditions=[bound, ready]))["ready"] == at("09:10")
    assert the_row(with_status(pod(), conditions=[bound, ready | {"status": "False"}]))["ready"] is None


@pytest.mark.parametrize(
    ("phase", "mains", "inits", "finished", "reason"),
    [
        ("Succeeded", [ended("a", "10:00"), ended("b", "11:00")], [], "11:00", "Completed"),
        ("Failed", [ended("a", "10:00", code=137, reason="OOMKilled"), ended("b", "11:00", code=1)], [], "11:00",
         "OOMKilled"),
        ("Failed", [ended("a", "10:00"), ended("b", "09:30", code=1)], [], "10:00", "Error"),
        ("Succeeded", [ended("a", "10:00"), ended("b", "11:00")], [ended("proxy", "11:05", code=137)], "11:05",
         "Completed"),
        ("Failed", [waiting("a"), waiting("b")], [ended("load", "09:20", code=2)], "09:20", "Error"),
        ("Failed", [], [ended("load", "09:20", code=2)], "09:20", "Error"),
        ("Running", [ended("a", "10:00"), running("b")], [], None, None),
        ("Running", [ended("a", "10:00"), ended("b", "11:00")], [], None, None),
        ("Succeeded", [ended("a", "10:00"), running("b")], [], None, None),
        ("Failed", [ended("a", "10:00"), waiting("b")], [], None, None),
        ("Failed", [ended("a", "10:00")], [], None, None),
        ("Pending", [waiting("a", "ImagePullBackOff"), waiting("b")], [], None, None),
    ],
    ids=["both completed", "one was out of memory first", "one failed", "sidecar last", "init failed", "no main shown",
         "one runs", "both restart", "a status behind", "a main never began", "a main unsaid", "pulls"],
)  # fmt: skip
def test_a_pod_finished_when_the_last_container_did_for_good(
    phase: str, mains: list[Any], inits: list[Any], finished: str | None, reason: str | None
) -> None:
    init_names = [each["name"] for each in inits]
    spec = {"containers": containers("a", "b"), "initContainers": [
        {"name": name, **({"restartPolicy": "Always"} if name == "proxy" else {})} for name in init_names]}  # fmt: skip
    body = with_status(with_spec(pod(), **spec), phase=phase, containerStatuses=mains, initContainerStatuses=inits)

    row = the_row(body)

    assert (row["finished"], row["exitReason"]) == (finished and at(finished), reason)
    assert row["overlaps_until"] == row["finished"]


def test_a_container_whose_end_the_kubelet_lost_dates_no_end() -> None:
    terminated = {"exitCode": 137, "reason": "ContainerStatusUnknown", "finishedAt": "0001-01-01T00:00:00Z"}
    lost = {"name": "main", "state": {"terminated": terminated}}

    assert the_row(with_status(pod(), phase="Failed", containerStatuses=[lost]))["finished"] is None


@pytest.mark.parametrize("reason", ["UnexpectedAdmissionError", "OutOfnvidia.com/gpu", "NodeAffinity"])
def test_a_pod_that_its_host_refused_was_over_when_it_was(reason: str) -> None:
    body = with_status(pod(), phase="Failed", reason=reason, startTime=time("09:01"), containerStatuses=None)

    row = the_row(body)

    assert (row["finished"], row["exitReason"], row["containersStarted"]) == (at("09:01"), reason, None)


def test_k02_an_eviction_ends_when_the_condition_says_so() -> None:
    row = parse_pods((CASES / "K02" / "pod.json").read_bytes(), cluster="k8s-b").frame.row(0, named=True)

    evicted = instant("2026-07-03T10:20Z")
    assert (row["disrupted"], row["disruptionReason"]) == (evicted, "TerminationByKubelet")
    assert (row["overlaps_from"], row["overlaps_until"]) == (instant("2026-07-03T09:59Z"), evicted)


@pytest.mark.parametrize(
    ("status", "metadata", "disrupted"),
    [
        ({"containerStatuses": [ended("main", "10:20", code=137)]}, {}, "10:20"),
        ({"containerStatuses": None}, {"managedFields": [{"subresource": "status", "time": time("10:21")},
                                                         {"time": time("12:00")}]}, "10:21"),
        ({"containerStatuses": None}, {}, None),
    ],
    ids=["last container", "last change of the status", "unknown"],
)  # fmt: skip
def test_an_eviction_without_the_condition_is_dated_by_what_is_left(
    status: dict[str, Any], metadata: dict[str, Any], disrupted: str | None
) -> None:
    row = the_row(with_status(pod(**metadata), phase="Failed", reason="Evicted", **status))

    assert row["disrupted"] == (disrupted and at(disrupted))


def test_k01_a_pod_that_only_waits_for_its_image_has_no_end_of_its_own() -> None:
    row = parse_pods((CASES / "K01" / "pod.json").read_bytes(), cluster="k8s-b").frame.row(0, named=True)

    assert (row["scheduled"], row["deletionTimestamp"]) == (instant("2026-07-03T09:02Z"), instant("2026-07-03T11:02Z"))
    assert (row["containersStarted"], row["finished"], row["overlaps_until"]) == (None, None, None)


@pytest.mark.parametrize("text", ["2026-07-08T11:00:00.999999+02:00", "2026-07-08T09:00:00.123456789Z"])
def test_instants_are_utc_in_whole_seconds(text: str) -> None:
    assert the_row(pod(creationTimestamp=text))["creationTimestamp"] == at("09:00")


@pytest.mark.parametrize(
    ("damaged", "reason"),
    [
        (pod(uid=""), "uid is missing"),
        (pod(namespace=None), "namespace is missing"),
        (pod(creationTimestamp="yesterday"), "creationTimestamp is 'yesterday', not a time like 2026-07-08T01:00:00Z"),
        (pod(creationTimestamp="2026-07-08T09:00:00"), "a time without an offset from UTC"),
        (pod(creationTimestamp=17), "creationTimestamp is 17, not a time"),
        (pod(labels=["a"]), "labels is a list, not an object"),
        (pod(labels={"a": {}}), "labels holds a dict, not a text"),
        (with_spec(pod(), containers=[]), "has no containers"),
        (with_spec(pod(), containers=[{"resources": {}}]), "name is missing"),
        (with_spec(pod(), containers=[{"name": "a", "resources": {"limits": {"nvidia.com/gpu": [2]}}}]),
         "limits holds a list, not a text"),
        (with_spec(pod(), activeDeadlineSeconds=-1), "activeDeadlineSeconds is -1, not a whole number"),
        (with_status(pod(), conditions={"PodScheduled": True}), "conditions is a dict, not a list of objects"),
        (with_status(pod(), containerStatuses=[{"name": "main", "state": {"terminated": {"exitCode": "0"}}}]),
         "exitCode is '0', not a whole number"),
        (pod() | {"spec": None}, "has no containers"),
        (pod() | {"metadata": []}, "metadata is a list, not an object"),
        (with_status(pod(creationTimestamp=None), conditions=[]) | {"spec": {"containers": containers("a")}},
         "says neither when it was created nor when it was scheduled"),
    ],
)  # fmt: skip
def test_a_damaged_pod_is_quarantined_with_its_number_name_and_reason(damaged: dict[str, Any], reason: str) -> None:
    parsed = parse(pod("good"), damaged)

    (record,) = parsed.quarantined
    assert reason in record.reason
    assert record.reason.startswith("Pod ")
    assert (record.line, record.excerpt, record.instant) == (2, json.dumps(damaged, separators=(",", ":"))[:200], None)
    assert (parsed.records, len(parsed.frame), parsed.full_listings_of) == (2, 1, frozenset())


def test_a_damaged_pod_that_is_over_stands_in_quarantine_on_the_day_that_it_speaks_of() -> None:
    (record,) = parse(pod(phase="Failed", labels=[])).quarantined

    assert record.instant == at("09:00")


def test_a_manifest_and_objects_of_other_kinds_are_ignored_with_the_reason() -> None:
    manifest = {"kind": "Pod", "metadata": {"name": "new"}, "spec": {"containers": containers("a")}}

    parsed = parse_pods(kubectl_list(manifest, {"kind": "Service", "metadata": {"name": "s"}}), cluster="k8s-b")

    assert (parsed.records, parsed.steps_ignored, parsed.quarantined) == (2, 2, ())
    assert dict(parsed.ignored_reasons) == {
        "manifest of a pod that was never created: neither uid nor status": 1,
        "Service: no pod": 1,
    }


@pytest.mark.parametrize(
    ("place", "parser", "counts"),
    [
        ("data/k8s/alibaba_openb_gpu_nodes_head400.yaml", parse_kubernetes_nodes, (16, 0, 0)),
        ("data/k8s/gpu_node_labels.json", parse_kubernetes_nodes, (1, 0, 0)),
        ("data/k8s/gpu_node_labels_mig_single.json", parse_kubernetes_nodes, (0, 0, 1)),
        ("data/k8s/dra_resourceclaim_allocated.yaml", parse_claims, (1, 0, 0)),
        ("data/k8s/dra_resourceslice.yaml", parse_claims, (1, 0, 0)),
        ("data/k8s/ceems/nvidia-pod-resources.json", parse_claims, (20, 0, 0)),
        ("data/k8s/ceems/amd-pod-resources.json", parse_claims, (10, 0, 0)),
        ("data/k8s/ceems/pods-metadata.json", parse_pods, (4, 0, 0)),
        ("data/k8s/hami_memory_fraction_pod.yaml", parse_pods, (0, 1, 0)),
        ("data/k8s/kai_gpu_fraction_pod.yaml", parse_pods, (0, 1, 0)),
        ("worked-day/pods.json", parse_pods, (5, 0, 0)),
        ("worked-day/nodes.json", parse_kubernetes_nodes, (1, 0, 0)),
    ],
)
def test_every_public_file_loads_with_each_record_used_ignored_or_quarantined(
    place: str, parser: Callable[..., ParsedExtract], counts: tuple[int, int, int]
) -> None:
    parsed = parser(shared_file(*place.split("/")).read_bytes(), cluster="k8s-b")

    assert (len(parsed.frame), parsed.steps_ignored, len(parsed.quarantined)) == counts
    assert parsed.records == sum(counts)
    assert sum(parsed.ignored_reasons.values()) == parsed.steps_ignored


def test_the_public_pods_say_what_they_ask_and_since_when() -> None:
    content = shared_file("data", "k8s", "ceems", "pods-metadata.json").read_bytes()

    rows = parse_pods(content, cluster="k8s-b").frame

    assert rows.select("name", "phase", "scheduled", "deletionTimestamp").rows() == [
        ("pod11", "Running", instant("2025-07-07T08:56:58Z"), None),
        ("pod21", "Running", instant("2025-07-07T09:56:58Z"), None),
        ("pod22", "Succeeded", instant("2025-07-07T09:26:58Z"), instant("2025-07-07T10:10:58Z")),
        ("pod31", "Pending", None, None),
    ]
    limits = [[each["limits"].get("nvidia.com/gpu") for each in json.loads(text)] for text in rows["containers"]]
    assert limits == [["2", None], [None, None], [None, None], ["1", None]]


def test_ten_thousand_pods_are_ten_thousand_rows() -> None:
    parsed = parse(*(pod(f"u-{number}") for number in range(10_000)))

    assert (parsed.records, parsed.frame["uid"].n_unique(), parsed.frame["line"].max()) == (10_000, 10_000, 10_000)
