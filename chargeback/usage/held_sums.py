"""Exact physical GPU-seconds of holds, summed by a column or by billing month.

Not here: rated quantities and money (pricing).
"""

from fractions import Fraction
from zoneinfo import ZoneInfo

import polars as pl

from chargeback.billing_period import BillingPeriod, Interval, days_between

UNKNOWN = "unknown"


def sums_by(holds: pl.DataFrame, column: str) -> dict[str, Fraction]:
    """GPU-seconds by the values of a column, in their order; null and the empty text are `unknown`.

    Input:   contracts.holds, with any further column.
    """
    value = pl.col(column).replace("", None).fill_null(UNKNOWN)
    sums = _unit_seconds(holds.with_columns(_value=value), ["_value"])
    totals: dict[str, Fraction] = {}
    for key, units, unit_seconds in sums.rows():
        totals[key] = totals.get(key, Fraction(0)) + Fraction(unit_seconds, units)
    return dict(sorted(totals.items()))


def sums_by_month(holds: pl.DataFrame, zone: ZoneInfo) -> dict[str, Fraction]:
    """GPU-seconds by billing month, holds cut at local midnight of the first."""
    if holds.is_empty():
        return {}
    first, last = holds.select(first=pl.col("held_from").min(), last=pl.col("held_until").max()).row(0)
    months = dict.fromkeys(day[:7] for day in days_between(first, last, zone))
    sums = {month: total_of(_clipped(holds, BillingPeriod(month, zone).interval)) for month in months}
    return {month: total for month, total in sums.items() if total}


def total_of(holds: pl.DataFrame) -> Fraction:
    """All GPU-seconds of the holds."""
    return sum((Fraction(seconds, units) for units, seconds in _unit_seconds(holds, []).rows()), Fraction(0))


def _unit_seconds(holds: pl.DataFrame, by: list[str]) -> pl.DataFrame:
    seconds = (pl.col("held_until") - pl.col("held_from")).dt.total_seconds()
    unit_seconds = pl.col("device_count") * seconds * pl.col("share_units")
    return holds.group_by(*by, "units_per_gpu").agg(unit_seconds.sum())


def _clipped(holds: pl.DataFrame, interval: Interval) -> pl.DataFrame:
    return holds.with_columns(
        held_from=pl.max_horizontal("held_from", pl.lit(interval.start)),
        held_until=pl.min_horizontal("held_until", pl.lit(interval.end)),
    ).filter(pl.col("held_from") < pl.col("held_until"))
