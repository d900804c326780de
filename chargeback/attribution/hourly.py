"""Holds cut into the hours of the billing day. Without telemetry every second is unmeasured, never idle.

Not here: what the device did (telemetry changes what is reported, never what is held), and whether it adds up
(conservation.py).
"""

import polars as pl

from chargeback.billing_period import Interval
from chargeback.contracts.attribution import ATTRIBUTION

SECONDS_PER_HOUR = 3600


def attribute_hours(holds: pl.DataFrame, *, cluster: str, day: str, interval: Interval) -> pl.DataFrame:
    """Say for every hold in which hours of the day it was held, in device-seconds.

    Input:   contracts.holds of one (cluster, day), cut to `interval`: UTC instants in whole seconds, half-open.
    Output:  contracts.attribution, sorted by its key; one row per hold, host and accelerator (`gpu` is empty: unbound)
             and hour that it touches. Hour k begins k x 3600 s after `interval.start`; the last one may be shorter.
             held_seconds = devices x seconds, all of it unmeasured; what only telemetry knows is null.
    Raises:  ValueError for a hold that reaches out of the day: those seconds would be lost or billed twice.
    Source:  design.md 4 "Time", 5.5.
    """
    outside = holds.filter(
        (pl.col("held_from") < interval.start)
        | (pl.col("held_until") > interval.end)
        | (pl.col("held_from") >= pl.col("held_until"))
    )
    if len(outside):
        first = outside.row(0, named=True)
        raise ValueError(
            f"hold of {first['run']} on {first['host']} from {first['held_from']} until {first['held_until']} is not "
            f"inside {day} ({interval.start} to {interval.end})"
        )
    return (
        _cut_into_hours(holds, interval)
        .group_by("hour_start", "run", "host", "accelerator", "sharing", "share_units", "units_per_gpu")
        .agg(pl.col("held_seconds").sum())
        .with_columns(
            cluster=pl.lit(cluster),
            day=pl.lit(day),
            gpu=pl.lit(""),
            **{state: pl.lit(0, pl.Int64) for state in ("idle_seconds", "starved_seconds", "busy_seconds")},
            unmeasured_seconds=pl.col("held_seconds"),
            observed_seconds=pl.lit(None, pl.Int64),
            active_seconds=pl.lit(None, pl.Int64),
            consumed_ppm_seconds=pl.lit(None, pl.Int64),
            energy_millijoules=pl.lit(None, pl.Int64),
        )
        .select(ATTRIBUTION.column_names)
        .sort(ATTRIBUTION.key)
    )


def _cut_into_hours(holds: pl.DataFrame, interval: Interval) -> pl.DataFrame:
    """One row per hold and hour: the columns of the hold, hour_start and held_seconds > 0."""
    held_from = (pl.col("held_from") - interval.start).dt.total_seconds()
    held_until = (pl.col("held_until") - interval.start).dt.total_seconds()
    hour_end = (pl.col("hour") + 1) * SECONDS_PER_HOUR
    overlap = pl.min_horizontal("until", hour_end) - pl.max_horizontal("from", pl.col("hour") * SECONDS_PER_HOUR)

    return (
        holds.with_columns(held_from.alias("from"), held_until.alias("until"))
        .with_columns(
            hour=pl.int_ranges(pl.col("from") // SECONDS_PER_HOUR, (pl.col("until") - 1) // SECONDS_PER_HOUR + 1)
        )
        .explode("hour")
        .with_columns(
            hour_start=interval.start + pl.duration(seconds=pl.col("hour") * SECONDS_PER_HOUR),
            held_seconds=pl.col("device_count") * overlap,
        )
    )
