"""Per-host grants of running jobs from `scontrol show job -d`."""

from zoneinfo import ZoneInfo

import polars as pl
import pytest

from chargeback.billing_period import Interval
from chargeback.contracts.raw_bindings import RAW_BINDINGS
from chargeback.usage.extract import ParsedExtract, UnreadableExtract
from chargeback.usage.slurm_job_details import parse_job_details, raw_bindings_of_day
from tests.tables import instant, shared_file

UTC = ZoneInfo("UTC")
DAY = Interval(instant("2026-03-10T00:00Z"), instant("2026-03-11T00:00Z"))


def job(*, nodes: str, job_id: str = "7", start: str = "2026-03-10T10:00:00", run_time: str = "01:00:00") -> str:
    """A job as scontrol prints it, the lines that matter."""
    return (
        f"JobId={job_id} JobName=uneven JobId=8 StartTime=2020-01-01T00:00:00\n   JobState=RUNNING\n"
        f"   RunTime={run_time} TimeLimit=1-00\n"
        f"   StartTime={start} EndTime=2026-03-11T10:00:00 Deadline=N/A\n   NodeList=a100-[1-2]\n"
        f"   JOB_GRES=gpu:a100:5\n{nodes}   OverSubscribe=NO Contiguous=0\n"
    )


def parsed(text: str) -> ParsedExtract:
    """The sample of a cluster whose clock shows UTC."""
    return parse_job_details(text.encode(), cluster="slurm-a", zone=UTC)


def test_a_real_sample_shows_grants_of_running_jobs_only() -> None:
    content = shared_file("services", "slurm", "dumps", "first-run", "showjob-preempt.txt").read_bytes()

    found = parse_job_details(content, cluster="slurm-a", zone=UTC)

    assert found.frame.select("JobIDRaw", "host", "gres", "count", "device_indices").rows() == [
        ("29", "a100-1", "gpu:a100", 8, "0-7"),
        ("30", "a100-2", "gpu:a100", 8, "0-7"),
    ]
    assert (found.records, found.steps_ignored, found.quarantined) == (30, 28, ())


def test_finished_jobs_print_no_grant_and_give_no_row() -> None:
    content = shared_file("services", "slurm", "dumps", "scontrol-show-job-d.txt").read_bytes()

    assert parse_job_details(content, cluster="slurm-a", zone=UTC).frame.is_empty()


def test_an_uneven_count_is_recorded_host_by_host() -> None:
    nodes = (
        "     Nodes=a100-1 CPU_IDs=4 Mem=2048 GRES=gpu:a100:3(IDX:0,2-3)\n"
        "     Nodes=a100-2 CPU_IDs=0,33 Mem=2048 GRES=gpu:a100:2(IDX:0-1)\n"
    )

    found = parsed(job(nodes=nodes)).frame

    assert found.select("JobIDRaw", "host", "count", "device_indices", "OverSubscribe").rows() == [
        ("7", "a100-1", 3, "0,2-3", "NO"),
        ("7", "a100-2", 2, "0-1", "NO"),
    ]


def test_a_line_for_several_hosts_says_what_each_of_them_has() -> None:
    found = parsed(job(nodes="     Nodes=a100-[1-2] CPU_IDs=0 Mem=1 GRES=gpu:a100:4(IDX:0-3)\n")).frame

    assert found.select("host", "count").rows() == [("a100-1", 4), ("a100-2", 4)]


def test_shards_with_nested_indices_and_grants_of_old_versions_without_a_count_are_read() -> None:
    found = parsed(
        job(nodes="     Nodes=n1 CPU_IDs=0 Mem=1 GRES=shard:gb10:40(IDX:0(40/80)),gpu:2(IDX:1,3)\n")
        + job(job_id="8", nodes="     Nodes=n2 CPU_IDs=0 Mem=1 GRES_IDX=gpu:v100(IDX:0-1,3)\n")
    ).frame

    assert found.select("JobIDRaw", "gres", "count").rows() == [
        ("7", "shard:gb10", 40),
        ("7", "gpu", 2),
        ("8", "gpu:v100", 3),
    ]


def test_a_grant_that_cannot_be_read_quarantines_its_job_alone() -> None:
    found = parsed(
        job(nodes="     Nodes=n1 CPU_IDs=0 Mem=1 GRES=gpu:a100:(IDX:\n")
        + job(job_id="8", start="Unknown", nodes="     Nodes=n2 CPU_IDs=0 Mem=1 GRES=gpu:1(IDX:0)\n")
        + job(job_id="9", nodes="     Nodes=n3 CPU_IDs=0 Mem=1 GRES=gpu:1(IDX:0)\n")
    )

    assert found.frame["JobIDRaw"].to_list() == ["9"]
    assert [fault.line for fault in found.quarantined] == [1, 9]
    assert found.records == 3


def test_a_text_without_jobs_is_refused_unless_it_says_that_there_are_none() -> None:
    assert parsed("No jobs in the system\n").records == 0
    with pytest.raises(UnreadableExtract, match="no `JobId=` in it"):
        parsed("NodeName=gpu01 Gres=gpu:8\n")


def test_a_grant_stands_on_every_day_from_its_start_to_a_day_after_the_sample() -> None:
    nodes = "     Nodes=n1 CPU_IDs=0 Mem=1 GRES=gpu:1(IDX:0)\n"
    sample = parsed(job(start="2026-03-08T22:00:00", run_time="1-03:00:00", nodes=nodes)).frame
    landed = sample.with_columns(object=pl.lit("a"), extracted_at=pl.lit(instant("2026-03-10T01:00Z")))

    days = {}
    for day in ("2026-03-07", "2026-03-08", "2026-03-10", "2026-03-11", "2026-03-12"):
        interval = Interval(instant(f"{day}T00:00Z"), instant(f"{day[:8]}{int(day[8:]) + 1:02}T00:00Z"))
        found = raw_bindings_of_day(landed, cluster="slurm-a", day=day, interval=interval)
        assert RAW_BINDINGS.breaches(found) == []
        days[day] = len(found)

    assert days == {"2026-03-07": 0, "2026-03-08": 1, "2026-03-10": 1, "2026-03-11": 1, "2026-03-12": 0}


def test_many_samples_of_one_grant_are_one_row_of_the_first() -> None:
    nodes = "     Nodes=n1 CPU_IDs=0 Mem=1 GRES=gpu:1(IDX:0)\n"
    samples = [
        parsed(job(nodes=nodes, run_time=f"00:{minute:02}:00"))
        .frame.with_columns(object=pl.lit(f"at-{minute}"), extracted_at=pl.lit(instant(f"2026-03-10T10:{minute:02}Z")))
        for minute in (5, 10, 15)
    ]  # fmt: skip

    found = raw_bindings_of_day(pl.concat(samples[::-1]), cluster="slurm-a", day="2026-03-10", interval=DAY)

    assert found["object"].to_list() == ["at-5"]
