"""Exact GPU-seconds of holds."""

from fractions import Fraction
from zoneinfo import ZoneInfo

import polars as pl

from chargeback.contracts.holds import HOLDS
from chargeback.usage.held_sums import sums_by, sums_by_month, total_of
from tests.tables import a_table_of

HELD = a_table_of(
    HOLDS,
    """
    run  accelerator  held_from          held_until         device_count  share_units  units_per_gpu
    1    a100         2026-03-31T21:00Z  2026-03-31T23:00Z  2             1            1
    2    a100:3g      2026-03-31T21:00Z  2026-03-31T22:00Z  1             3            7
    3    a100         2026-04-01T00:00Z  2026-04-01T00:00Z  1             1            1
    """,
)


def test_slices_and_whole_gpus_add_up_exactly() -> None:
    assert total_of(HELD) == Fraction(14_400) + Fraction(3 * 3600, 7)


def test_sums_by_a_column_name_what_is_not_known() -> None:
    named = HELD.with_columns(account=pl.Series([None, "", "lab"]))

    assert sums_by(named, "account") == {"lab": 0, "unknown": Fraction(14_400) + Fraction(10_800, 7)}


def test_a_month_ends_at_local_midnight() -> None:
    amsterdam = ZoneInfo("Europe/Amsterdam")

    months = sums_by_month(HELD.filter(pl.col("run") == "1"), amsterdam)

    assert months == {"2026-03": 7200, "2026-04": 7200}


def test_nothing_held_is_nothing() -> None:
    assert total_of(HOLDS.empty()) == 0
    assert sums_by(HOLDS.empty(), "accelerator") == {}
    assert sums_by_month(HOLDS.empty(), ZoneInfo("UTC")) == {}
