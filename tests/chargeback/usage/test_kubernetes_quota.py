"""Quota that no pod holds is shown and never charged; pods are what is charged. Cases K15 and K16."""

from chargeback.contracts.raw_workloads import RAW_WORKLOADS
from chargeback.usage.kubernetes_quota import quota_without_pods
from tests.chargeback.usage.kubernetes_days import KubernetesDays, a_node, a_pod, gpus
from tests.chargeback.usage.test_kubernetes_runs import a_workload

DAY = "2026-07-03"
HOUR = 3600


def quota(days: KubernetesDays) -> dict[str, int]:
    """Workload -> GPU-seconds of its quota that no pod held."""
    rows = quota_without_pods(days.table(RAW_WORKLOADS, DAY), days.runs(DAY), interval=days.interval(DAY))
    return dict(rows.select("workload", "quota_gpu_seconds").rows())


def admitted(name: str, job: str, gpus_of_quota: int, **given: object) -> dict[str, object]:
    """A Kueue Workload of a Job, admitted at noon."""
    times = {"admitted": "2026-07-03T12:00Z", "ended": "2026-07-03T17:00Z"}
    return a_workload("Workload", name, ("Job", job), quotaGpus=gpus_of_quota, quotaPods=1, **times | given)


def a_pod_of_job(uid: str, job: str, *containers: dict[str, object], **given: object) -> dict[str, object]:
    """A pod of a Job, of an hour."""
    times = {"scheduled": "12:00", "finished": "13:00"}
    return a_pod(uid, *containers, ownerKind="Job", ownerName=job, ownerUid=f"Job/{job}", **times | given)


def test_k15_pods_are_billed_whatever_the_workload_says_and_quota_without_pods_stands_apart() -> None:
    days = KubernetesDays(
        [a_pod_of_job(uid, "train", gpus(8)) for uid in "abc"],
        workloads=[admitted("w1", "train", 8, ended="2026-07-03T13:00Z"), admitted("w2", "waits", 8)],
    )

    assert sum(days.gpu_seconds().values()) == 24 * HOUR
    assert quota(days) == {"Job/waits": 40 * HOUR}


def test_k16_a_workload_admitted_again_at_count_zero_costs_nothing_and_names_no_accelerator() -> None:
    shrunk = admitted("w", "elastic", 0, queueName="on-demand")
    days = KubernetesDays([a_pod_of_job("a", "elastic", gpus(1))], workloads=[shrunk], nodes=[a_node()])

    assert quota(days) == {}
    assert days.gpu_seconds() == {"a": HOUR}
    assert days.holds()["accelerator"].to_list() == ["a100-sxm4-80gb"]
    assert KubernetesDays([], workloads=[shrunk]).gpu_seconds() == {}


def test_quota_counts_only_while_fewer_pods_run_than_it_is_for() -> None:
    late = a_pod_of_job("a", "train", gpus(3), scheduled="14:00", finished="16:00")

    assert quota(KubernetesDays([late], workloads=[admitted("w", "train", 4)])) == {"Job/train": (4 * 3 + 2) * HOUR}


def test_a_pod_that_names_its_workload_as_its_group_holds_of_its_quota() -> None:
    alone = a_pod("p", gpus(1), annotations={"kueue.x-k8s.io/workload": "w"}, scheduled="12:00", finished="17:00")
    workload = admitted("w", "", 1, ownerKind=None, ownerName=None, ownerUid=None)

    assert quota(KubernetesDays([alone], workloads=[workload])) == {}
    assert quota(KubernetesDays([], workloads=[workload])) == {"Workload/w": 5 * HOUR}


def test_quota_that_was_never_given_back_counts_until_it_was_last_seen() -> None:
    kept = admitted("w", "train", 2, ended=None, lastSeen="2026-07-04T09:00Z")
    gone = admitted("w", "train", 2, ended=None, missingFrom="2026-07-03T14:00Z")

    assert quota(KubernetesDays([], workloads=[kept])) == {"Job/train": 24 * HOUR}
    assert quota(KubernetesDays([], workloads=[gone])) == {"Job/train": 4 * HOUR}
