"""raw_sacct of a day: which observation of a run counts, whatever order the extracts arrive in."""

from datetime import UTC, datetime, timedelta
from fractions import Fraction
from itertools import permutations
from zoneinfo import ZoneInfo

import polars as pl
from hypothesis import given, settings
from hypothesis import strategies as st

from chargeback.billing_period import day_interval
from chargeback.contracts.contract import INSTANT
from chargeback.usage.sacct_observations import raw_sacct_of_day
from chargeback.usage.sacct_text import parse_sacct_text
from tests.chargeback.usage.sacct_days import SacctDays, gpu_seconds_of, psv
from tests.tables import CASES, shared_file

HEADER = "JobIDRaw State Submit Start End ElapsedRaw AllocTRES NodeList Partition"
PENDING = psv("7 PENDING 2026-07-30T08:00:00 Unknown Unknown 0 - - gpu", header=HEADER)
RUNNING = psv("7 RUNNING 2026-07-30T08:00:00 2026-07-30T10:00:00 Unknown 90000 gres/gpu=2 gpu01 gpu", header=HEADER)
ENDED = psv(
    "7 COMPLETED 2026-07-30T08:00:00 2026-07-30T10:00:00 2026-07-31T20:00:00 122400 gres/gpu=2 gpu01 gpu",
    header=HEADER,
)


def test_a_running_job_is_topped_up_when_it_ends_and_never_counted_twice() -> None:
    first, last = ((CASES / "S11" / f"sacct_day{day}.psv").read_bytes() for day in (1, 2))

    running, both = SacctDays([first]), SacctDays([first, last])

    days = ("2026-07-31", "2026-08-01")
    assert running.gpu_seconds(*days) == 23_643
    assert both.gpu_seconds(*days) == 36_000


def test_a_job_across_the_end_of_a_month_is_split_and_a_second_export_changes_nothing() -> None:
    content = (CASES / "S12" / "sacct.psv").read_bytes()

    once, twice = SacctDays([content]), SacctDays([content, content])

    for days in (once, twice):
        assert [days.gpu_seconds(day) / 3600 for day in ("2026-07-31", "2026-08-01")] == [8, 12]
    assert twice.raw("2026-07-31").equals(once.raw("2026-07-31"))


def test_a_pending_record_gives_way_to_the_run_that_it_became() -> None:
    days = SacctDays([PENDING, RUNNING])

    raw = days.raw("2026-07-30")

    assert raw.select("State", "object").rows() == [("RUNNING", "extract-1")]


def test_an_old_day_stays_as_it_was_when_only_later_days_changed() -> None:
    before, after = SacctDays([PENDING, RUNNING]), SacctDays([PENDING, RUNNING, ENDED])

    assert after.raw("2026-07-30").equals(before.raw("2026-07-30"))
    assert after.raw("2026-07-31")["State"].to_list() == ["COMPLETED"]


def test_a_final_state_is_not_undone_by_a_later_extract_that_still_says_running() -> None:
    days = SacctDays([ENDED, RUNNING])

    assert days.raw("2026-07-31")["State"].to_list() == ["COMPLETED"]


def test_a_run_stands_in_each_of_its_days_and_in_no_other() -> None:
    days = SacctDays([ENDED])

    assert [len(days.raw(day)) for day in ("2026-07-29", "2026-07-30", "2026-07-31", "2026-08-01")] == [0, 1, 1, 0]


def test_requeued_runs_of_one_job_are_different_runs() -> None:
    days = SacctDays([(CASES / "S09" / "sacct.psv").read_bytes()])

    assert len(days.raw("2026-07-05")) == 5
    assert days.gpu_seconds("2026-07-05") == 17_837


def test_a_job_id_that_came_round_again_is_another_job() -> None:
    days = SacctDays([(CASES / "S10" / "sacct.psv").read_bytes()])

    july = days.runs("2026-07-05")

    assert july.select("account", "run").rows() == [("lab-y", "12728301@2026-07-05T08:00:00Z")]
    assert days.gpu_seconds("2026-07-05") == 3600
    assert days.runs("2017-10-03")["account"].to_list() == ["lab-x"]


def test_a_local_hour_before_midnight_belongs_to_the_old_month() -> None:
    content = (CASES / "S16" / "sacct.psv").read_bytes()
    days = SacctDays([content], zone=ZoneInfo("Europe/Paris"), billing_zone=ZoneInfo("Europe/Paris"))

    for job in ("1", "2"):
        seconds = [
            gpu_seconds_of(days.holds(day).filter(pl.col("run").str.starts_with(f"{job}@")))
            for day in ("2026-07-31", "2026-08-01")
        ]
        assert seconds == [1800, 1800]


def landed(number: int, content: bytes) -> pl.DataFrame:
    return parse_sacct_text(content, cluster="c1", zone=ZoneInfo("UTC")).frame.with_columns(
        object=pl.lit(f"o{number}"),
        extracted_at=pl.lit(datetime(2026, 8, 1, tzinfo=UTC) + timedelta(hours=number)).cast(INSTANT),
    )


def test_the_order_in_which_objects_arrive_changes_nothing() -> None:
    frames = [landed(number, content) for number, content in enumerate([PENDING, RUNNING, ENDED, RUNNING])]
    days = ("2026-07-30", "2026-07-31")

    results = {
        tuple(
            raw_sacct_of_day(
                pl.concat(order),
                cluster="c1",
                day=day,
                interval=day_interval(day, ZoneInfo("UTC")),
                gpu_partitions={"gpu"},
            ).write_json()
            for day in days
        )
        for order in permutations(frames)
    }

    assert len(results) == 1


hours = st.integers(0, 70)


@settings(max_examples=12, deadline=None)
@given(started=hours, lasted=st.integers(1, 30 * 3600), seen=st.lists(st.integers(1, 30 * 3600), max_size=2))
def test_whatever_was_seen_of_a_run_its_days_add_up_to_the_whole(started: int, lasted: int, seen: list[int]) -> None:
    start = datetime(2026, 7, 29, tzinfo=UTC) + timedelta(hours=started)
    end = start + timedelta(seconds=lasted)
    running = [
        psv(f"7 RUNNING {start:%FT%T} {start:%FT%T} Unknown {min(at, lasted)} gres/gpu=3 gpu01 gpu", header=HEADER)
        for at in seen
    ]
    final = psv(f"7 FAILED {start:%FT%T} {start:%FT%T} {end:%FT%T} {lasted} gres/gpu=3 gpu01 gpu", header=HEADER)

    days = SacctDays([*running, final])

    touched = [f"2026-07-{day}" for day in (29, 30, 31)] + [f"2026-08-0{day}" for day in (1, 2, 3)]
    assert days.gpu_seconds(*touched) == 3 * lasted


def test_the_public_midnight_file_has_the_same_seconds_by_day_as_one_file_and_day_by_day() -> None:
    content = shared_file("data", "sacct", "gcm", "sample-sacct-output-midnight-edge-case.txt").read_bytes()
    header, *rows = content.decode().splitlines()
    by_end = [[row for row in rows if row.split("|")[3].startswith(day)] for day in ("2021-04-07", "2021-04-08")]
    pieces = ["\n".join([header, *part, ""]).encode() for part in by_end]

    expected = {"2021-04-04": 57, "2021-04-05": 849_592, "2021-04-06": 1_134_765, "2021-04-07": 1_594_443}
    for extracts in ([content], pieces):
        days = SacctDays(extracts)
        assert {day: wall_seconds(days, day) for day in expected} == expected
    assert sum(expected.values()) == 3_578_857


def wall_seconds(days: SacctDays, day: str) -> Fraction:
    interval = day_interval(day, days.billing_zone)
    runs = days.runs(day)
    return sum(
        (
            Fraction(int((min(until, interval.end) - max(start, interval.start)).total_seconds()))
            for start, until in runs.select("started", "observed_until").rows()
        ),
        Fraction(0),
    )


def test_a_job_that_never_started_stands_once_even_without_a_submit_time() -> None:
    header = "JobIDRaw State Start End AllocTRES"
    row = "7 CANCELLED None 2026-07-30T"
    days = SacctDays([psv(f"{row}08:00:00 -", f"{row}09:00:00 -", header=header)])

    assert days.raw("2026-07-30")["line"].to_list() == [3]


def test_a_job_requeued_in_the_second_of_its_start_has_one_run_by_that_key() -> None:
    ran = "7 REQUEUED 2026-07-30T08:00:00 2026-07-30T09:00:00 2026-07-30T09:00:00 0 gres/gpu=1 gpu01 gpu"
    waits = "7 CANCELLED 2026-07-30T09:00:00 None 2026-07-30T09:30:00 0 - - gpu"
    days = SacctDays([psv(ran, waits, header=HEADER)])

    assert days.runs("2026-07-30")["state"].to_list() == ["REQUEUED"]
