"""What a device did in a stretch of time: how long a sample holds, and what a stretch is made of."""

from datetime import timedelta

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chargeback.attribution.samples_over_time import MEASURED, Sampling, measure
from chargeback.billing_period import Interval
from chargeback.contracts.raw_samples import RAW_SAMPLES
from tests.chargeback.attribution.small_estates import SmallEstate
from tests.tables import a_table_of, instant

DAY_MILLISECONDS = 86_400_000
SAMPLING = Sampling(90_000, 200_000)
FIRST_MINUTES = a_table_of(RAW_SAMPLES, """
    device  at_milliseconds  active_ppm  running_ppm  power_milliwatts  fb_used_mebibytes
    3       -30000           1000000     1000000      100               10
    3       30000            0           0            -                 20
    3       60000            0           5            300               -
    3       90000            200000      -            300               40
    3       120000           -           -            300               -
""")  # fmt: skip


def seen(samples: pl.DataFrame, *stretches: tuple[int, int, int], sampling: Sampling = SAMPLING) -> pl.DataFrame:
    """MEASURED of stretches (device, from, until)."""
    schema = {"device": pl.Int32(), "from": pl.Int64(), "until": pl.Int64()}
    return measure(pl.DataFrame(stretches, schema=schema, orient="row"), samples, sampling=sampling).select(*MEASURED)


def test_a_sample_holds_until_the_next_valid_value_of_its_own_quantity_and_no_longer_than_the_staleness() -> None:
    (row,) = seen(FIRST_MINUTES, (3, 0, 600_000)).rows(named=True)

    assert row == {
        "observed_milliseconds": 180_000,  # the last value, of 90 s, holds for another 90 s
        "active_milliseconds": 30_000,  # carried in; 20 per cent is not above 20 per cent
        "idle_milliseconds": 30_000,
        "consumed_ppm_milliseconds": 30_000 * 1_000_000 + 90_000 * 200_000,
        "power_observed_milliseconds": 60_000 + 150_000,  # the one carried in lasts from -30 s to 60 s
        "energy_microjoules": 60_000 * 100 + 150_000 * 300,
        "fb_observed_milliseconds": 30_000 + 60_000 + 90_000,
        "fb_used_mebibyte_milliseconds": 30_000 * 10 + 60_000 * 20 + 90_000 * 40,
        "fb_max_mebibytes": 40,
    }


def test_the_greatest_frame_buffer_is_of_the_samples_that_hold_within_the_stretch() -> None:
    stretches = [(3, 0, 30_000), (3, 0, 30_001), (3, 89_999, 90_000), (3, 90_000, 90_001), (3, 179_999, 200_000)]

    greatest = seen(FIRST_MINUTES, *stretches, (3, 180_000, 200_000))["fb_max_mebibytes"].to_list()

    assert greatest == [10, 20, 20, 40, 40, None]


def test_nothing_holds_beyond_the_end_of_the_day() -> None:
    last = a_table_of(RAW_SAMPLES, f"device  at_milliseconds  active_ppm\n0       {DAY_MILLISECONDS - 1}  1000000")

    assert seen(last, (0, 0, DAY_MILLISECONDS))["observed_milliseconds"].to_list() == [1]


@pytest.mark.parametrize("device", [0, 2, 4, 9, -1])
def test_a_device_without_samples_did_nothing_that_anybody_saw(device: int) -> None:
    row = seen(FIRST_MINUTES, (device, 0, DAY_MILLISECONDS)).row(0)

    assert row == (0, 0, 0, 0, 0, 0, 0, 0, None)


def test_devices_do_not_look_into_each_other_s_samples() -> None:
    next_device = FIRST_MINUTES.with_columns(device=pl.lit(4, pl.Int32), at_milliseconds=pl.col("at_milliseconds") + 1)
    both = pl.concat([FIRST_MINUTES, next_device])
    stretches = [(4, 0, 50_000), (3, 0, 600_000), (3, 0, DAY_MILLISECONDS), (4, 10, 20)]

    together = seen(both, *stretches)

    for at, stretch in enumerate(stretches):
        assert together.row(at) == seen(both.filter(pl.col("device") == stretch[0]), stretch).row(0)


def test_a_stretch_without_length_and_no_stretch_at_all_are_nothing() -> None:
    assert seen(FIRST_MINUTES, (3, 60_000, 60_000)).row(0) == (0, 0, 0, 0, 0, 0, 0, 0, None)
    assert seen(FIRST_MINUTES).is_empty()
    assert seen(RAW_SAMPLES.empty(), (0, 0, 1)).row(0) == (0, 0, 0, 0, 0, 0, 0, 0, None)


@settings(max_examples=25, deadline=None)
@given(
    seeds=st.lists(st.integers(0, 2**31), min_size=1, max_size=6),
    at_once=st.integers(1, 200),
    cuts=st.lists(st.integers(0, DAY_MILLISECONDS), min_size=1, max_size=6),
)
def test_neither_the_size_of_parts_nor_cuts_anywhere_change_a_sum(
    seeds: list[int], at_once: int, cuts: list[int]
) -> None:
    day = Interval(instant("2026-03-10T00:00Z"), instant("2026-03-10T00:00Z") + timedelta(days=1))
    estate = SmallEstate(day)
    for seed in seeds:
        estate.add_host(seed)
    samples = estate.frames()[3]
    devices = samples.select("device").unique().sort("device")
    edges = sorted({0, DAY_MILLISECONDS, *cuts})
    pieces = pl.DataFrame({"from": edges[:-1], "until": edges[1:]}, schema={"from": pl.Int64(), "until": pl.Int64()})
    whole = devices.with_columns(pl.lit(0, pl.Int64).alias("from"), pl.lit(DAY_MILLISECONDS, pl.Int64).alias("until"))

    in_parts = measure(devices.join(pieces, how="cross"), samples, sampling=SAMPLING, samples_at_once=at_once)

    summed = in_parts.group_by("device").agg(
        *[pl.col(name).sum() for name in MEASURED if name != "fb_max_mebibytes"], pl.col("fb_max_mebibytes").max()
    )
    assert summed.sort("device").equals(measure(whole, samples, sampling=SAMPLING).drop("from", "until"))
