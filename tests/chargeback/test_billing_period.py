"""The billing calendar: local midnights in UTC, days of 23 to 25 hours, half-hour clocks, months."""

import itertools
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chargeback.billing_period import (
    BillingPeriod,
    Interval,
    day_interval,
    day_of,
    days_between,
    local_midnight,
    month_of,
)
from tests.tables import instant

AMSTERDAM = ZoneInfo("Europe/Amsterdam")
ZONES = st.sampled_from(
    ["UTC", "Europe/Amsterdam", "America/New_York", "Australia/Lord_Howe", "Asia/Kolkata", "America/Sao_Paulo",
     "Africa/Cairo", "Asia/Beirut", "Pacific/Apia", "America/Santiago"]
).map(ZoneInfo)  # fmt: skip
MONTHS = st.builds("{:04d}-{:02d}".format, st.integers(2008, 2030), st.integers(1, 12))


@pytest.mark.parametrize(
    ("zone", "day", "hours"),
    [
        ("Europe/Amsterdam", "2026-03-29", 23),
        ("Europe/Amsterdam", "2026-10-25", 25),
        ("Australia/Lord_Howe", "2026-04-05", 24.5),
        ("Australia/Lord_Howe", "2026-10-04", 23.5),
        ("America/Los_Angeles", "2023-11-05", 25),
        ("America/Los_Angeles", "2024-03-10", 23),
        ("America/Sao_Paulo", "2018-11-04", 23),
        ("UTC", "2026-03-29", 24),
    ],
)
def test_a_day_is_as_long_as_the_clock_says(zone: str, day: str, hours: float) -> None:
    interval = day_interval(day, ZoneInfo(zone))

    assert interval.seconds == hours * 3600
    assert sum(hour.seconds for hour in interval.hours()) == interval.seconds
    assert all(0 < hour.seconds <= 3600 for hour in interval.hours())


def test_a_day_whose_midnight_the_clock_skips_begins_at_its_first_instant() -> None:
    begins = local_midnight(datetime(2018, 11, 4).date(), ZoneInfo("America/Sao_Paulo"))  # noqa: DTZ001

    assert begins == instant("2018-11-04T03:00Z")
    assert day_of(begins - timedelta(seconds=1), ZoneInfo("America/Sao_Paulo")) == "2018-11-03"


def test_march_2026_in_amsterdam_has_743_hours() -> None:
    assert BillingPeriod("2026-03", AMSTERDAM).interval.seconds == 743 * 3600


def test_an_instant_belongs_to_the_local_day_and_month() -> None:
    assert day_of(instant("2026-02-28T23:00Z"), AMSTERDAM) == "2026-03-01"
    assert month_of(instant("2026-02-28T23:00Z"), AMSTERDAM) == "2026-03"
    assert month_of(instant("2026-02-28T22:59:59Z"), AMSTERDAM) == "2026-02"


def test_an_interval_that_ends_at_midnight_does_not_touch_the_next_day() -> None:
    touched = days_between(instant("2026-03-09T22:00Z"), instant("2026-03-10T23:00Z"), AMSTERDAM)

    assert touched == ["2026-03-09", "2026-03-10"]


def test_an_empty_interval_touches_the_day_of_its_start() -> None:
    assert days_between(instant("2026-03-10T23:00Z"), instant("2026-03-10T23:00Z"), AMSTERDAM) == ["2026-03-11"]


def test_the_month_before_january_is_december() -> None:
    assert BillingPeriod("2026-01", AMSTERDAM).previous == BillingPeriod("2025-12", AMSTERDAM)
    assert BillingPeriod("2026-03", AMSTERDAM).previous == BillingPeriod("2026-02", AMSTERDAM)


@given(zone=ZONES, month=MONTHS)
def test_the_days_of_a_month_follow_each_other_without_gap_or_overlap(zone: ZoneInfo, month: str) -> None:
    period = BillingPeriod(month, zone)
    intervals = [day_interval(day, zone) for day in period.days]

    assert all(first.end == second.start for first, second in itertools.pairwise(intervals))
    assert sum(interval.seconds for interval in intervals) == period.interval.seconds
    assert period.previous.interval.end == period.interval.start


@given(zone=ZONES, start=st.datetimes(datetime(2008, 1, 1), datetime(2030, 1, 1)), seconds=st.integers(0, 400_000))  # noqa: DTZ001
def test_the_days_that_an_interval_touches_cover_it_and_no_other_day_does(
    zone: ZoneInfo, start: datetime, seconds: int
) -> None:
    begins = start.replace(microsecond=0, tzinfo=ZoneInfo("UTC"))
    held = Interval(begins, begins + timedelta(seconds=seconds))

    touched = [day_interval(day, zone) for day in days_between(held.start, held.end, zone)]
    overlaps = [(min(held.end, day.end) - max(held.start, day.start)).total_seconds() for day in touched]

    assert sum(max(0, overlap) for overlap in overlaps) == seconds
    assert seconds == 0 or all(overlap > 0 for overlap, day in zip(overlaps, touched, strict=True) if day.seconds)


def test_a_day_that_the_calendar_skips_has_no_length_and_the_month_loses_nothing() -> None:
    samoa = ZoneInfo("Pacific/Apia")

    assert day_interval("2011-12-30", samoa).seconds == 0
    assert BillingPeriod("2011-12", samoa).interval.seconds == 30 * 86_400
