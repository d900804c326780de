"""Attribution by the hour: every held second in the hour in which it was held, unmeasured without telemetry."""

from zoneinfo import ZoneInfo

import polars as pl
import pytest

from chargeback.attribution.conservation import attribution_against_holds, states_add_up
from chargeback.billing_period import BillingPeriod, Interval, day_interval
from chargeback.contracts.attribution import ATTRIBUTION
from chargeback.contracts.holds import HOLDS
from tests.chargeback.attribution.unmeasured import unmeasured_hours
from tests.tables import a_table_of, instant

UTC_DAY = Interval(instant("2026-03-10T00:00Z"), instant("2026-03-11T00:00Z"))
WHOLE = {"host": "gpu01", "accelerator": "h100", "sharing": "whole", "split": "one host"}


def attributed(holds: pl.DataFrame, interval: Interval = UTC_DAY) -> pl.DataFrame:
    """Hours of the holds; checked against the contract and for conservation."""
    hours = unmeasured_hours(holds, cluster="slurm-a", day="2026-03-10", interval=interval)
    assert ATTRIBUTION.breaches(hours) == []
    assert attribution_against_holds(hours, holds).is_empty()
    assert states_add_up(hours).is_empty()
    return hours


def always_on(interval: Interval, *, gpus: int = 1) -> pl.DataFrame:
    """A hold of the whole interval."""
    return a_table_of(HOLDS, "run\n1", held_from=interval.start, held_until=interval.end, device_count=gpus, **WHOLE)


def test_a_hold_is_cut_at_full_hours_and_counts_its_devices() -> None:
    holds = a_table_of(HOLDS, """
        run  held_from          held_until         device_count
        1    2026-03-10T09:30Z  2026-03-10T11:15Z  4
    """, **WHOLE)  # fmt: skip

    hours = attributed(holds)

    assert hours["hour_start"].dt.hour().to_list() == [9, 10, 11]
    assert hours["held_seconds"].to_list() == [4 * 1800, 4 * 3600, 4 * 900]


def test_without_telemetry_every_held_second_is_unmeasured_and_none_is_idle() -> None:
    hours = attributed(always_on(UTC_DAY))

    assert (hours["unmeasured_milliseconds"] == hours["held_seconds"] * 1000).all()
    assert hours["idle_milliseconds"].sum() == 0
    assert hours["observed_milliseconds"].sum() == 0
    assert hours["energy_microjoules"].null_count() == len(hours)
    assert hours["gpu"].unique().to_list() == [""]


def test_a_hold_that_reaches_out_of_its_day_is_refused_since_it_would_be_billed_twice() -> None:
    holds = always_on(Interval(UTC_DAY.start, instant("2026-03-11T00:00:01Z")))

    with pytest.raises(ValueError, match="is not inside 2026-03-10"):
        unmeasured_hours(holds, cluster="slurm-a", day="2026-03-10", interval=UTC_DAY)


@pytest.mark.parametrize(
    ("zone", "day", "hours", "last_hour_seconds"),
    [
        ("America/Los_Angeles", "2023-11-05", 25, 3600),
        ("America/Los_Angeles", "2024-03-10", 23, 3600),
        ("Australia/Lord_Howe", "2026-04-05", 25, 1800),
        ("Australia/Lord_Howe", "2026-10-04", 24, 1800),
        ("Asia/Kathmandu", "2026-10-04", 24, 3600),
    ],
)
def test_an_always_on_gpu_fills_every_hour_of_a_day_on_which_the_clock_changes(
    zone: str, day: str, hours: int, last_hour_seconds: int
) -> None:
    interval = day_interval(day, ZoneInfo(zone))

    found = attributed(always_on(interval), interval)

    assert len(found) == hours
    assert found["held_seconds"].to_list() == [3600] * (hours - 1) + [last_hour_seconds]


def test_a_one_minute_series_across_the_spring_clock_change_of_new_york_is_bucketed_in_utc() -> None:
    interval = day_interval("2024-03-10", ZoneInfo("America/New_York"))
    minutes = pl.datetime_range(
        interval.start, interval.end, "1m", closed="left", time_unit="us", time_zone="UTC", eager=True
    )
    blank = a_table_of(HOLDS, "run\n1", device_count=1, **WHOLE)
    holds = pl.concat([blank] * len(minutes)).with_columns(
        run=pl.int_range(pl.len()).cast(pl.String), held_from=minutes, held_until=minutes.dt.offset_by("1m")
    )

    found = attributed(holds, interval)
    shown = found["hour_start"].unique().sort().dt.convert_time_zone("America/New_York").dt.hour().to_list()

    assert found.group_by("hour_start").agg(pl.col("held_seconds").sum())["held_seconds"].to_list() == [3600] * 23
    assert shown == [0, 1, *range(3, 24)]


def test_usage_that_goes_on_counts_to_the_end_of_each_window_and_not_to_the_instant_of_the_report() -> None:
    zone = ZoneInfo("UTC")
    starts, reported = instant("2015-11-25T00:00Z"), instant("2015-12-03T00:00Z")

    unit_hours = {}
    for day in [*BillingPeriod("2015-11", zone).days, *BillingPeriod("2015-12", zone).days]:
        whole = day_interval(day, zone)
        held = Interval(max(whole.start, starts), min(whole.end, reported))
        if held.seconds > 0:
            hours = unmeasured_hours(always_on(held, gpus=2), cluster="slurm-a", day=day, interval=whole)
            unit_hours[day] = hours["held_seconds"].sum() // 3600

    november = sum(hours for day, hours in unit_hours.items() if day < "2015-12")
    december = sum(hours for day, hours in unit_hours.items() if day >= "2015-12")
    assert unit_hours["2015-11-25"] == 48
    assert (november, december, november + december) == (288, 96, 384)
