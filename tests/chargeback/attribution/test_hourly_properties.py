"""Attribution is what one would find by hand, on thousands of small estates: no hour, split or order changes a figure.

Each example holds many estates, one a host, so that some thousand are tried in a few seconds.
"""

from dataclasses import dataclass
from random import Random
from zoneinfo import ZoneInfo

import polars as pl
from hypothesis import given, settings
from hypothesis import strategies as st

from chargeback.attribution.conservation import attribution_against_holds, states_add_up
from chargeback.attribution.hourly import attribute_hours
from chargeback.billing_period import Interval, day_interval
from chargeback.contracts.attribution import ATTRIBUTION
from tests.chargeback.attribution.reference import Held, Key, as_dictionary, attributed_by_hand
from tests.chargeback.attribution.small_estates import SmallEstate

DAYS = st.sampled_from(
    [("UTC", "2026-03-10"), ("Europe/Amsterdam", "2026-03-29"), ("Europe/Amsterdam", "2026-10-25"),
     ("Australia/Lord_Howe", "2026-04-05"), ("Australia/Lord_Howe", "2026-10-04")]
).map(lambda named: day_interval(named[1], ZoneInfo(named[0])))  # fmt: skip
SEEDS = st.lists(st.integers(0, 2**31), min_size=20, max_size=60)
STALENESS = st.sampled_from([30, 90, 180, 3600])
ABOVE = 200_000


@dataclass
class Tried:
    """An estate, the hours that the engine found, and how long a sample holds."""

    frames: tuple[pl.DataFrame, pl.DataFrame, pl.DataFrame, pl.DataFrame]
    day: Interval
    staleness: int

    @property
    def hours(self) -> pl.DataFrame:
        """What the engine makes of it."""
        return attribute_hours(
            *self.frames, cluster="c", day="d", interval=self.day, active_above_ppm=ABOVE,
            staleness_seconds=self.staleness,
        )  # fmt: skip

    def by_hand(self) -> dict[Key, Held]:
        """What plain loops make of it."""
        return attributed_by_hand(
            *self.frames, interval=self.day, active_above_ppm=ABOVE, staleness_seconds=self.staleness
        )


def estates(day: Interval, seeds: list[int], staleness: int) -> Tried:
    """Many small estates as one."""
    estate = SmallEstate(day)
    for seed in seeds:
        estate.add_host(seed)
    return Tried(estate.frames(), day, staleness)


@settings(max_examples=40, deadline=None)
@given(day=DAYS, seeds=SEEDS, staleness=STALENESS)
def test_every_figure_of_every_hour_is_what_plain_loops_over_all_samples_find(
    day: Interval, seeds: list[int], staleness: int
) -> None:
    tried = estates(day, seeds, staleness)

    hours = tried.hours

    assert ATTRIBUTION.breaches(hours) == []
    assert as_dictionary(hours, day) == tried.by_hand()
    assert attribution_against_holds(hours, tried.frames[0]).is_empty()
    assert states_add_up(hours).is_empty()


@settings(max_examples=15, deadline=None)
@given(day=DAYS, seeds=SEEDS, order=st.integers(0, 1000))
def test_the_order_of_rows_says_nothing(day: Interval, seeds: list[int], order: int) -> None:
    tried = estates(day, seeds, 180)

    holds, bindings, runs, samples = (frame.sample(fraction=1, shuffle=True, seed=order) for frame in tried.frames)

    assert Tried((holds, bindings, runs, samples), day, 180).hours.equals(tried.hours)


@settings(max_examples=15, deadline=None)
@given(day=DAYS, seeds=SEEDS, at=st.integers(0, 1000))
def test_splitting_holds_anywhere_changes_no_row(day: Interval, seeds: list[int], at: int) -> None:
    tried = estates(day, seeds, 90)
    holds, bindings, runs, samples = tried.frames
    cut = _cuts(holds, Random(at))

    split = Tried((_split(holds, cut), _split(bindings, cut), runs, samples), day, 90)

    assert len(split.frames[0]) >= len(holds)
    assert split.hours.equals(tried.hours)


def _cuts(holds: pl.DataFrame, random: Random) -> pl.DataFrame:
    """An instant inside each hold, or its end for those that are not split."""
    shares = pl.Series("part", [random.randrange(1000) for _ in range(len(holds))])
    length = (pl.col("held_until") - pl.col("held_from")).dt.total_seconds()
    return holds.with_columns(shares).select(
        "run", "host", "held_from", cut=pl.col("held_from") + pl.duration(seconds=length * pl.col("part") // 1000)
    )


def _split(frame: pl.DataFrame, cuts: pl.DataFrame) -> pl.DataFrame:
    both = frame.join(cuts, on=["run", "host", "held_from"], how="left", validate="m:1")
    first = both.with_columns(held_until=pl.col("cut"))
    second = both.with_columns(held_from=pl.col("cut"))
    return pl.concat([first, second]).filter(pl.col("held_from") < pl.col("held_until")).select(frame.columns)
