"""holds of Kubernetes pods: from when until when, how many, which part of what. Cases K01 to K17 of the field."""

from fractions import Fraction

import polars as pl
import pytest

from chargeback.usage.gpu_approvals import GpuCountApproval
from tests.chargeback.usage.kubernetes_days import CLUSTER, KubernetesDays, a_node, a_pod, gpus

HOUR = 3600
KAI = "kai-resource-reservation"


def test_a_pod_that_waits_for_its_image_holds_from_scheduling_to_its_deletion() -> None:
    days = KubernetesDays([a_pod("p", gpus(2), created="09:00", scheduled="09:02", deletion="11:02", phase="Pending")])

    assert days.gpu_seconds() == {"p": 4 * HOUR}
    assert days.run("p")["started"] is None


def test_an_evicted_pod_held_until_its_eviction_however_long_the_object_stays() -> None:
    days = KubernetesDays([
        a_pod("e", gpus(1), scheduled="10:00", disrupted="10:20", disruptionReason="TerminationByKubelet",
              reason="Evicted", phase="Failed", deletion="2026-07-06T10:00Z")
    ])  # fmt: skip

    assert days.gpu_seconds("2026-07-03", "2026-07-04", "2026-07-05", "2026-07-06") == {"e": 1_200}
    assert days.run("e")["end_cause"] == "evicted"


def test_two_pods_of_one_name_are_two_holds() -> None:
    days = KubernetesDays([
        a_pod("1", gpus(1), name="a", scheduled="12:00", finished="17:00"),
        a_pod("2", gpus(1), name="a", scheduled="19:00", finished="22:00"),
    ])  # fmt: skip

    assert days.gpu_seconds() == {"1": 300 * 60, "2": 180 * 60}


def test_an_init_container_s_larger_ask_is_held_for_the_life_of_the_pod() -> None:
    days = KubernetesDays(
        [a_pod("p", gpus(4, kind="init"), gpus(1), scheduled="12:00", finished="2026-07-03T13:03:20Z")]
    )

    assert days.gpu_seconds() == {"p": 15_200}


def test_hami_pods_hold_the_part_that_their_cores_are() -> None:
    quarter = {"nvidia.com/gpu": "1", "nvidia.com/gpucores": "25"}
    two = {"nvidia.com/gpu": "2", "nvidia.com/gpumem-percentage": "50", "nvidia.com/gpucores": "30"}
    hour = {"scheduled": "12:00", "finished": "13:00"}
    days = KubernetesDays([*(a_pod(name, quarter, **hour) for name in "abcd"), a_pod("e", two, **hour)])

    seconds = days.gpu_seconds()

    assert seconds == {**dict.fromkeys("abcd", Fraction(HOUR, 4)), "e": Fraction(6 * HOUR, 10)}
    assert days.holds().filter(pl.col("run") == "e").select("device_count", "sharing").rows() == [(2, "vgpu")]


def test_pods_of_a_gpu_group_hold_their_fractions_and_the_reservation_pod_nothing() -> None:
    hour = {"scheduled": "12:00", "finished": "13:00"}
    half = {"annotations": {"gpu-fraction": "0.5"}}
    days = KubernetesDays([
        a_pod("a", {"cpu": "1"}, namespace="t1", **half, **hour),
        a_pod("b", {"cpu": "1"}, namespace="t2", **half, **hour),
        a_pod("r", gpus(1), namespace=KAI, **hour),
        a_pod("s", gpus(1), namespace="gpu-reservation", labels={"app": KAI}, **hour),
        a_pod("t", gpus(1), namespace="team-x", labels={"app": KAI}, **hour),
    ])  # fmt: skip

    assert days.gpu_seconds() == {"a": HOUR // 2, "b": HOUR // 2, "t": HOUR}
    assert days.run("r")["gpu_count_basis"] == days.run("s")["gpu_count_basis"] == "holds nothing itself"


def test_pods_of_a_time_sliced_gpu_hold_a_replica_each() -> None:
    node = a_node(count=1, labels={"nvidia.com/gpu.replicas": "4"}, capacity={"nvidia.com/gpu": "4"})
    days = KubernetesDays([a_pod(n, gpus(1), scheduled="12:00", finished="13:00") for n in "abc"], nodes=[node])

    assert days.gpu_seconds() == dict.fromkeys("abc", Fraction(HOUR, 4))


def test_one_of_eight_shared_replicas_is_an_eighth_of_the_card() -> None:
    node = a_node(product="NVIDIA-A10-SHARED", count=1, capacity={"nvidia.com/gpu.shared": "8"})
    pod = a_pod("test", {"nvidia.com/gpu.shared": "1"}, scheduled="12:00", finished="13:00")
    days = KubernetesDays([pod], nodes=[node])

    assert days.gpu_seconds() == {"test": Fraction(HOUR, 8)}
    assert days.holds()["accelerator"].to_list() == ["a10"]


def test_a_change_of_size_within_the_hour_is_held_at_each_size_for_its_time() -> None:
    def segments(name: str, first: int, then: int) -> list[dict[str, object]]:
        return [a_pod(f"{name}1", gpus(first), scheduled="12:00", finished="12:30"),
                a_pod(f"{name}2", gpus(then), scheduled="12:35", finished="12:55")]  # fmt: skip

    seconds = KubernetesDays([*segments("x", 4, 1), *segments("y", 1, 4)]).gpu_seconds()

    assert seconds["x1"] + seconds["x2"] == Fraction(7, 3) * HOUR
    assert seconds["y1"] + seconds["y2"] == Fraction(11, 6) * HOUR


def test_a_pod_that_vanished_held_until_the_first_listing_without_it_and_not_a_second_longer() -> None:
    days = KubernetesDays([a_pod("p", gpus(1), scheduled="11:00", last_seen="12:11", missing="12:16")])

    assert days.gpu_seconds("2026-07-03", "2026-07-04") == {"p": 76 * 60}
    assert days.run("p")["end_cause"] == "cancelled"


def test_a_whole_hour_is_3600_seconds_however_often_somebody_looked() -> None:
    days = KubernetesDays([a_pod("p", gpus(1), scheduled="11:00", finished="14:00")])

    assert days.gpu_seconds() == {"p": 3 * HOUR}
    assert days.capacity().filter(held_unit_seconds=HOUR)["hour_start"].dt.hour().to_list() == [11, 12, 13]


def test_a_pod_that_was_never_scheduled_holds_nothing() -> None:
    days = KubernetesDays(
        [a_pod("wait-1", gpus(4), created="09:00", phase="Pending", unschedulableReason="Unschedulable")]
    )

    assert days.gpu_seconds() == {}
    run = days.run("wait-1")
    assert (run["gpu_count_basis"], run["declared_gpus"], run["pending_reason"]) == (
        "never started",
        4,
        "Unschedulable",
    )


def test_a_pod_still_running_holds_to_its_last_observation_on_the_last_day_only() -> None:
    days = KubernetesDays([a_pod("p", gpus(1), scheduled="22:00", started="22:01", last_seen="2026-07-04T02:00Z")])

    assert days.gpu_seconds("2026-07-03", "2026-07-04") == {"p": 4 * HOUR}
    assert days.holds("2026-07-03")["is_running"].to_list() == [False]
    assert days.holds("2026-07-04")["is_running"].to_list() == [True]


def test_a_deletion_time_ends_nothing_that_was_seen_to_run_on() -> None:
    given = {"scheduled": "10:00", "deletion": "11:00", "last_seen": "12:00"}
    days = KubernetesDays([a_pod("stuck", gpus(1), started="10:01", **given), a_pod("never ran", gpus(1), **given)])

    assert days.gpu_seconds() == {"never ran": HOUR, "stuck": 2 * HOUR}


def test_the_first_proof_of_an_end_counts() -> None:
    proofs = {"finished": "12:00", "disrupted": "11:30", "deleted": "13:00", "missing": "14:00", "deletion": "10:30"}
    found = {}
    while proofs:
        first = min(proofs, key=lambda name: (name == "deletion", proofs[name]))
        found[first] = KubernetesDays([a_pod("p", gpus(1), scheduled="10:00", **proofs)]).gpu_seconds()["p"]
        del proofs[first]

    assert found == {"disrupted": 5400, "finished": 7200, "deleted": 10_800, "missing": 14_400, "deletion": 1800}


def test_parts_of_different_size_of_one_accelerator_are_one_exact_row() -> None:
    quarter, half = ({"nvidia.com/gpu": "1", "nvidia.com/gpucores": cores} for cores in ("25", "50"))
    days = KubernetesDays(
        [a_pod("p", quarter, half, {**quarter, "nvidia.com/gpu": "2"}, scheduled="12:00", finished="13:00")]
    )

    assert days.holds().select("device_count", "share_units", "units_per_gpu").rows() == [(4, 5, 16)]
    assert days.gpu_seconds() == {"p": Fraction(5 * HOUR, 4)}


def test_slices_of_a_node_are_priced_as_slices_of_its_product() -> None:
    capacity = {"nvidia.com/mig-3g.40gb": "2", "nvidia.com/mig-1g.10gb": "1"}
    pod = a_pod(
        "p", {"nvidia.com/mig-3g.40gb": "1", "nvidia.com/mig-1g.10gb": "1"}, scheduled="12:00", finished="13:00"
    )
    days = KubernetesDays([pod], nodes=[a_node(capacity=capacity)])

    assert days.holds().select("accelerator", "sharing", "share_units", "units_per_gpu", "slice_profile").rows() == [
        ("a100-sxm4-80gb:1g.10gb", "mig", 1, 7, "1g.10gb"),
        ("a100-sxm4-80gb:3g.40gb", "mig", 3, 7, "3g.40gb"),
    ]


def test_a_pod_takes_what_its_node_said_when_it_was_bound() -> None:
    whole = a_node(count=1, statedFrom="2026-07-03T00:00Z", statedUntil="2026-07-03T12:00Z")
    sliced = a_node(product="NVIDIA-A100-SXM4-80GB-MIG-1g.10gb", count=7, statedFrom="2026-07-03T12:00Z",
                    statedUntil="2026-07-04T00:00Z")  # fmt: skip
    days = KubernetesDays(
        [a_pod("a", gpus(1), scheduled="2026-07-02T08:00Z", finished="11:00"),
         a_pod("b", gpus(1), scheduled="13:00", finished="14:00")],
        nodes=[whole, sliced],
    )  # fmt: skip

    assert days.holds().select("run", "accelerator").rows() == [
        ("a", "a100-sxm4-80gb"),
        ("b", "a100-sxm4-80gb:1g.10gb"),
    ]


@pytest.mark.parametrize("text", ["half", "", "2", "-1"])
def test_an_unreadable_fraction_is_an_exception_until_somebody_settles_it(text: str) -> None:
    pod = a_pod("p", {"aliyun.com/gpu-mem": "3"} if not text else {"cpu": "1"}, name="job-1",
                annotations={"gpu-fraction": text}, scheduled="12:00", finished="13:00")  # fmt: skip
    approval = GpuCountApproval(CLUSTER, "team-a/job-1", 1, by="ops", reason="asked")

    days = KubernetesDays([pod])
    settled = KubernetesDays([pod], approvals=[approval], nodes=[a_node()])

    assert (days.run("p")["gpu_count"], days.run("p")["gpu_count_basis"]) == (None, "unknown")
    assert days.holds().is_empty()
    assert settled.run("p")["gpu_count_basis"] == "approved"
    assert settled.holds().select("accelerator", "device_count").rows() == [("a100-sxm4-80gb", 1)]


def test_an_approved_node_count_is_that_of_the_node() -> None:
    pod = a_pod("p", {"gpu.intel.com/i915": "1"}, scheduled="12:00", finished="13:00")
    approval = GpuCountApproval(CLUSTER, "p", None, by="ops", reason="the node is all its")

    assert KubernetesDays([pod], nodes=[a_node(count=4)], approvals=[approval]).run("p")["gpu_count"] == 4


def test_the_accelerator_comes_from_the_node_whatever_a_queue_s_flavor_is_called() -> None:
    pod = a_pod("p", gpus(1), scheduled="12:00", finished="13:00", labels={"kueue.x-k8s.io/queue-name": "on-demand"})

    assert KubernetesDays([pod], nodes=[a_node()]).holds()["accelerator"].to_list() == ["a100-sxm4-80gb"]
