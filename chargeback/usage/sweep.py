"""Levels over time: intervals that add to a level while they last, turned into stretches in which nothing changes.

Time is counted in whole seconds from the start of the day. Not here: what the levels mean (capacity.py).
"""

from collections.abc import Sequence

import polars as pl


def levels_over_time(
    spells: pl.DataFrame, *, keys: Sequence[str], levels: Sequence[str], day_seconds: int, hour_seconds: int = 3600
) -> pl.DataFrame:
    """Sum the levels of everything that lasts, over the day, cut at every change and at every full hour.

    Input:   spells: `keys`, `from` and `until` (seconds of the day, half-open) and one Int64 column per level, which
             counts between `from` and `until`. A spell of no length adds nothing.
    Output:  `keys`, `from`, `until`, the levels, for every key that has a spell: from 0 to `day_seconds` without a gap,
             no stretch across a full hour. Not sorted.
    """
    starts = spells.select(*keys, pl.col("from").alias("at"), *levels)
    ends = spells.select(*keys, pl.col("until").alias("at"), *[-pl.col(level) for level in levels])
    hours = pl.DataFrame({"at": range(0, day_seconds, hour_seconds)}, schema={"at": pl.Int64})
    nothing = (
        spells.select(keys)
        .unique()
        .join(hours, how="cross")
        .with_columns(pl.lit(0, pl.Int64).alias(level) for level in levels)
    )
    return (
        pl.concat([starts, ends, nothing])
        .group_by(*keys, "at")
        .agg(pl.col(level).sum() for level in levels)
        .sort(*keys, "at")
        .with_columns(pl.col(level).cum_sum().over(keys) for level in levels)
        .with_columns(until=pl.col("at").shift(-1).over(keys).fill_null(day_seconds))
        .rename({"at": "from"})
        .filter(pl.col("from") < pl.col("until"))
        .select(*keys, "from", "until", *levels)
    )
