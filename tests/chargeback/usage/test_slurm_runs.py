"""runs of a Slurm day: counts with their basis, tiers, classes, end causes."""

from zoneinfo import ZoneInfo

import polars as pl
import pytest

from chargeback.usage.gpu_approvals import GpuCountApproval
from tests.chargeback.usage.sacct_days import SacctDays, psv
from tests.tables import CASES, instant, shared_file

HEADER = "JobIDRaw JobID State Submit Start End AllocTRES NodeList Partition QOS SubmitLine ReqTRES"
TIMES = "2026-07-03T08:00:00 2026-07-03T09:00:00 2026-07-03T10:00:00"
DAY = "2026-07-03"

NODES = b"NodeName=gpu01 Gres=gpu:a100:4\nNodeName=gpu02 Gres=gpu:h100:8\nNodeName=cpu01 Gres=(null)\n"


def days_of(*rows: str, **more) -> SacctDays:
    return SacctDays([psv(*rows, header=HEADER)], **more)


def counts(days: SacctDays) -> list[tuple]:
    return days.runs(DAY).select("job_id_raw", "gpu_count", "gpu_count_basis").rows()


def test_what_was_granted_counts_not_what_was_asked_for() -> None:
    days = SacctDays([(CASES / "S05" / "sacct.psv").read_bytes()])

    assert counts(days) == [("12345678", 4, "recorded")]
    assert days.gpu_seconds(DAY) == 4 * 3600


def test_a_job_without_a_count_on_a_gpu_host_is_unknown_never_zero() -> None:
    days = days_of(
        f"1 1 COMPLETED {TIMES} cpu=1 gpu01 gpu - - -",
        f"2 2 COMPLETED {TIMES} cpu=1 cpu01 gpu - - -",
        f"3 3 COMPLETED {TIMES} gres/gpu=0 gpu01 gpu - - -",
        f"4 4 COMPLETED {TIMES} gres/gpu=1 gpu01 gpu - - -",
        nodes=NODES,
    )

    assert counts(days) == [("1", None, "unknown"), ("2", 0, "no GPUs"), ("3", 0, "no GPUs"), ("4", 1, "recorded")]


def test_without_a_node_record_a_partition_in_which_somebody_got_gpus_has_gpus() -> None:
    days = days_of(
        f"1 1 COMPLETED {TIMES} cpu=1 x1 big - - -",
        f"2 2 COMPLETED {TIMES} cpu=1 x2 small - - -",
        f"3 3 COMPLETED {TIMES} gres/gpu=1 x3 big - - -",
    )

    assert counts(days) == [("1", None, "unknown"), ("2", 0, "no GPUs"), ("3", 1, "recorded")]


def test_an_extract_without_allocated_resources_says_nothing_of_gpus() -> None:
    days = SacctDays([psv(f"1 COMPLETED {TIMES}", header="JobIDRaw State Submit Start End")])

    assert counts(days) == [("1", None, "unknown")]


def test_seven_public_jobs_of_a_cluster_that_did_not_track_gpus_are_unknown() -> None:
    content = shared_file("data", "sacct", "hb-jobinfo", "sacct.txt").read_bytes()
    days = SacctDays([content], cluster="habrok", zone=ZoneInfo("Europe/Amsterdam"))

    dates = ("2023-08-31", "2023-09-01", "2023-09-04", "2023-11-02", "2023-11-03", "2023-07-02", "2023-06-30")
    found = pl.concat(days.runs(day) for day in dates).filter(pl.col("gpu_count_basis") == "unknown")

    assert {"4034541", "4046412", "5908801_3", "5896251", "5919551", "5933918"} <= set(found["job_id"])
    assert found["gpu_count"].null_count() == len(found)


@pytest.mark.parametrize("named", ["1", "1_7", "1@2026-07-03T09:00:00Z"])
@pytest.mark.parametrize(("gpus", "expected"), [(2, 2), (None, 4), (0, 0)])
def test_an_approval_settles_an_unknown_count(named: str, gpus: int | None, expected: int) -> None:
    approval = GpuCountApproval("c1", named, gpus, by="finance", reason="asked the user")
    days = days_of(f"1 1_7 COMPLETED {TIMES} cpu=1 gpu01 gpu - - -", nodes=NODES, approvals=[approval])

    assert counts(days) == [("1", expected, "approved")]
    assert days.gpu_seconds(DAY) == expected * 3600


def test_an_approval_never_changes_a_recorded_count_nor_another_cluster_s() -> None:
    approvals = [GpuCountApproval("c1", "1", 8, "x", "y"), GpuCountApproval("c2", "2", 8, "x", "y")]
    days = days_of(
        f"1 1 COMPLETED {TIMES} gres/gpu=1 gpu01 gpu - - -",
        f"2 2 COMPLETED {TIMES} cpu=1 gpu01 gpu - - -",
        nodes=NODES,
        approvals=approvals,
    )

    assert counts(days) == [("1", 1, "recorded"), ("2", None, "unknown")]


def test_jobs_that_never_started_hold_nothing_and_are_no_fault() -> None:
    days = SacctDays([(CASES / "S18" / "sacct.psv").read_bytes()])

    runs = days.runs("2026-07-01")

    assert runs["gpu_count_basis"].unique().to_list() == ["never started"]
    assert runs["job_id"].sort().to_list() == ["123_[1-10%3]", "4047445", "4103947_[91,100-102]"]
    assert days.holds("2026-07-01").is_empty()


def test_tier_and_class_come_from_the_scheduler() -> None:
    held = TIMES.replace(" ", "|")
    text = f"""{HEADER.replace(" ", "|")}
1|1|COMPLETED|{held}|gres/gpu=1|gpu01|gpu|scavenger|/usr/bin/srun --pty bash|gres/gpu=2
2|2|COMPLETED|{held}|gres/gpu=1|gpu01|gpu|normal|sbatch train.sh|
3|3|COMPLETED|{held}|gres/gpu=1|gpu01|gpu||salloc -n1|
""".encode()
    days = SacctDays([text], tiers={"scavenger": "preemptible"})

    found = days.runs(DAY).select("tier", "workload_class", "declared_gpus").rows()

    assert found == [("preemptible", "interactive", 2), ("standard", "batch", None), ("standard", "interactive", None)]


def test_the_setting_of_a_partition_decides_the_class_before_how_the_job_was_started() -> None:
    days = days_of(
        f"1 1 COMPLETED {TIMES} gres/gpu=1 gpu01 notebooks - salloc -",
        f"2 2 COMPLETED {TIMES} gres/gpu=1 gpu01 serving - srun -",
        f"3 3 COMPLETED {TIMES} gres/gpu=1 gpu01 gpu - srun -",
        classes={"notebooks": "interactive", "serving": "service"},
    )

    assert days.runs(DAY)["workload_class"].to_list() == ["interactive", "service", "interactive"]


def test_a_job_s_workload_is_its_name_else_its_id() -> None:
    header = "JobIDRaw JobID State Submit Start End AllocTRES NodeList JobName"
    rows = [f"1 8_1 COMPLETED {TIMES} gres/gpu=1 gpu01 train", f"2 8_2 COMPLETED {TIMES} gres/gpu=1 gpu01 train",
            f"3 9 COMPLETED {TIMES} gres/gpu=1 gpu01 -"]  # fmt: skip

    runs = SacctDays([psv(*rows, header=header)]).runs(DAY)

    assert runs["workload"].to_list() == ["Job/train", "Job/train", "Job/9"]
    assert runs["workload_ended"].null_count() == runs["labels"].null_count() == 3


def test_a_run_keeps_what_the_scheduler_will_forget() -> None:
    days = days_of(f"20 19+1 TIMEOUT {TIMES} gres/gpu=1 gpu[01-02] gpu normal - -", nodes=NODES)

    run = days.runs(DAY).row(0, named=True)

    assert run["run"] == "20@2026-07-03T09:00:00Z"
    assert (run["group"], run["host_count"], run["end_cause"]) == ("19", 2, "timeout")
    assert (run["submitted"], run["bound"], run["ended"]) == tuple(
        instant(f"2026-07-03T{hour}:00Z") for hour in ("08", "09", "10")
    )


def test_a_run_is_running_on_the_day_on_which_it_was_last_seen_only() -> None:
    row = "1 1 RUNNING 2026-07-02T08:00:00 2026-07-02T09:00:00 Unknown gres/gpu=1 gpu01 gpu - - - 90000"
    days = SacctDays([psv(row, header=f"{HEADER} ElapsedRaw")])

    assert days.runs("2026-07-02")["is_running"].to_list() == [False]
    assert days.runs("2026-07-03")["is_running"].to_list() == [True]
    assert days.runs("2026-07-03")["end_cause"].to_list() == [None]


def test_the_declared_limit_is_kept_but_what_was_held_counts() -> None:
    days = SacctDays([(CASES / "S28" / "sacct.psv").read_bytes()])

    assert days.runs(DAY)["limit_seconds"].to_list() == [14_400] * 4
    assert days.gpu_seconds(DAY) == 3600
