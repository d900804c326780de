"""The month's conservation: what became of every GPU-second of capacity, per accelerator, exactly (design.md 5.4)."""

from collections import defaultdict
from fractions import Fraction

import polars as pl

from chargeback.contracts.capacity import STATES

COLUMNS = ("capacity", *STATES, "overcommitted")
CAPACITY_TOTALS = {"accelerator": pl.String(), **dict.fromkeys(COLUMNS, pl.String())}
"""One row per accelerator; every other column is physical GPU-seconds, a reduced fraction as text."""


def capacity_totals(capacity: pl.LazyFrame) -> pl.DataFrame:
    """Add contracts.capacity of the month's days up by accelerator, in order of accelerator."""
    added = (
        capacity.group_by("accelerator", "units_per_gpu")
        .agg(pl.col(f"{state}_unit_seconds").sum() for state in COLUMNS)
        .collect(engine="streaming")
    )
    totals: dict[str, dict[str, Fraction]] = defaultdict(lambda: dict.fromkeys(COLUMNS, Fraction(0)))
    for row in added.iter_rows(named=True):
        for state in COLUMNS:
            totals[row["accelerator"]][state] += Fraction(row[f"{state}_unit_seconds"], row["units_per_gpu"])
    rows = [
        {"accelerator": accelerator, **{state: str(seconds) for state, seconds in totals[accelerator].items()}}
        for accelerator in sorted(totals)
    ]
    return pl.DataFrame(rows, schema=CAPACITY_TOTALS, orient="row")
