"""Cases in which others attributed GPU work wrongly, with the right value: through the real parsers to attribution."""

import csv
import io
from fractions import Fraction

import polars as pl

from chargeback.usage.label_agreement import labels_against_holds
from tests.chargeback.measured_days import MeasuredDay, every_minute, job, measured_jobs, measured_pods
from tests.chargeback.usage.kubernetes_days import KubernetesDays, a_node, a_pod, gpus
from tests.chargeback.usage.telemetry import (
    ENGINE,
    SM,
    START,
    UTIL,
    day_of,
    matrix,
    observed,
    series,
    telemetry_said,
)
from tests.tables import CASES, instant, shared_file

IDLE_UNTIL_MIDNIGHT = ("00:00", "24:00", 0)


def case(*path: str) -> list[dict[str, str]]:
    """Rows of a case's CSV."""
    return list(csv.DictReader(io.StringIO(CASES.joinpath(*path).read_text())))


def a_host(metric: str, count: int, first: str, last: str, value: object) -> list[dict[str, object]]:
    """Series of so many GPUs of n1, without any workload label."""
    return [every_minute(metric, first, last, value, UUID=f"GPU-{at}", gpu=str(at)) for at in range(count)]


def test_d03_pods_that_share_a_card_in_time_slices_split_what_the_card_did_and_never_each_claim_all_of_it() -> None:
    lines = shared_file("data", "dcgm", "07_time_sliced_identical_values.prom").read_text().splitlines()
    hour = range(36_000, 39_600, 60)
    stamped = "\n".join(f"{line} {1000 * (START + at)}" for at in hour for line in lines)
    pods = [
        a_pod(f"u-{n}", {"nvidia.com/gpu": "1"}, namespace="default", name=f"gpu-workload-{n}",
              scheduled="2026-07-08T10:00Z", finished="2026-07-08T11:00Z", created="2026-07-08T10:00Z")
        for n in (1, 2, 3)
    ]  # fmt: skip
    node = a_node(count=1, labels={"nvidia.com/gpu.replicas": "3"}, capacity={"nvidia.com/gpu": "3"})

    day = measured_pods(KubernetesDays(pods, [node]), telemetry_said(observed(stamped.encode())))

    assert set(day.gpu_hours("consumed_ppm_milliseconds").values()) == {Fraction(238, 1000)}
    assert sum(day.gpu_hours("consumed_ppm_milliseconds").values()) == Fraction(714, 1000)
    assert day.hours["is_estimate"].all()


def test_d04_a_pod_of_a_shared_card_that_no_series_names_is_billed_its_share_and_is_not_measured() -> None:
    pod = a_pod("u-1", {"nvidia.com/gpu.shared": "1"}, name="test", created="2026-07-08T10:00Z",
                scheduled="2026-07-08T10:00Z", finished="2026-07-08T11:00Z")  # fmt: skip
    node = a_node(count=1, labels={"nvidia.com/gpu.replicas": "8"}, capacity={"nvidia.com/gpu.shared": "8"})

    day = measured_pods(KubernetesDays([pod], [node]), day_of(every_minute(SM, *IDLE_UNTIL_MIDNIGHT)))

    assert day.gpu_hours("unmeasured_milliseconds") == {"team-a/test": Fraction(1, 8)}
    assert day.gpu_hours("idle_milliseconds") == {"team-a/test": 0}


def test_d06_the_scheduler_s_intervals_win_over_a_label_that_stays_on_and_the_disagreement_is_told() -> None:
    pods = [
        a_pod(row["pod"], gpus(row["gpus"]), namespace="lab", created=row["start"], scheduled=row["start"],
              finished=row["end"])
        for row in case("D06", "pods.csv")
    ]  # fmt: skip
    days = KubernetesDays([_on_the_8th(pod) for pod in pods], [a_node("n1", count=1)])
    samples: dict[str, dict[float, object]] = {}
    for row in case("D06", "samples.csv"):
        second = int((instant(row["t"]) - instant("2026-07-03T00:00Z")).total_seconds())
        samples.setdefault(row["pod"], {})[second] = row["value"]
    labelled = [series(UTIL, values, namespace="lab", pod=pod, container="c") for pod, values in samples.items()]
    telemetry = telemetry_said(observed(matrix(*labelled)), staleness=900)

    day = measured_pods(days, telemetry, staleness=900)
    told = labels_against_holds(telemetry.devices, day.runs, day.bindings, tolerance_seconds=900)

    assert day.gpu_hours("consumed_ppm_milliseconds") == {"lab/a": Fraction(6, 10), "lab/b": Fraction(5, 10)}
    assert day.gpu_hours("unmeasured_milliseconds") == {"lab/a": 0, "lab/b": 0}
    assert day.unheld["hour_start"].to_list() == [instant("2026-07-08T11:00Z")]  # the last sample, until it is stale
    assert told["key"].to_list() == ["n1 GPU-1 labelled lab/a"]


def _on_the_8th(pod: dict[str, object]) -> dict[str, object]:
    """The same pod five days later, on the day that telemetry is made for."""
    return {name: value + (instant("2026-07-08T00:00Z") - instant("2026-07-03T00:00Z"))
            if name in ("creationTimestamp", "scheduled", "finished") else value
            for name, value in pod.items()}  # type: ignore[operator]  # fmt: skip


def test_d10_a_job_that_the_map_lists_twice_consumed_what_its_gpu_did_once() -> None:
    eighty = every_minute(UTIL, "10:00", "11:00", 80, hpc_job="3")

    day = measured_jobs(job(3, "10:00", "11:00", gpus=1), gpus=8, telemetry=day_of(eighty, eighty))

    assert day.gpu_hours("consumed_ppm_milliseconds") == {"3": Fraction(8, 10)}


D12_JOBS = """\
JobId={job} JobName=j
   RunTime=00:30:00 TimeLimit=1-00:00:00
   StartTime=2026-07-08T10:00:00 EndTime=2026-07-09T10:00:00
   Nodes=n1 CPU_IDs=0 Mem=0 GRES=gpu:a100:1(IDX:{minor})
"""


def test_d12_an_index_finds_its_gpu_through_the_map_and_without_one_it_is_refused() -> None:
    shown = "\n".join(D12_JOBS.format(**row) for row in case("D12", "alloc.csv"))
    jobs = [job(int(row["job"]), "10:00", "11:00", gpus=1, account=row["account"]) for row in case("D12", "alloc.csv")]
    used = [
        every_minute(UTIL, "10:00", "11:00", row["util"], UUID=row["uuid"], gpu=row["nvml_index"])
        for row in case("D12", "util.csv")
    ]
    maps = [f"n1,{row['minor']},{row['nvml_index']},{row['uuid']}" for row in case("D12", "map.csv")]
    device_map = "\n".join(["host,minor,nvml_index,uuid", *maps, ""])

    day = measured_jobs(*jobs, gpus=8, telemetry=day_of(*used), job_details=shown, device_map=device_map)
    refused = measured_jobs(*jobs, gpus=8, telemetry=day_of(*used), job_details=shown)

    by_account = dict(day.runs.select("job_id", "account").rows())
    consumed = day.gpu_hours("consumed_ppm_milliseconds")
    assert {by_account[name]: hours for name, hours in consumed.items()} == {
        "lab-a": Fraction(90, 100), "lab-b": Fraction(5, 100),
    }  # fmt: skip
    assert refused.gpu_hours("consumed_ppm_milliseconds") == {"1": 0, "2": 0}
    assert refused.gpu_hours("unmeasured_milliseconds") == {"1": 1, "2": 1}


def test_d13_jobs_that_share_a_host_do_not_inherit_its_mean_where_nothing_says_which_gpus_are_whose() -> None:
    half = [
        every_minute(UTIL, "10:00", "11:00", 100 if at < 4 else 0, UUID=f"GPU-{at}", gpu=str(at)) for at in range(8)
    ]
    jobs = [job(1, "10:00", "11:00", gpus=4), job(2, "10:00", "11:00", gpus=4)]

    day = measured_jobs(*jobs, gpus=8, telemetry=day_of(*half))

    assert day.bindings.is_empty()
    assert day.gpu_hours("consumed_ppm_milliseconds") == {"1": 0, "2": 0}
    assert day.gpu_hours("unmeasured_milliseconds") == {"1": 4, "2": 4}
    assert day.unheld.filter(pl.col("hour_start") < instant("2026-07-08T11:00Z")).is_empty()


def test_d14_a_job_that_runs_nothing_on_a_whole_host_is_idle_by_its_gpus_own_series_and_else_unmeasured() -> None:
    all_day = job(1, "00:00", "24:00", gpus=8)

    seen = measured_jobs(all_day, gpus=8, telemetry=day_of(*a_host(UTIL, 8, *IDLE_UNTIL_MIDNIGHT)))
    unseen = measured_jobs(all_day, gpus=8)

    assert seen.gpu_hours("idle_milliseconds") == {"1": 192}
    assert set(seen.bindings["evidence"]) == {"whole node"}
    assert unseen.gpu_hours("unmeasured_milliseconds") == {"1": 192}
    assert unseen.gpu_hours("idle_milliseconds") == {"1": 0}


def test_d15_a_field_that_is_absent_from_noon_on_is_neither_zero_nor_its_last_value_but_unmeasured() -> None:
    morning = day_of(*a_host(UTIL, 1, "00:00", "12:00", 0))

    day = measured_jobs(job(1, "00:00", "24:00", gpus=1), gpus=1, telemetry=morning)

    last_value_may_hold = Fraction(90 - 60, 3600)
    assert day.gpu_hours("idle_milliseconds") == {"1": 12 + last_value_may_hold}
    assert day.gpu_hours("unmeasured_milliseconds") == {"1": 12 - last_value_may_hold}


def test_d16_an_idle_host_that_exports_nothing_has_its_capacity_from_the_inventory() -> None:
    day = measured_jobs(gpus=4)

    first_six_hours = day.capacity.filter(pl.col("hour_start") < instant("2026-07-08T06:00Z"))
    assert first_six_hours["unallocated_unit_seconds"].sum() == 24 * 3600
    assert day.unheld.is_empty()


def test_d20_a_gpu_that_was_seen_for_70_of_120_minutes_is_at_60_per_cent_of_what_was_seen() -> None:
    scraped = {
        "00:00": "00:39",
        "01:30": "02:00",
    }  # the 39th sample holds for a minute, then for 30 s until it is stale
    seen = {at: 60 for first, last in scraped.items() for at in range(_second(first), _second(last), 60)}
    seen = {at: value for at, value in seen.items() if at != _second("00:38")} | {_second("00:38") + 30: 60}

    day = measured_jobs(job(1, "00:00", "02:00", gpus=1), gpus=1, telemetry=day_of(series(UTIL, seen)))

    assert day.gpu_hours("observed_milliseconds") == {"1": Fraction(70, 60)}
    assert day.gpu_hours("unmeasured_milliseconds") == {"1": Fraction(50, 60)}
    assert day.gpu_hours("consumed_ppm_milliseconds")["1"] / Fraction(70, 60) == Fraction(60, 100)
    assert round(100 * Fraction(70, 120), 2) == Fraction("58.33")


def _second(clock: str) -> int:
    return int(clock[:2]) * 3600 + int(clock[3:]) * 60


def test_k18_work_that_no_scheduler_granted_is_an_exception_of_one_gpu_hour_and_nobody_s() -> None:
    work = every_minute(UTIL, "10:00", "11:00", 80)
    rest = every_minute(UTIL, "11:00", "24:00", 0)

    day: MeasuredDay = measured_jobs(gpus=1, telemetry=day_of(work, rest))

    assert day.unheld.select("hour_start", "host", "gpu", "accelerator", "active_milliseconds", "labels").rows() == [
        (instant("2026-07-08T10:00Z"), "n1", "GPU-1", "a100-sxm4-80gb", 3_600_000, None)
    ]
    assert day.hours.is_empty()


def test_a_slice_of_a_card_is_measured_by_its_own_series_and_bound_by_its_pod_s_label() -> None:
    pod = a_pod("u-1", {"nvidia.com/mig-3g.40gb": "1"}, name="test", created="2026-07-08T10:00Z",
                scheduled="2026-07-08T10:00Z", finished="2026-07-08T11:00Z")  # fmt: skip
    node = a_node(count=1, capacity={"nvidia.com/mig-3g.40gb": "2"})
    labelled = every_minute(ENGINE, "10:00", "11:00", 0.5, GPU_I_ID="2", GPU_I_PROFILE="3g.40gb", pod="test",
                            namespace="team-a", container="c")  # fmt: skip
    other = every_minute(ENGINE, "10:00", "11:00", 0.9, GPU_I_ID="1", GPU_I_PROFILE="3g.40gb")

    day = measured_pods(KubernetesDays([pod], [node]), day_of(labelled, other))

    assert day.bindings["gpu"].to_list() == ["GPU-1/2"]
    assert day.gpu_hours("consumed_ppm_milliseconds") == {"team-a/test": Fraction(5, 10) * Fraction(3, 7)}
    assert day.unheld["gpu"].to_list() == ["GPU-1/1", "GPU-1/1", "GPU-1/2"]
