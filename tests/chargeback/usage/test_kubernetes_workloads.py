"""Workload objects of every kind that is named, and what stands of them on a day."""

import json
from functools import partial
from typing import Any

import pytest

from chargeback.contracts.raw_workloads import RAW_WORKLOADS
from chargeback.usage.kubernetes_workloads import parse_workloads
from chargeback.usage.workload_observations import raw_workloads_of_day
from tests.chargeback.usage.landed_kubernetes import (
    NEXT_DAY,
    api_list,
    at,
    events,
    kubectl_list,
    pod,
    rows_of_day,
    time,
)

workloads_of_day = partial(rows_of_day, parse=parse_workloads, fold=raw_workloads_of_day)

KUEUE = "kueue.x-k8s.io/v1beta1"


def an_object(
    kind: str, api_version: str, *, uid: str = "w-1", created: str = "08:00", spec: Any = None, status: Any = None,
    **metadata: Any,
) -> dict[str, Any]:  # fmt: skip
    """A workload object."""
    named = {"name": "train", "namespace": "vision", "uid": uid, "creationTimestamp": time(created)}
    return {
        "apiVersion": api_version, "kind": kind, "metadata": named | metadata, "spec": spec or {},
        "status": status or {},
    }  # fmt: skip


def since(kind: str, instant: str, status: str = "True") -> dict[str, str]:
    """A condition."""
    return {"type": kind, "status": status, "lastTransitionTime": time(instant)}


def kueue(
    *pod_sets: tuple[int, dict[str, Any]], conditions: list[dict[str, str]] | None = None, version: str = KUEUE
) -> dict[str, Any]:
    """A Kueue Workload that admitted pod sets of (count, resourceUsage)."""
    assignments = [{"name": f"set{n}", "count": count, "resourceUsage": usage}
                   for n, (count, usage) in enumerate(pod_sets)]  # fmt: skip
    status = {
        "conditions": conditions if conditions is not None else [since("QuotaReserved", "08:10")],
        "admission": {"clusterQueue": "gpus", "podSetAssignments": assignments},
    }
    spec = {"queueName": "team-a", "priorityClassName": "high",
            "podSets": [{"name": "main", "count": 3, "minCount": 2}, {"name": "head", "count": 1}]}  # fmt: skip
    job = {"kind": "Job", "name": "train", "uid": "j-1", "controller": True}
    return an_object("Workload", version, spec=spec, status=status, ownerReferences=[job])


def the_row(*objects: dict[str, Any]) -> dict[str, Any]:
    """The only row that is parsed."""
    return parse_workloads(kubectl_list(*objects), cluster="k8s-b").frame.row(0, named=True)


def keeps(row: dict[str, Any], *columns: str) -> tuple[Any, ...]:
    return tuple(row[column] for column in columns)


def test_a_kueue_workload_says_queue_quota_minimum_and_whose_it_is() -> None:
    row = the_row(kueue((3, {"nvidia.com/gpu": "24", "cpu": "96"}), (1, {"cpu": "4"})))

    assert keeps(row, "queueName", "clusterQueue", "priorityClassName", "minimum") == ("team-a", "gpus", "high", 3)
    assert keeps(row, "admitted", "quotaGpus", "quotaPods", "ended") == (at("08:10"), 24, 4, None)
    assert keeps(row, "ownerKind", "ownerName", "ownerUid") == ("Job", "train", "j-1")


def test_both_versions_of_a_kueue_workload_say_the_same() -> None:
    newer = kueue((3, {"nvidia.com/gpu": 24}), version="kueue.x-k8s.io/v1beta2")
    newer["spec"]["priorityClassRef"] = {"kind": "PriorityClass", "name": newer["spec"].pop("priorityClassName")}

    older, new = the_row(kueue((3, {"nvidia.com/gpu": "24"}))), the_row(newer)

    assert {name for name in older if older[name] != new[name]} == {"apiVersion"}


def test_slices_count_one_each_and_other_resources_nothing() -> None:
    usage = {"nvidia.com/mig-1g.10gb": "2", "amd.com/gpu": "1", "nvidia.com/gpumem": "3000", "cpu": "8"}

    assert the_row(kueue((1, usage)))["quotaGpus"] == 3


def test_k16_a_workload_that_was_admitted_with_no_pods_has_a_quota_of_none() -> None:
    row = the_row(kueue((0, {"nvidia.com/gpu": "8"})))

    assert keeps(row, "quotaGpus", "quotaPods") == (0, 0)


def test_k15_a_quota_is_that_of_the_workload_whatever_its_pods_do() -> None:
    held = workloads_of_day(
        [("+1 00:10", api_list("Workload", kueue((1, {"nvidia.com/gpu": "8"})), api_version=KUEUE))]
    )

    assert held.select("admitted", "quotaGpus").rows() == [(at("08:10"), 8)]


def test_a_quota_that_was_taken_back_is_none() -> None:
    row = the_row(kueue((1, {"nvidia.com/gpu": "8"}), conditions=[since("QuotaReserved", "09:00", "False")]))

    assert keeps(row, "admitted", "clusterQueue", "quotaGpus", "quotaPods") == (None, None, None, None)


def test_a_quota_in_a_quantity_that_is_no_number_is_quarantined() -> None:
    parsed = parse_workloads(kubectl_list(kueue((1, {"nvidia.com/gpu": "many"}))), cluster="k8s-b")

    assert [record.reason for record in parsed.quarantined] == [
        "Workload vision/train: resourceUsage of nvidia.com/gpu is 'many', not a whole number"
    ]


@pytest.mark.parametrize(
    ("kind", "api_version", "status"),
    [
        ("Workload", KUEUE, {"conditions": [since("QuotaReserved", "08:10"), since("Finished", "10:00")]}),
        ("Job", "batch/v1", {"completionTime": time("10:00"), "conditions": [since("Complete", "10:00:01")]}),
        ("Job", "batch/v1", {"conditions": [since("FailureTarget", "09:59"), since("Failed", "10:00")]}),
        ("JobSet", "jobset.x-k8s.io/v1alpha2", {"conditions": [since("Completed", "10:00")]}),
        ("PyTorchJob", "kubeflow.org/v1", {"conditions": [since("Running", "09:00"), since("Succeeded", "10:00")]}),
        ("RayJob", "ray.io/v1", {"jobStatus": "SUCCEEDED", "endTime": time("10:00")}),
        ("Workflow", "argoproj.io/v1alpha1", {"phase": "Succeeded", "finishedAt": time("10:00")}),
    ],
)
def test_the_end_is_read_in_the_words_of_each_kind(kind: str, api_version: str, status: dict[str, Any]) -> None:
    assert the_row(an_object(kind, api_version, status=status))["ended"] == at("10:00")


@pytest.mark.parametrize(
    ("kind", "api_version", "status"),
    [
        ("RayCluster", "ray.io/v1", {"state": "ready"}),
        ("Deployment", "apps/v1", {"conditions": [since("Available", "08:01"), since("Progressing", "08:01")]}),
        ("Job", "batch/v1", {"conditions": [since("Complete", "10:00", "False")]}),
        ("ReplicaSet", "apps/v1", {"readyReplicas": 1}),
    ],
)
def test_what_is_not_over_has_no_end(kind: str, api_version: str, status: dict[str, Any]) -> None:
    assert the_row(an_object(kind, api_version, status=status))["ended"] is None


@pytest.mark.parametrize(
    ("api_version", "spec", "minimum", "queue"),
    [
        ("scheduling.x-k8s.io/v1alpha1", {"minMember": 4}, 4, None),
        ("scheduling.volcano.sh/v1beta1", {"minMember": 4, "queue": "gpus"}, 4, "gpus"),
        ("scheduling.run.ai/v2alpha2", {"minMember": 2, "queue": "team-a"}, 2, "team-a"),
        ("scheduling.k8s.io/v1alpha3", {"schedulingPolicy": {"gang": {"minCount": 8}}}, 8, None),
        ("scheduling.k8s.io/v1alpha3", {"schedulingPolicy": {"basic": {}}}, None, None),
    ],
    ids=["coscheduling", "Volcano", "KAI", "in tree", "in tree without a gang"],
)
def test_a_pod_group_says_how_many_start_together(
    api_version: str, spec: dict[str, Any], minimum: int | None, queue: str | None
) -> None:
    row = the_row(an_object("PodGroup", api_version, spec=spec))

    assert keeps(row, "minimum", "queueName", "kind") == (minimum, queue, "PodGroup")


def test_a_ray_job_names_its_cluster_and_a_job_its_queue_by_label() -> None:
    labels = {"kueue.x-k8s.io/queue-name": "team-a", "kueue.x-k8s.io/priority-class": "low"}

    ray = the_row(an_object("RayJob", "ray.io/v1", status={"rayClusterName": "train-raycluster-x"}))
    job = the_row(an_object("Job", "batch/v1", labels=labels))

    assert ray["rayClusterName"] == "train-raycluster-x"
    assert keeps(job, "queueName", "priorityClassName") == ("team-a", "low")


def test_each_record_is_a_row_or_ignored_or_quarantined() -> None:
    manifest = an_object("Job", "batch/v1")
    manifest["metadata"] = {"name": "never"}
    without_uid = an_object("Job", "batch/v1", uid="")

    parsed = parse_workloads(
        kubectl_list(an_object("Namespace", "v1"), pod() | {"kind": "Pod"}, manifest, without_uid, {"metadata": {}}),
        cluster="k8s-b",
    )

    assert (parsed.records, len(parsed.frame), parsed.steps_ignored, len(parsed.quarantined)) == (5, 1, 2, 2)
    assert dict(parsed.ignored_reasons) == {
        "Pod: no workload": 1,
        "manifest of a workload that was never created: neither uid nor status": 1,
    }
    assert [record.reason for record in parsed.quarantined] == [
        "Job vision/train: uid is missing",
        "object without a name: says no kind",
    ]


def test_only_a_full_listing_of_its_own_kind_and_group_ends_a_workload() -> None:
    job, group = an_object("Job", "batch/v1"), an_object("PodGroup", "scheduling.x-k8s.io/v1alpha1", uid="w-2")
    landed = [
        ("10:00", api_list("Job", job, api_version="batch/v1")),
        ("10:00:01", api_list("PodGroup", group, api_version="scheduling.x-k8s.io/v1alpha1")),
        ("11:00", api_list("Job", api_version="batch.volcano.sh/v1alpha1")),
        ("11:00:01", api_list("PodGroup", api_version="scheduling.volcano.sh/v1beta1")),
        ("12:00", api_list("Job", api_version="batch/v1")),
    ]

    rows = workloads_of_day(landed)

    assert rows.select("kind", "lastSeen", "missingFrom").rows() == [
        ("Job", at("10:00"), at("12:00")),
        ("PodGroup", at("10:00:01"), None),
    ]
    assert RAW_WORKLOADS.breaches(rows) == []


def test_a_workload_stands_in_each_day_on_which_it_existed_as_it_was_then() -> None:
    over = an_object("Job", "batch/v1", created="-1 08:00", status={"completionTime": time("+1 09:00")})
    landed = [
        ("+1 10:00", api_list("Job", over, api_version="batch/v1")),
        ("+2 00:10", api_list("Job", api_version="batch/v1")),
    ]

    first, second = workloads_of_day(landed), workloads_of_day(landed, NEXT_DAY)

    assert first.select("ended", "lastSeen").rows() == [(None, at("+1 00:00"))]
    assert second.select("ended", "lastSeen", "missingFrom").rows() == [(at("+1 09:00"), at("+2 00:00"), None)]
    assert workloads_of_day(landed, "2026-07-11").is_empty()


def test_what_is_admitted_after_the_day_is_not_admitted_on_it() -> None:
    later = kueue((1, {"nvidia.com/gpu": "8"}), conditions=[since("QuotaReserved", "+1 02:00")])

    rows = workloads_of_day([("+1 03:00", json.dumps(later).encode())])

    assert rows.select("admitted", "clusterQueue", "quotaGpus", "quotaPods").rows() == [(None, None, None, None)]


def test_a_workload_that_was_deleted_between_two_listings_ended_with_its_event() -> None:
    job = an_object("Job", "batch/v1", status={"completionTime": time("09:00")})

    rows = workloads_of_day([("09:30", events(("DELETED", job)))])

    assert rows.select("ended", "lastSeen", "missingFrom").rows() == [(at("09:00"), at("09:30"), at("09:30"))]
    assert workloads_of_day([("09:30", events(("DELETED", job)))], NEXT_DAY).is_empty()


def test_a_day_of_which_nothing_tells_has_no_workloads() -> None:
    assert workloads_of_day([("10:00", api_list("Job", api_version="batch/v1"))]).equals(RAW_WORKLOADS.empty())
