"""Exact sums of rated usage by any grouping: physical GPU-seconds held and their unrounded cost.

For appendices and explanations. Nothing here is rounded, and nothing here is charged: charges are lines (charges.py).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import polars as pl

from chargeback.ledger.team_usage import summed
from chargeback.money import SECONDS_PER_HOUR


@dataclass(frozen=True, slots=True)
class Held:
    """Physical GPU-seconds, and what they cost before rounding (unpriced usage costs 0 here)."""

    gpu_seconds: Fraction = Fraction(0)
    cost: Fraction = Fraction(0)

    def __add__(self, other: "Held") -> "Held":
        return Held(self.gpu_seconds + other.gpu_seconds, self.cost + other.cost)

    def __sub__(self, other: "Held") -> "Held":
        return Held(self.gpu_seconds - other.gpu_seconds, self.cost - other.cost)


Sums = dict[tuple[str, ...], Held]


def held_by(rated: pl.DataFrame | pl.LazyFrame, *columns: str) -> Sums:
    """Sum rated usage by text columns (null reads as empty), in order of the keys. Meant for groups that fit a page."""
    denominators = ("quantity_denominator", "gpu_seconds_denominator")
    numerators = (pl.col("quantity_numerator").cast(pl.Int128), pl.col("gpu_seconds_numerator").cast(pl.Int128))
    keys = (pl.col(column).fill_null("") for column in columns)
    added = summed(rated.lazy().group_by(*keys, "price", *denominators).agg(each.sum() for each in numerators), rated)
    sums: Sums = {}
    for *key, price, quantity_denominator, gpu_denominator, quantity, gpu_seconds in added.iter_rows():
        cost = Fraction(quantity, quantity_denominator) * Fraction(price or 0) / SECONDS_PER_HOUR
        group = tuple(key)
        sums[group] = sums.get(group, Held()) + Held(Fraction(gpu_seconds, gpu_denominator), cost)
    return {key: sums[key] for key in sorted(sums)}


def total(sums: Sums) -> Held:
    """The sum over all groups."""
    return sum(sums.values(), Held())


def largest_first(sums: Sums) -> list[tuple[tuple[str, ...], Held]]:
    """Groups by physical GPU-seconds, largest first, ties by key."""
    return sorted(sums.items(), key=lambda item: (-item[1].gpu_seconds, item[0]))


def rows_of_largest(rated: pl.DataFrame, keys: Sequence[str], *, limit: int) -> pl.DataFrame:
    """The rows of the `limit` largest groups of `keys`.

    Found by whole GPU-seconds, in polars, so that millions of rows are no burden.
    """
    whole = pl.col("gpu_seconds_numerator").cast(pl.Int128) // pl.col("gpu_seconds_denominator").cast(pl.Int128)
    largest = (
        rated.group_by(keys)
        .agg(whole_seconds=whole.sum())
        .sort("whole_seconds", *keys, descending=[True, *([False] * len(keys))], nulls_last=True)
        .head(limit)
    )
    return rated.join(largest.select(keys), on=list(keys), how="semi", nulls_equal=True)
