"""An arriving object requests exactly the days whose facts it changes; every sentence of that rule has a test."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from resources.landing import LandedObject
from tests.raw_estate import RawEstate

HEADER = (
    "JobIDRaw|JobID|Account|User|QOS|Partition|State|Submit|Start|End|ElapsedRaw|Suspended|AllocTRES|NodeList|JobName"
)


def night(day: int) -> datetime:
    """Ten past midnight before a day of October."""
    return datetime(2026, 10, day, 0, 10, tzinfo=UTC)


def instant(text: str) -> datetime:
    """`05 08:00` of October; `09-20 08:00`."""
    return datetime.fromisoformat(f"2026-{text if text[2] == '-' else '10-' + text}:00")


def job(number: int, start: str, end: str, *, gpus: int = 1, partition: str = "gpu", state: str = "COMPLETED") -> str:
    """One sacct record; of a running one `end` is when it was seen."""
    begins, ends = instant(start), instant(end)
    shown = "Unknown" if state == "RUNNING" else ends.isoformat()
    seconds = int((ends - begins).total_seconds())
    tres = f"gres/gpu={gpus}" if gpus else "cpu=4"
    times = f"{begins.isoformat()}|{begins.isoformat()}|{shown}|{seconds}|00:00:00"
    return f"{number}|{number}|lab|u|normal|{partition}|{state}|{times}|{tres}|gpu01|j{number}"


def running(number: int, start: str, seen: str) -> str:
    """A record of a job that goes on."""
    return job(number, start, seen, state="RUNNING")


def sacct(*records: str) -> bytes:
    return "\n".join([HEADER, *records, ""]).encode()


@pytest.fixture
def estate(tmp_path: Path) -> RawEstate:
    """Made on the morning of 4 October: one job of two days, one that runs since the first."""
    estate = RawEstate.begun_in(tmp_path, first_day="2026-10-01")
    landed = sacct(running(1, "01 08:00", "04 00:10"), job(2, "02 20:00", "03 04:00"))
    estate.land("slurm/sacct", landed, at=night(4))
    estate.make(now=night(4))
    return estate


def days(*names: str, cluster: str = "slurm-a") -> list[str]:
    return [f"{cluster}|2026-10-{name}" for name in names]


def test_a_late_record_touches_the_days_that_it_ran_on_and_no_other(estate: RawEstate) -> None:
    late = estate.land("slurm/sacct", sacct(job(3, "01 12:00", "02 01:00")), at=night(5))

    touched = estate.touched(late, now=night(4))

    assert dict(touched.days) == {key: {late.key} for key in days("01", "02")}
    assert (touched.months, touched.changed_nothing, touched.refused) == ({}, frozenset(), {})


def test_a_months_long_job_in_a_nightly_extract_touches_the_newest_days_only(estate: RawEstate) -> None:
    nightly = estate.land(
        "slurm/sacct", sacct(running(1, "01 08:00", "05 00:10"), job(2, "02 20:00", "03 04:00")), at=night(5)
    )

    assert list(estate.touched(nightly, now=night(5)).days) == days("04", "05")


def test_an_overlapping_extract_that_says_nothing_new_touches_nothing(estate: RawEstate) -> None:
    again = estate.land("slurm/sacct", sacct(job(2, "02 20:00", "03 04:00")), at=night(5))

    touched = estate.touched(again, now=night(5))

    assert (touched.days, touched.changed_nothing) == ({}, {again.key})


def test_the_same_object_touches_nothing_once_its_days_were_made_from_it(estate: RawEstate) -> None:
    late = estate.land("slurm/sacct", sacct(job(3, "01 12:00", "02 01:00")), at=night(5))
    estate.make(now=night(4), only=estate.touched(late, now=night(4)).days)

    assert estate.touched(late, now=night(4)).changed_nothing == {late.key}


def test_bytes_that_landed_before_are_no_other_object(estate: RawEstate) -> None:
    again = estate.land(
        "slurm/sacct", sacct(running(1, "01 08:00", "04 00:10"), job(2, "02 20:00", "03 04:00")), at=night(9)
    )

    assert estate.touched(again, now=night(4)).changed_nothing == {again.key}


def test_a_stretch_that_a_later_extract_takes_back_is_touched_too(estate: RawEstate) -> None:
    ended = job(1, "01 08:00", "01 09:00", state="CANCELLED")
    corrected = estate.land("slurm/sacct", sacct(ended, job(4, "04 01:00", "04 02:00")), at=night(5))

    touched = estate.touched(corrected, now=night(5))
    estate.make(now=night(5), only=touched.days)

    assert list(touched.days) == days("01", "02", "03", "04")
    assert estate.differing(now=night(5)) == set()


def test_a_stretch_is_taken_back_though_no_record_of_the_later_extract_reaches_its_days(estate: RawEstate) -> None:
    ended = sacct(job(1, "01 08:00", "01 09:00", state="CANCELLED"))
    corrected = estate.land("slurm/sacct", ended, at=night(5))

    touched = estate.touched(corrected, now=night(5))
    estate.make(now=night(5), only=touched.days)

    assert list(touched.days) == days("01", "02", "03", "04")
    assert estate.differing(now=night(5)) == set()


def test_what_lies_before_the_first_day_or_after_now_is_not_requested(estate: RawEstate) -> None:
    wide = estate.land("slurm/sacct", sacct(job(5, "09-20 00:00", "06 00:00")), at=night(7))

    assert list(estate.touched(wide, now=night(3)).days) == days("01", "02", "03")


def test_a_day_of_a_closed_month_is_never_requested(estate: RawEstate) -> None:
    from chargeback.contracts.rated_usage import RATED_USAGE

    estate.workspace.lake.close_month("2026-10", by="finance", certificate_hash="c" * 64, contracts=[RATED_USAGE])
    late = estate.land("slurm/sacct", sacct(job(3, "01 12:00", "02 01:00")), at=night(5))

    assert estate.touched(late, now=night(5)).changed_nothing == {late.key}


def test_an_object_of_a_cluster_or_source_that_the_settings_do_not_know_is_refused(estate: RawEstate) -> None:
    landing = estate.workspace.landing
    common = {"extracted_at": night(5), "extension": "psv"}
    strange = landing.land(sacct(job(9, "01 12:00", "01 12:30")), source="slurm/sacct", cluster="slurm-z", **common)
    misplaced = landing.land(sacct(job(9, "01 13:00", "01 13:30")), source="slurm/sacct", cluster="k8s-b", **common)

    refused = estate.touched(strange, misplaced, now=night(5)).refused

    assert "cluster 'slurm-z' is not in chargeback.toml" in refused[strange.key]
    assert "slurm/sacct is no source of cluster k8s-b, whose scheduler is kubernetes" in refused[misplaced.key]


def test_records_that_cannot_be_read_touch_the_day_that_they_speak_of(estate: RawEstate) -> None:
    broken = estate.land("slurm/sacct", sacct(job(8, "02 12:00", "01 01:00")), at=night(5))

    touched = estate.touched(broken, now=night(5))

    assert set(touched.days) == estate.differing(now=night(5)) != set()


def test_a_partition_that_turns_out_to_have_gpus_touches_every_day_of_its_jobs(estate: RawEstate) -> None:
    quiet = estate.land("slurm/sacct", sacct(job(6, "02 01:00", "02 02:00", gpus=0, partition="mixed")), at=night(5))
    estate.make(now=night(4), only=estate.touched(quiet, now=night(4)).days)
    telling = estate.land("slurm/sacct", sacct(job(7, "03 01:00", "03 02:00", partition="mixed")), at=night(6))

    assert list(estate.touched(telling, now=night(4)).days) == days("02", "03")


def test_a_node_listing_touches_the_days_on_which_it_is_another_inventory(estate: RawEstate) -> None:
    def listing(gpus: int, state: str = "IDLE") -> bytes:
        return f"NodeName=gpu01 Gres=gpu:h100:{gpus} State={state}\n".encode()

    first = estate.land("slurm/nodes", listing(8), at=night(2), extension="txt")
    by_the_first = list(estate.touched(first, now=night(4)).days)
    estate.make(now=night(4))
    same = estate.land("slurm/nodes", listing(8, "MIXED"), at=night(3), extension="txt")
    other = estate.land("slurm/nodes", listing(4), at=night(4), extension="txt")

    assert by_the_first == days("01", "02", "03", "04")
    assert estate.touched(same, other, now=night(4)).changed_nothing == {same.key}
    assert list(estate.touched(same, other, now=night(4)).days) == days("04")


def test_telemetry_touches_the_days_that_its_samples_hold_on_once(estate: RawEstate) -> None:
    def scraped(day: int, clock: str) -> LandedObject:
        at = datetime.fromisoformat(f"2026-10-{day:02}T{clock}+00:00")
        text = f'DCGM_FI_DEV_GPU_UTIL{{gpu="0",UUID="GPU-1",Hostname="gpu01"}} 87 {int(at.timestamp() * 1000)}\n'
        return estate.land("dcgm", text.encode(), at=at + timedelta(seconds=1), extension="prom")

    midday, midnight = scraped(2, "12:00:00"), scraped(2, "23:59:50")

    assert list(estate.touched(midday, now=night(4)).days) == days("02")
    assert list(estate.touched(midnight, now=night(4)).days) == days("02", "03")
    estate.make(now=night(4))
    assert estate.touched(midday, midnight, now=night(4)).days == {}
