"""Physical GPU-hours of a month by accelerator and ISO week: in service, held, seen by telemetry, active.

Summed as a stream; what is kept in memory is a row per accelerator and day. Not here: what they cost.
"""

from collections.abc import Mapping
from datetime import date
from fractions import Fraction

import polars as pl

from chargeback.ledger.gpu_hour_cost import Use
from chargeback.ledger.recovered import whole_gpu

MILLISECONDS = 1000
OBSERVED = ("idle", "starved", "busy")

Weeks = Mapping[str, Use]
"""`2026-W41` -> seconds of the part of that week that lies in the month."""


def week_of(day: str) -> str:
    """The ISO week of a local day: `2026-W41`."""
    year, week, _ = date.fromisoformat(day).isocalendar()
    return f"{year:04d}-W{week:02d}"


def weeks_by_accelerator(capacity: pl.LazyFrame, rated: pl.LazyFrame) -> dict[str, dict[str, Use]]:
    """Accelerator -> week -> seconds. Input: contracts.capacity of the month's days, contracts.rated_usage of it.

    Each owner's part of a row counts, so that owners add up to the whole; slices count with their GPU.
    """
    found: dict[str, dict[str, Use]] = {}
    for accelerator, day, use in (*_of_capacity(capacity), *_of_usage(rated)):
        weeks = found.setdefault(whole_gpu(accelerator), {})
        weeks[week_of(day)] = weeks.get(week_of(day), Use()) + use
    return {accelerator: dict(sorted(found[accelerator].items())) for accelerator in sorted(found)}


def _of_capacity(capacity: pl.LazyFrame) -> list[tuple[str, str, Use]]:
    in_service = (
        pl.col("capacity_unit_seconds")
        - pl.col("out_of_service_planned_unit_seconds")
        - pl.col("out_of_service_unplanned_unit_seconds")
    )
    added = (
        capacity.group_by("accelerator", "day", "units_per_gpu")
        .agg(available=in_service.sum(), held=pl.col("held_unit_seconds").sum())
        .sort("accelerator", "day", "units_per_gpu")
        .collect(engine="streaming")
    )
    return [
        (accelerator, day, Use(available=Fraction(available, units), held=Fraction(held, units)))
        for accelerator, day, units, available, held in added.iter_rows()
    ]


def _of_usage(rated: pl.LazyFrame) -> list[tuple[str, str, Use]]:
    observed = pl.sum_horizontal(pl.col(f"{state}_unit_milliseconds").cast(pl.Int128) for state in OBSERVED)
    keys = ("accelerator", "day", "part_numerator", "part_denominator", "units_per_gpu")
    added = (
        rated.group_by(*keys)
        .agg(
            observed=observed.sum(),
            active=pl.col("active_unit_milliseconds").cast(pl.Int128).sum(),
            unmeasured=pl.col("unmeasured_unit_milliseconds").cast(pl.Int128).sum(),
        )
        .sort(*keys)
        .collect(engine="streaming")
    )
    uses = []
    for accelerator, day, numerator, denominator, units, seen, active, unseen in added.iter_rows():
        scale = Fraction(numerator, denominator * units * MILLISECONDS)
        use = Use(observed=seen * scale, active=active * scale, rated=(seen + unseen) * scale)
        uses.append((accelerator, day, use))
    return uses
