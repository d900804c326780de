"""How long a run held its hosts, where sacct's three figures agree and where they do not."""

from zoneinfo import ZoneInfo

import pytest

from chargeback.usage.extract import ParsedExtract
from chargeback.usage.sacct_text import parse_sacct_text
from tests.chargeback.usage.sacct_days import psv
from tests.tables import CASES, instant

AMSTERDAM = ZoneInfo("Europe/Amsterdam")
UTC_ZONE = ZoneInfo("UTC")


def parse(content: bytes, zone: ZoneInfo = UTC_ZONE) -> ParsedExtract:
    return parse_sacct_text(content, cluster="", zone=zone)


def held_seconds(parsed: ParsedExtract) -> list[int]:
    frame = parsed.frame.filter(parsed.frame["Start"].is_not_null())
    return [int((until - start).total_seconds()) for start, until in frame.select("Start", "started_until").rows()]


def test_a_clock_change_inside_a_job_adds_no_hour() -> None:
    parsed = parse((CASES / "S14" / "sacct.psv").read_bytes(), AMSTERDAM)

    assert held_seconds(parsed) == [864_027]


def test_a_suspended_job_keeps_its_gpus() -> None:
    parsed = parse((CASES / "S17" / "sacct.psv").read_bytes())

    assert held_seconds(parsed) == [36_000]
    assert parsed.frame["Suspended"].to_list() == [14_400]


@pytest.mark.parametrize(("start", "began"), [("02:30:00", "2026-10-25T01:30Z"), ("00:30:00", "2026-10-24T22:30Z")])
def test_in_the_hour_that_the_clock_repeats_the_length_of_the_run_says_which_one_it_was(start: str, began: str) -> None:
    elapsed = 1800 if start == "02:30:00" else 12_600
    content = psv(
        f"1 COMPLETED 2026-10-25T{start} 2026-10-25T03:00:00 {elapsed}", header="JobID State Start End ElapsedRaw"
    )

    parsed = parse(content, AMSTERDAM)

    assert parsed.frame.select("Start", "started_until").rows() == [(instant(began), instant("2026-10-25T02:00Z"))]


def test_where_the_clock_changed_the_elapsed_time_beats_end_minus_start() -> None:
    content = psv(
        "1 COMPLETED 2026-03-29T01:00:00 2026-03-29T04:00:00 10800", header="JobID State Start End ElapsedRaw"
    )

    assert held_seconds(parse(content, AMSTERDAM)) == [10_800]
    assert held_seconds(parse(content, UTC_ZONE)) == [10_800]


def test_a_suspension_that_the_extract_does_not_show_is_held_all_the_same() -> None:
    content = psv("1 COMPLETED 2026-07-03T09:00:00 2026-07-03T12:00:00 3600", header="JobID State Start End ElapsedRaw")

    assert held_seconds(parse(content)) == [10_800]


def test_figures_that_contradict_each_other_are_quarantined_with_the_difference() -> None:
    header = "JobID State Start End ElapsedRaw Suspended"
    content = psv(
        "1 COMPLETED 2026-07-03T09:00:00 2026-07-03T10:00:00 7200 0",
        "2 COMPLETED 2026-07-03T09:00:00 2026-07-03T10:00:00 1800 00:10:00",
        header=header,
    )

    parsed = parse(content)

    assert [record.reason for record in parsed.quarantined] == [
        "End - Start is 3600 s, Elapsed + Suspended 7200 s: they differ by -3600 s",
        "End - Start is 3600 s, Elapsed + Suspended 2400 s: they differ by 1200 s",
    ]


def test_elapsed_stands_in_for_elapsed_raw_and_end_minus_start_for_both() -> None:
    by_text = psv(
        "1 COMPLETED 2026-07-03T09:00:00 2026-07-03T10:00:00 01:00:00", header="JobID State Start End Elapsed"
    )
    by_end = psv("1 COMPLETED 2026-07-03T09:00:00 2026-07-03T10:00:00", header="JobID State Start End")

    assert parse(by_text).frame["ElapsedRaw"].to_list() == [3600]
    assert parse(by_end).frame["ElapsedRaw"].to_list() == [3600]


def test_a_running_job_is_held_to_its_last_observation() -> None:
    content = psv(
        "1 RUNNING 2026-07-03T09:00:00 Unknown 3600 00:30:00",
        "2 SUSPENDED 2026-07-03T09:00:00 2026-07-03T09:00:00 3600 0",
        "3 RUNNING 2026-07-03T09:00:00 Unknown - -",
        header="JobID State Start End ElapsedRaw Suspended",
    )

    parsed = parse(content)

    assert held_seconds(parsed) == [5400, 3600]
    assert parsed.frame["End"].to_list() == [None, None]
    assert [record.reason[:30] for record in parsed.quarantined] == ["running, but no Elapsed says f"]


def test_a_job_that_never_started_has_no_start_whatever_is_expected_of_it() -> None:
    content = psv(
        "1 PENDING 2026-07-01T09:00:00 Unknown Unknown 0",
        "2 PENDING 2026-07-01T09:00:00 2026-07-09T09:00:00 Unknown 0",
        "3 CANCELLED 2026-07-01T09:00:00 None 2026-07-01T10:00:00 0",
        header="JobID State Submit Start End ElapsedRaw",
    )

    parsed = parse(content)

    assert parsed.frame["Start"].to_list() == [None, None, None]
    assert parsed.frame["overlaps_from"].to_list() == [instant("2026-07-01T09:00Z")] * 3
    assert parsed.quarantined == ()


def test_a_started_record_speaks_of_the_days_that_it_waited_but_not_of_months() -> None:
    content = psv(
        "1 COMPLETED 2026-07-01T09:00:00 2026-07-03T09:00:00 2026-07-03T10:00:00",
        "2 COMPLETED 2026-01-01T09:00:00 2026-07-03T09:00:00 2026-07-03T10:00:00",
        header="JobID State Submit Start End",
    )

    parsed = parse(content)

    assert parsed.frame["overlaps_from"].to_list() == [instant("2026-07-01T09:00Z"), instant("2026-07-03T09:00Z")]


def test_a_damaged_figure_never_makes_a_run_of_centuries() -> None:
    content = psv(
        "1 RUNNING 2026-07-03T09:00:00 Unknown 999999999999",
        "2 COMPLETED 2026-07-03T09:00:00 2086-07-03T09:00:00 -",
        header="JobID State Start End ElapsedRaw",
    )

    parsed = parse(content)

    assert [record.reason for record in parsed.quarantined] == [
        "ElapsedRaw 999999999999 is no duration",
        "End is more than ten years after Start",
    ]
