"""Rated usage of a month summed to what its lines are made of, as a stream: what is kept in memory is a row per line.

A card prices an accelerator and tier alike for all rows of a line, so a line at another card follows from these sums,
exactly, and nobody has to hold the month. Not here: the other card (pricing/repricing.py), lines (charges.py).
Source: design.md 5.6; ownership and price changes never read telemetry again.
"""

import polars as pl

from chargeback.ledger.charges import LINE_KEY

_KEY = (
    *(column for column in LINE_KEY if column != "month"), "sharing", "quantity_denominator", "gpu_seconds_denominator",
)  # fmt: skip
_SUMMED = ("quantity_numerator", "gpu_seconds_numerator")

READ = (*_KEY, *_SUMMED, "customer_class")
"""The columns of rated usage that are read."""
COLUMNS = ("month", *READ, "run", "is_running")


def usage_of_lines(rated: pl.LazyFrame, *, month: str) -> pl.DataFrame:
    """COLUMNS of contracts.rated_usage, a row per line, kind of sharing and denominators, in order.

    Input:   contracts.rated_usage of one month; `month` is it, which no row has to be asked for.
    Output:  the same quantities in fewer rows and without a price, which a card gives them: lines made of them are the
             same but for their counts of runs, of which nothing is known here. A line has one customer class.
             A sum beyond 64 bits raises InvalidOperationError.
    """
    sums = (pl.col(name).cast(pl.Int128).sum() for name in _SUMMED)
    added = rated.group_by(_KEY).agg(*sums, pl.col("customer_class").first())
    frame = added.collect(engine="streaming").with_columns(pl.col(name).cast(pl.Int64) for name in _SUMMED)
    unknown = {"run": pl.lit(""), "is_running": pl.lit(False)}
    return frame.with_columns(month=pl.lit(month), **unknown).select(COLUMNS).sort(_KEY)
