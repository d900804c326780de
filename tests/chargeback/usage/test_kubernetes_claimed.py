"""Devices by DRA claims: whole, cut, in part, shared in time; admin access; claims that no record shows. Case K17."""

from fractions import Fraction

from chargeback.contracts.raw_claims import RAW_CLAIMS
from chargeback.contracts.raw_slices import RAW_SLICES
from tests.chargeback.usage.kubernetes_days import CLUSTER, KubernetesDays, a_node, a_pod, gpus, row_of

HOUR = 3600


def a_claim(pod: str, device: str = "gpu-0", **given: object) -> dict[str, object]:
    """A claim of one device for a pod."""
    of = {"namespace": "team-a", "name": "claim", "podName": pod, "podUid": pod, "request": "r", "pool": "n1",
          "driver": "gpu.nvidia.com", "device": device, "kind": "ResourceClaim"}  # fmt: skip
    return row_of(RAW_CLAIMS, cluster=CLUSTER, **of | given)


def a_device(device: str = "gpu-0", **given: object) -> dict[str, object]:
    """A device that a driver publishes."""
    of = {"driver": "gpu.nvidia.com", "pool": "n1", "device": device, "nodeName": "n1", "type": "gpu",
          "productName": "NVIDIA A100-SXM4-80GB", "memory": "80Gi"}  # fmt: skip
    return row_of(RAW_SLICES, cluster=CLUSTER, **of | given)


def test_a_pod_known_by_its_claim_alone_holds_the_device_from_the_allocation() -> None:
    claim = a_claim("dra-gpu-example", namespace="gpu-test1", allocated="2026-07-06T13:16:19Z",
                    lastSeen="2026-07-06T14:00:00Z")  # fmt: skip
    days = KubernetesDays([], claims=[claim], slices=[a_device(productName="GRID A100-10C", memory="10Gi")])

    hold = days.holds("2026-07-06").row(0, named=True)

    assert (hold["accelerator"], hold["sharing"], hold["device_count"]) == ("grid-a100-10c", "whole", 1)
    assert hold["held_from"].isoformat() == "2026-07-06T13:16:19+00:00"
    assert days.run("dra-gpu-example", "2026-07-06")["account"] == "gpu-test1"


def test_a_claim_that_outlives_its_pod_on_record_is_charged_to_nobody() -> None:
    other = a_pod("other", {"cpu": "1"}, scheduled="2026-07-01T00:00Z", last_seen="2026-07-06T00:00Z")
    ended = a_claim("ended", allocated="2026-07-02T10:00Z", missingFrom="2026-07-03T02:00Z")
    short = a_claim("short", allocated="2026-07-03T10:00Z", missingFrom="2026-07-03T11:00Z", name="another")

    days = KubernetesDays([other], claims=[ended, short], slices=[a_device()])

    assert days.gpu_seconds() == {"short": HOUR}


def test_claimed_devices_slices_and_parts_are_held_as_what_they_are() -> None:
    pods = [
        a_pod(name, {"cpu": "1"}, scheduled="12:00", finished="13:00", resourceClaims={"r": "claim"}) for name in "abc"
    ]
    claims = [a_claim("a"), a_claim("b", "mig-0"), a_claim("c", "gpu-1", consumedCapacity='{"memory":"20Gi"}'),
              a_claim("a", "nic-0", driver="dra.net")]  # fmt: skip
    slices = [a_device(), a_device("mig-0", type="mig", profile="3g.40gb"), a_device("gpu-1")]

    days = KubernetesDays(pods, claims=claims, slices=slices)

    assert days.gpu_seconds() == {"a": HOUR, "b": Fraction(3 * HOUR, 7), "c": Fraction(HOUR, 4)}
    assert days.holds()["sharing"].to_list() == ["whole", "mig", "fraction"]


def test_admin_access_is_never_charged_and_a_claim_that_no_record_shows_is_an_exception() -> None:
    hour = {"scheduled": "12:00", "finished": "13:00"}
    days = KubernetesDays(
        [a_pod("monitor", {"cpu": "1"}, resourceClaims={"r": "claim"}, **hour),
         a_pod("lost", {"cpu": "1"}, resourceClaims={"r": "another"}, **hour)],
        claims=[a_claim("monitor", adminAccess=True)], slices=[a_device()],
    )  # fmt: skip

    assert days.gpu_seconds() == {}
    assert dict(days.runs().select("run", "gpu_count_basis").rows()) == {
        "monitor": "holds nothing itself",
        "lost": "unknown",
    }


def test_an_extended_resource_that_became_a_claim_is_counted_once() -> None:
    pod = a_pod("p", gpus(1), scheduled="12:00", finished="13:00", resourceClaims={"": "claim"})

    assert KubernetesDays([pod], claims=[a_claim("p")], slices=[a_device()]).gpu_seconds() == {"p": HOUR}
    assert KubernetesDays([pod], nodes=[a_node()]).gpu_seconds() == {"p": HOUR}


def test_a_claim_that_several_pods_have_is_shared_by_those_that_have_it_at_the_time() -> None:
    pods = [a_pod("a", {"cpu": "1"}, scheduled="10:00", finished="12:00", resourceClaims={"r": "claim"}),
            a_pod("b", {"cpu": "1"}, scheduled="11:00", finished="14:00", resourceClaims={"r": "claim"})]  # fmt: skip

    days = KubernetesDays(pods, claims=[a_claim("a"), a_claim("b")], slices=[a_device()])

    assert days.gpu_seconds() == {"a": Fraction(3, 2) * HOUR, "b": Fraction(5, 2) * HOUR}
    assert sum(days.gpu_seconds().values()) == 4 * HOUR


def test_a_pod_with_several_shared_devices_has_one_row_a_moment_and_every_second_once() -> None:
    times = {"p": ("10:00", "14:00"), "q": ("10:00", "12:00"), "r": ("11:00", "13:00"), "s": ("09:00", "11:30")}
    pods = [a_pod(name, {"cpu": "1"}, scheduled=since, finished=until, resourceClaims={"r": "x"})
            for name, (since, until) in times.items()]  # fmt: skip
    first = [a_claim(pod, "gpu-0", name="x") for pod in "pq"]
    second = [a_claim(pod, "gpu-1", name="y") for pod in "prs"]
    devices = [a_device(f"gpu-{at}") for at in range(3)]

    days = KubernetesDays(pods, claims=[*first, *second, a_claim("p", "gpu-2", name="z")], slices=devices)

    twelfths = {run: seconds * 12 / HOUR for run, seconds in days.gpu_seconds().items()}
    assert twelfths == {"p": 3 * 12 + 29 + 4 * 12, "q": 12, "r": 11, "s": 20}
    assert sum(twelfths.values()) == (4 + 5 + 4) * 12
