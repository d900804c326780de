"""runs of Kubernetes pods: workloads, classes, tiers, queues, users, gangs, ends: what the API server forgets."""

import json
from fractions import Fraction

import pytest

from chargeback.contracts.raw_workloads import RAW_WORKLOADS
from tests.chargeback.usage.kubernetes_days import CLUSTER, KubernetesDays, a_pod, gpus, row_of
from tests.tables import instant

HOUR = {"scheduled": "12:00", "finished": "13:00"}


def a_workload(kind: str, name: str, owner: tuple[str, str] | None = None, **given: object) -> dict[str, object]:
    """An object of the API, its uid being kind and name; `owner` is kind and name too."""
    owned = {"ownerKind": owner[0], "ownerName": owner[1], "ownerUid": "/".join(owner)} if owner else {}
    common = {"cluster": CLUSTER, "namespace": "team-a", "lastSeen": "2026-07-04T00:00Z"}
    return row_of(RAW_WORKLOADS, uid=f"{kind}/{name}", kind=kind, name=name, **common | owned | given)


def owned_by(kind: str, name: str, **given: object) -> dict[str, object]:
    """A pod that has a GPU and that owner."""
    return a_pod("p", gpus(1), ownerKind=kind, ownerName=name, ownerUid=f"{kind}/{name}", **HOUR | given)


HASH = {"pod-template-hash": "7c9"}
RAY = {"ray.io/originated-from-cr-name": "tune", "ray.io/originated-from-crd": "RayJob"}
KSERVE = {"serving.kserve.io/inferenceservice": "llm"}
TASK = {"determined.ai/task_type": "NOTEBOOK"}


@pytest.mark.parametrize(
    ("pod", "objects", "workload", "workload_class"),
    [
        (owned_by("Job", "train"), [], "Job/train", "batch"),
        (owned_by("Job", "n-1"), [a_workload("Job", "n-1", ("CronJob", "n"))], "CronJob/n", "batch"),
        (owned_by("Job", "s-w-0"), [a_workload("Job", "s-w-0", ("JobSet", "s")),
                                    a_workload("JobSet", "s", ("TrainJob", "llm"))], "TrainJob/llm", "batch"),
        (owned_by("Job", "s-w-0", labels={"jobset.sigs.k8s.io/jobset-name": "s"}), [], "JobSet/s", "batch"),
        (owned_by("ReplicaSet", "serve-7c9"), [a_workload("ReplicaSet", "serve-7c9", ("Deployment", "serve"))],
         "Deployment/serve", "service"),
        (owned_by("ReplicaSet", "serve-7c9", labels=HASH), [], "Deployment/serve", "service"),
        (owned_by("ReplicaSet", "serve-7c9"), [], "ReplicaSet/serve-7c9", "service"),
        (owned_by("ReplicaSet", "llm-p-7c9", labels=HASH | KSERVE), [], "InferenceService/llm", "service"),
        (owned_by("RayCluster", "tune-x"), [a_workload("RayCluster", "tune-x", ("RayJob", "tune"))], "RayJob/tune",
         "batch"),
        (owned_by("RayCluster", "tune-x", labels=RAY), [], "RayJob/tune", "batch"),
        (owned_by("RayCluster", "dev", restartPolicy="Always"), [], "RayCluster/dev", "service"),
        (owned_by("StatefulSet", "nb"), [], "StatefulSet/nb", "service"),
        (owned_by("StatefulSet", "nb", labels={"notebook-name": "nb"}), [], "Notebook/nb", "interactive"),
        (owned_by("StatefulSet", "v", labels={"leaderworkerset.sigs.k8s.io/name": "v"}), [], "LeaderWorkerSet/v",
         "service"),
        (owned_by("DaemonSet", "agent"), [], "DaemonSet/agent", "service"),
        (owned_by("PyTorchJob", "ddp"), [], "PyTorchJob/ddp", "batch"),
        (owned_by("Workflow", "w"), [], "Workflow/w", "batch"),
        (owned_by("Job", "exp-1", labels=TASK), [], "Job/exp-1", "interactive"),
        (a_pod("p", gpus(1), labels={"hub.jupyter.org/username": "ana"}, **HOUR), [], "JupyterHub/ana", "interactive"),
        (a_pod("p", gpus(1), tty=True, restartPolicy="Always", **HOUR), [], "Pod/p", "interactive"),
        (a_pod("p", gpus(1), restartPolicy="Always", **HOUR), [], "Pod/p", "service"),
        (a_pod("p", gpus(1), restartPolicy="Never", **HOUR), [], "Pod/p", "batch"),
    ],
)  # fmt: skip
def test_a_workload_is_what_somebody_submitted_and_its_class_is_its_shape(
    pod: dict[str, object], objects: list[dict[str, object]], workload: str, workload_class: str
) -> None:
    run = KubernetesDays([pod], workloads=objects).run("p")

    assert (run["workload"], run["workload_class"]) == (workload, workload_class)


def test_the_setting_of_a_queue_decides_the_class_before_the_shape() -> None:
    pod = owned_by("Job", "train", labels={"kueue.x-k8s.io/queue-name": "dev"})

    assert KubernetesDays([pod], classes={"dev": "interactive"}).run("p")["workload_class"] == "interactive"
    assert (
        KubernetesDays([pod], classes={"team-a/dev": "service", "dev": "batch"}).run("p")["workload_class"] == "service"
    )


def test_a_finished_ray_job_keeps_its_gpus_and_it_is_known_from_when_on() -> None:
    pods = [a_pod(name, gpus(8), ownerKind="RayCluster", ownerName="tune-x", ownerUid="RayCluster/tune-x",
                  scheduled="08:00", finished="18:00") for name in ("w1", "w2")]  # fmt: skip
    objects = [
        a_workload("RayCluster", "tune-x", ("RayJob", "tune")),
        a_workload("RayJob", "tune", ended="2026-07-03T10:00Z"),
    ]

    days = KubernetesDays(pods, workloads=objects)

    held = days.holds()
    ended = instant("2026-07-03T10:00Z")
    assert days.runs()["workload_ended"].to_list() == [ended, ended]
    assert sum(days.gpu_seconds().values()) == 160 * 3600
    after = sum(row["device_count"] * (row["held_until"] - ended).total_seconds() for row in held.iter_rows(named=True))
    assert Fraction(after) == 128 * 3600


def test_a_ray_job_s_end_is_known_by_its_name_where_no_listing_showed_its_cluster() -> None:
    pod = owned_by("RayCluster", "tune-x", labels=RAY)
    ended = a_workload("RayJob", "tune", ended="2026-07-03T12:40Z")
    namesake = {**ended, "uid": "RayJob/tune/again"}

    assert KubernetesDays([pod], workloads=[ended]).run("p")["workload_ended"] == instant("2026-07-03T12:40Z")
    assert KubernetesDays([pod], workloads=[ended, namesake]).run("p")["workload_ended"] is None


def test_the_end_of_a_workload_is_its_owner_s_else_what_kueue_says() -> None:
    job = a_workload("Job", "train", ended="2026-07-03T12:40Z")
    kueue = a_workload("Workload", "job-train", ("Job", "train"), ended="2026-07-03T12:50Z")

    by_job = KubernetesDays([owned_by("Job", "train")], workloads=[job, kueue]).run("p")
    by_kueue = KubernetesDays([owned_by("Job", "train")], workloads=[kueue]).run("p")

    assert by_job["workload_ended"] == instant("2026-07-03T12:40Z")
    assert by_kueue["workload_ended"] == instant("2026-07-03T12:50Z")


@pytest.mark.parametrize(
    ("given", "objects", "queue"),
    [
        ({"labels": {"kueue.x-k8s.io/queue-name": "q"}}, [], "q"),
        ({"labels": {"kueue.x-k8s.io/local-queue-name": "q"}}, [], "q"),
        ({"labels": {"kai.scheduler/queue": "q"}, "schedulerName": "kai-scheduler"}, [], "q"),
        ({"labels": {"runai/queue": "q"}, "schedulerName": "runai-scheduler"}, [], "q"),
        ({"labels": {"kai.scheduler/queue": "q"}, "schedulerName": "default-scheduler"}, [], None),
        ({"annotations": {"scheduling.volcano.sh/queue-name": "q"}, "schedulerName": "volcano"}, [], "q"),
        ({"annotations": {"scheduling.k8s.io/group-name": "g"}}, [a_workload("PodGroup", "g", queueName="q")], "q"),
        ({}, [a_workload("Workload", "w", ("Job", "train"), queueName="q")], "q"),
        ({}, [], None),
    ],
)
def test_the_queue_is_that_of_the_scheduler_that_placed_the_pod(
    given: dict[str, object], objects: list[dict[str, object]], queue: str | None
) -> None:
    assert KubernetesDays([owned_by("Job", "train", **given)], workloads=objects).run("p")["queue"] == queue


def test_the_tier_is_that_of_the_priority_class_else_of_the_queue_and_never_a_user_s_label() -> None:
    tiers = {"spot": "preemptible", "team-a/paid": "reserved", "paid": "preemptible"}
    by_class = owned_by("Job", "j", priorityClassName="spot", labels={"kueue.x-k8s.io/queue-name": "paid"})
    by_queue = owned_by("Job", "j", priorityClassName="normal", labels={"kueue.x-k8s.io/queue-name": "paid"})
    by_label = owned_by("Job", "j", labels={"tier": "spot", "kueue.x-k8s.io/priority-class": "spot"})

    assert [KubernetesDays([pod], tiers=tiers).run("p")["tier"] for pod in (by_class, by_queue, by_label)] == [
        "preemptible",
        "reserved",
        "standard",
    ]


@pytest.mark.parametrize(
    ("given", "user"),
    [
        ({"annotations": {"ceems.io/created-by": "ana"}, "labels": {"determined.ai/user": "x"}}, "ana"),
        ({"labels": {"determined.ai/user": "ben"}}, "ben"),
        ({"labels": {"determined.ai/user": "invalid_value"}}, None),
        ({"annotations": {"hub.jupyter.org/username": "c@x.org"}, "labels": {"hub.jupyter.org/username": "c-40x"}},
         "c@x.org"),
        ({"labels": {"user": "dan"}}, None),
    ],
)  # fmt: skip
def test_the_user_is_known_only_where_a_controller_wrote_it(given: dict[str, object], user: str | None) -> None:
    assert KubernetesDays([owned_by("Job", "train", **given)]).run("p")["user"] == user


@pytest.mark.parametrize(
    "given",
    [
        {"schedulingGroup": "g"},
        {"labels": {"scheduling.x-k8s.io/pod-group": "g"}},
        {"annotations": {"pod-group-name": "g"}},
        {"annotations": {"kueue.x-k8s.io/workload": "g"}},
    ],
)
def test_a_gang_is_known_with_its_minimum(given: dict[str, object]) -> None:
    gang = a_workload("PodGroup", "g", minimum=4)

    run = KubernetesDays([owned_by("Job", "train", **given)], workloads=[gang]).run("p")

    assert (run["group"], run["group_minimum"]) == ("g", 4)


@pytest.mark.parametrize(
    ("given", "cause"),
    [
        ({"phase": "Succeeded", "exitReason": "Completed", "finished": "13:00"}, "completed"),
        ({"phase": "Failed", "exitReason": "Error", "finished": "13:00"}, "failed"),
        ({"phase": "Failed", "exitReason": "OOMKilled", "finished": "13:00"}, "out of memory"),
        ({"phase": "Failed", "reason": "DeadlineExceeded", "finished": "13:00"}, "timeout"),
        ({"phase": "Failed", "reason": "Evicted", "finished": "13:00"}, "evicted"),
        ({"phase": "Failed", "reason": "NodeLost", "missing": "13:00"}, "platform fault"),
        ({"disrupted": "13:00", "disruptionReason": "PreemptionByScheduler", "finished": "13:01",
          "exitReason": "Error"}, "preempted"),
        ({"disrupted": "13:00", "disruptionReason": "EvictionByEvictionAPI"}, "evicted"),
        ({"disrupted": "13:00", "disruptionReason": "DeletionByTaintManager"}, "platform fault"),
        ({"disrupted": "13:00", "disruptionReason": "SomethingNew"}, "evicted"),
        ({"phase": "Running", "deleted": "13:00"}, "cancelled"),
        ({"phase": "Pending", "missing": "13:00"}, "cancelled"),
        ({"phase": "Running"}, None),
    ],
)  # fmt: skip
def test_why_a_pod_ended_is_said_in_the_words_of_both_schedulers(given: dict[str, object], cause: str | None) -> None:
    assert KubernetesDays([a_pod("p", gpus(1), scheduled="12:00", **given)]).run("p")["end_cause"] == cause


def test_a_run_keeps_the_instants_that_the_api_server_forgets() -> None:
    pod = a_pod(
        "uid-1", gpus(2), name="train-0", created="11:58", scheduled="12:00", started="12:20", finished="13:00",
        ready="2026-07-03T12:21Z", labels={"team": "vision", "a": "b"}, activeDeadlineSeconds=7200,
        priorityClassName="high", phase="Succeeded", exitReason="Completed",
    )  # fmt: skip

    run = KubernetesDays([pod]).run("uid-1")

    at = ("submitted", "bound", "image_pulled", "started", "ready", "ended", "observed_until")
    assert [run[name].strftime("%H:%M") for name in at] == [
        "11:58", "12:00", "12:20", "12:20", "12:21", "13:00", "13:00",
    ]  # fmt: skip
    assert (run["job_id"], run["job_id_raw"], run["account"], run["qos"]) == (
        "team-a/train-0",
        "uid-1",
        "team-a",
        "high",
    )
    assert (run["elapsed_seconds"], run["limit_seconds"], run["alloc_tres"]) == (3600, 7200, "nvidia.com/gpu=2")
    assert json.loads(run["labels"]) == {"a": "b", "team": "vision"}
    assert (run["gpu_count"], run["gpu_count_basis"], run["is_running"]) == (2, "recorded", False)


def test_a_pod_without_gpus_is_a_run_that_holds_none() -> None:
    run = KubernetesDays([a_pod("p", {"cpu": "4"}, **HOUR)]).run("p")

    assert (run["gpu_count"], run["gpu_count_basis"], run["alloc_tres"]) == (0, "no GPUs", None)


def test_a_finished_pod_whose_clocks_disagree_held_for_no_time_rather_than_less() -> None:
    days = KubernetesDays([a_pod("p", gpus(1), scheduled="2026-07-03T12:00:03Z", finished="2026-07-03T12:00:01Z")])

    assert days.run("p")["observed_until"] == days.run("p")["bound"]
    assert days.gpu_seconds() == {}


def test_a_failed_pod_without_any_instant_ended_when_it_was_first_seen_so() -> None:
    pod = a_pod("p", gpus(1), scheduled="12:00", phase="Failed", extracted_at="2026-07-03T12:30Z")

    assert KubernetesDays([pod]).gpu_seconds() == {"p": 1800}
