"""Attribution conserves: nothing is lost at hours, splits or the clock, and the order of rows says nothing."""

from datetime import timedelta
from random import Random
from zoneinfo import ZoneInfo

import polars as pl
from hypothesis import given, settings
from hypothesis import strategies as st

from chargeback.attribution.conservation import attribution_against_holds, states_add_up
from chargeback.attribution.hourly import attribute_hours
from chargeback.billing_period import Interval, day_interval
from chargeback.contracts.holds import HOLDS
from tests.tables import a_table_of

DAYS = st.sampled_from(
    [("UTC", "2026-03-10"), ("Europe/Amsterdam", "2026-03-29"), ("Europe/Amsterdam", "2026-10-25"),
     ("Australia/Lord_Howe", "2026-04-05"), ("Australia/Lord_Howe", "2026-10-04")]
).map(lambda named: day_interval(named[1], ZoneInfo(named[0])))  # fmt: skip
HELD = st.lists(
    st.tuples(st.integers(0, 82_799), st.integers(1, 84_600), st.integers(1, 8), st.sampled_from(["n1", "n2"])),
    min_size=1,
    max_size=6,
)
BLANK = a_table_of(HOLDS, "run\n0", accelerator="h100", sharing="whole", split="one host")


def holds_of(spells: list[tuple[int, int, int, str, str]], day: Interval) -> pl.DataFrame:
    """Holds from seconds of the day, devices, host and run."""
    rows = [
        BLANK.with_columns(
            run=pl.lit(run), host=pl.lit(host), device_count=pl.lit(count, pl.Int64),
            held_from=pl.lit(day.start + timedelta(seconds=begins)),
            held_until=pl.lit(day.start + timedelta(seconds=ends)),
        )
        for begins, ends, count, host, run in spells
    ]  # fmt: skip
    return pl.concat(rows)


def inside(held: list[tuple[int, int, int, str]], day: Interval) -> list[tuple[int, int, int, str, str]]:
    """The spells cut to the day, each a run of its own."""
    return [
        (begins, min(begins + length, day.seconds), count, host, f"run-{at}")
        for at, (begins, length, count, host) in enumerate(held)
    ]


def attributed(holds: pl.DataFrame, day: Interval) -> pl.DataFrame:
    """The hours of the holds."""
    return attribute_hours(holds, cluster="c", day="d", interval=day)


@settings(max_examples=30, deadline=None)
@given(day=DAYS, held=HELD)
def test_every_held_second_is_in_exactly_the_hour_in_which_a_count_of_seconds_finds_it(
    day: Interval, held: list[tuple[int, int, int, str]]
) -> None:
    spells = inside(held, day)
    holds = holds_of(spells, day)

    hours = attributed(holds, day)

    expected: dict[tuple[str, int], int] = {}
    for begins, ends, count, _, run in spells:
        for hour in range(25):
            overlap = min(ends, (hour + 1) * 3600) - max(begins, hour * 3600)
            if overlap > 0:
                expected[run, hour] = count * overlap
    hour_of = ((pl.col("hour_start") - day.start).dt.total_seconds() // 3600).alias("hour")
    assert {(run, hour): s for run, hour, s in hours.select("run", hour_of, "held_seconds").rows()} == expected
    assert attribution_against_holds(hours, holds).is_empty()
    assert states_add_up(hours).is_empty()


@settings(max_examples=20, deadline=None)
@given(day=DAYS, held=HELD, at=st.integers(1, 82_799), order=st.randoms(use_true_random=False))
def test_splitting_a_hold_and_turning_the_rows_over_changes_no_row(
    day: Interval, held: list[tuple[int, int, int, str]], at: int, order: Random
) -> None:
    spells = inside(held, day)
    split = [
        (a, b, count, host, run)
        for begins, ends, count, host, run in spells
        for a, b in ([(begins, at), (at, ends)] if begins < at < ends else [(begins, ends)])
    ]
    order.shuffle(split)

    assert attributed(holds_of(split, day), day).equals(attributed(holds_of(spells, day), day))
