"""The field's Kubernetes cases and the worked day, from what the API prints to the right GPU-seconds."""

import json
from fractions import Fraction

import pytest
import yaml

from chargeback.contracts.capacity import STATES
from tests.chargeback.usage.kubernetes_estate import Day, KubernetesEstate
from tests.chargeback.usage.landed_kubernetes import api_list
from tests.tables import CASES, instant, shared_file

LATER = instant("2026-08-02T00:00Z")


def landed(name: str, day: str) -> Day:
    """A day of a case that is one pod as the API shows it, listed long after."""
    pod = json.loads((CASES / name / "pod.json").read_text())
    return KubernetesEstate([("pods", LATER, api_list("Pod", pod))]).day(day)


def of_capacity(day: Day, state: str) -> Fraction:
    """GPU-seconds of the day in a state."""
    rows = day.capacity.select(f"{state}_unit_seconds", "units_per_gpu").rows()
    return sum((Fraction(seconds, units) for seconds, units in rows), Fraction(0))


def test_k01_a_pod_stuck_at_its_image_held_four_gpu_hours_and_never_ran() -> None:
    day = landed("K01", "2026-07-03")

    assert day.gpu_seconds == {"u-1": 4 * 3600}
    assert day.runs["started"].to_list() == [None]
    assert landed("K01", "2026-07-04").gpu_seconds == {}


def test_k02_an_evicted_pod_held_until_its_eviction_though_its_object_stayed_three_days() -> None:
    days = [landed("K02", f"2026-07-0{number}").gpu_seconds for number in (3, 4, 5, 6)]

    assert days == [{"u-2": 1_200}, {}, {}, {}]


def a_pod_of(row: dict[str, str], *, limits: dict[str, str], annotations: dict[str, str]) -> dict[str, object]:
    """A pod of a CSV row of a case that ran from its start to its end."""
    finished = {"exitCode": 0, "reason": "Completed", "startedAt": row["start"], "finishedAt": row["end"]}
    namespace = row.get("namespace") or row.get("team") or "team-a"
    metadata = {"name": row["pod"], "namespace": namespace, "uid": row.get("uid") or row["pod"],
                "creationTimestamp": row["start"], "annotations": annotations}  # fmt: skip
    bound = {"type": "PodScheduled", "status": "True", "lastTransitionTime": row["start"]}
    return {
        "metadata": metadata,
        "spec": {"nodeName": "n1", "containers": [{"name": "c", "resources": {"limits": limits}}]},
        "status": {
            "phase": "Succeeded", "conditions": [bound],
            "containerStatuses": [{"name": "c", "state": {"terminated": finished}}],
        },
    }  # fmt: skip


def case_rows(name: str, file: str) -> list[dict[str, str]]:
    """Rows of a case's CSV."""
    lines = (CASES / name / file).read_text().strip().splitlines()
    return [dict(zip(lines[0].split(","), line.split(","), strict=True)) for line in lines[1:]]


def billed(*pods: dict[str, object]) -> dict[str, Fraction]:
    """GPU-seconds of 3 July of pods that were listed."""
    return KubernetesEstate([("pods", LATER, api_list("Pod", *pods))]).day("2026-07-03").gpu_seconds


def test_k05_two_runs_of_one_name_are_two_holds_of_five_and_three_hours() -> None:
    pods = [
        a_pod_of(row, limits={"nvidia.com/gpu": row["gpus"]}, annotations={}) for row in case_rows("K05", "pods.csv")
    ]

    assert billed(*pods) == {"1": 300 * 60, "2": 180 * 60}


def test_k08_hami_pods_hold_shares_and_no_whole_cards() -> None:
    names = {"gpu": "nvidia.com/gpu", "gpucores": "nvidia.com/gpucores",
             "gpumem_percentage": "nvidia.com/gpumem-percentage"}  # fmt: skip
    pods = [
        a_pod_of(row, limits={name: row[column] for column, name in names.items() if row[column]}, annotations={})
        for row in case_rows("K08", "pods.csv")
    ]

    hours = {run: seconds / 3600 for run, seconds in billed(*pods).items()}

    assert sum(hours[run] for run in "abcd") == 1
    assert hours["e"] == Fraction(60, 100)


def test_k09_pods_hold_half_a_card_each_and_their_reservation_nothing() -> None:
    pods = [
        a_pod_of(row, limits={"nvidia.com/gpu": row["gpu_limit"]} if row["gpu_limit"] else {},
                 annotations={"gpu-fraction": row["gpu_fraction"]} if row["gpu_fraction"] else {})
        for row in case_rows("K09", "pods.csv")
    ]  # fmt: skip

    assert billed(*pods) == {"a": 1800, "b": 1800}


def test_k11_a_change_of_size_within_the_hour_is_held_at_each_size() -> None:
    rows = [{**row, "pod": f"{row['instance']}{number}"} for number, row in enumerate(case_rows("K11", "segments.csv"))]
    seconds = billed(*(a_pod_of(row, limits={"nvidia.com/gpu": row["gpus"]}, annotations={}) for row in rows))

    assert sum(held for run, held in seconds.items() if run.startswith("x")) == Fraction(7, 3) * 3600
    assert sum(held for run, held in seconds.items() if run.startswith("y")) == Fraction(11, 6) * 3600


@pytest.mark.parametrize("pods_are_listed", [False, True])
def test_k17_a_claimed_virtual_gpu_is_one_device_of_its_own_product(pods_are_listed: bool) -> None:
    claims = shared_file("data", "k8s", "dra_resourceclaim_allocated.yaml").read_bytes()
    slices = shared_file("data", "k8s", "dra_resourceslice.yaml").read_bytes()
    taken = instant("2026-07-06T14:00Z")
    objects = [("claims", taken, claims), ("claims", taken, slices)]
    if pods_are_listed:
        objects.append(("pods", taken, api_list("Pod", the_pod_of(yaml.safe_load(claims)))))

    day = KubernetesEstate(objects).day("2026-07-06")

    hold = day.holds.row(0, named=True)
    assert (hold["accelerator"], hold["device_count"], hold["sharing"]) == ("grid-a100-10c", 1, "whole")
    assert hold["held_from"] == instant("2026-07-06T13:16:19Z")
    assert day.runs["job_id"].to_list() == ["gpu-test1/dra-gpu-example-798fccd4d-sfl2p"]
    assert of_capacity(day, "capacity") == 86_400
    assert day.gpu_seconds == {"d36ca24f-9949-4c33-9d47-c06846f775b1": 43 * 60 + 41}


def the_pod_of(claims: dict[str, list[dict[str, dict[str, object]]]]) -> dict[str, object]:
    """The pod that the public claim names, as the API would have shown it."""
    (reserved,) = claims["items"][0]["status"]["reservedFor"]
    bound = {"type": "PodScheduled", "status": "True", "lastTransitionTime": "2026-07-06T13:16:19Z"}
    return {
        "metadata": {"name": reserved["name"], "uid": reserved["uid"], "namespace": "gpu-test1",
                     "creationTimestamp": "2026-07-06T13:16:19Z"},
        "spec": {"nodeName": "conformance-test-np1-qcqc8-bpdtl-wv2gs",
                 "containers": [{"name": "c", "resources": {"claims": [{"name": "gpu"}]}}],
                 "resourceClaims": [{"name": "gpu", "resourceClaimTemplateName": "single-gpu"}]},
        "status": {"phase": "Running", "conditions": [bound], "resourceClaimStatuses": [
            {"name": "gpu", "resourceClaimName": claims["items"][0]["metadata"]["name"]}]},
    }  # fmt: skip


def test_the_worked_day_is_held_to_the_second_and_adds_up_to_its_capacity() -> None:
    expected = json.loads(shared_file("worked-day", "expected.json").read_text())
    objects = [(source, instant("2026-07-09T00:10Z"), shared_file("worked-day", f"{source}.json").read_bytes())
               for source in ("pods", "nodes")]  # fmt: skip

    day = KubernetesEstate(objects).day(expected["day"])

    held = dict(day.runs.select("run", "job_name").rows())
    assert {held[run]: seconds for run, seconds in day.gpu_seconds.items()} == {
        name: figures["held"] for name, figures in expected["pods"].items()
    }
    never = day.runs.filter(gpu_count_basis="never started")["job_name"].to_list()
    assert never == expected["never_held"]
    assert {state: int(of_capacity(day, state)) for state in ("capacity", *STATES)} == {
        **dict.fromkeys(STATES, 0),
        **{name: expected[name] for name in ("capacity", "held", "unallocated")},
    }
    assert day.holds["accelerator"].unique().to_list() == ["a100-sxm4-80gb"]
