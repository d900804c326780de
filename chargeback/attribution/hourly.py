"""Holds cut into the hours of the billing day, with what their GPUs did. Without telemetry all of it is unmeasured.

Telemetry changes what is reported, never what is held. Not here: how a GPU's samples are summed (samples_over_time.py),
what a state means (held_activity.py), and whether it adds up (conservation.py).
"""

import polars as pl

from chargeback.attribution.held_activity import EXCLUSIVE, parts_of_holds, with_activity
from chargeback.attribution.samples_over_time import Sampling
from chargeback.billing_period import Interval
from chargeback.contracts.attribution import ATTRIBUTION

SECONDS_PER_HOUR = 3600

SUMMED = (
    "held_seconds", "after_end_seconds", "idle_milliseconds", "starved_milliseconds", "busy_milliseconds",
    "unmeasured_milliseconds", "observed_milliseconds", "active_milliseconds", "consumed_ppm_milliseconds",
    "power_observed_milliseconds", "energy_microjoules", "fb_observed_milliseconds", "fb_used_mebibyte_milliseconds",
)  # fmt: skip


def attribute_hours(
    holds: pl.DataFrame,
    bindings: pl.DataFrame,
    runs: pl.DataFrame,
    raw_samples: pl.DataFrame,
    *,
    cluster: str,
    day: str,
    interval: Interval,
    active_above_ppm: int,
    staleness_seconds: int,
) -> pl.DataFrame:
    """Say for every hold in which hours of the day it was held, on which GPUs, and what these did.

    Input:   contracts.holds (cut to `interval`, half-open, whole seconds), bindings, runs and raw_samples of one
             (cluster, day).
    Output:  contracts.attribution, sorted by its key: one row per hold, GPU and hour that it touches, and one with an
             empty `gpu` for the devices of a hold that nothing names. Hour k begins k x 3600 s after `interval.start`;
             the last one may be shorter. What no sample covers is unmeasured, never idle.
    Raises:  ValueError for a hold that reaches out of the day: those seconds would be lost or billed twice.
    Source:  design.md 4 "Time", 5.5.
    """
    _refuse_outside(holds, day=day, interval=interval)
    sampling = Sampling(staleness_seconds * 1000, active_above_ppm)
    parts = parts_of_holds(holds, bindings)
    hours = with_activity(_after_end(cut_into_hours(parts, interval), runs, interval), raw_samples, sampling=sampling)
    return (
        hours.with_columns(held_seconds=pl.col("devices") * (pl.col("until") - pl.col("from")))
        .group_by("hour", "run", "host", "accelerator", "sharing", "gpu", "share_units", "units_per_gpu")
        .agg(*[pl.col(name).sum() for name in SUMMED], pl.col("fb_max_mebibytes").max())
        .with_columns(
            cluster=pl.lit(cluster),
            day=pl.lit(day),
            hour_start=interval.start + pl.duration(seconds=pl.col("hour") * SECONDS_PER_HOUR),
            energy_microjoules=_where_sampled("energy_microjoules", "power_observed_milliseconds"),
            fb_used_mebibyte_milliseconds=_where_sampled("fb_used_mebibyte_milliseconds", "fb_observed_milliseconds"),
            fb_observed_milliseconds=_where_sampled("fb_observed_milliseconds", "fb_observed_milliseconds"),
            is_estimate=(pl.col("gpu") != "") & ~pl.col("sharing").is_in(EXCLUSIVE),
        )
        .select(ATTRIBUTION.column_names)
        .sort(ATTRIBUTION.key)
    )


def _refuse_outside(holds: pl.DataFrame, *, day: str, interval: Interval) -> None:
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


def cut_into_hours(held: pl.DataFrame, interval: Interval) -> pl.DataFrame:
    """One row per row and hour that it touches; rows without a length disappear.

    `hour`, `from` and `until` (seconds of the day) stand in the place of held_from and held_until.
    """
    held_from = (pl.col("held_from") - interval.start).dt.total_seconds()
    held_until = (pl.col("held_until") - interval.start).dt.total_seconds()
    return (
        held.with_columns(held_from.alias("from"), held_until.alias("until"))
        .filter(pl.col("from") < pl.col("until"))
        .drop("held_from", "held_until")
        .with_columns(
            hour=pl.int_ranges(pl.col("from") // SECONDS_PER_HOUR, (pl.col("until") - 1) // SECONDS_PER_HOUR + 1)
        )
        .explode("hour")
        .with_columns(
            pl.max_horizontal("from", pl.col("hour") * SECONDS_PER_HOUR).alias("from"),
            pl.min_horizontal("until", (pl.col("hour") + 1) * SECONDS_PER_HOUR).alias("until"),
        )
    )


def _after_end(hours: pl.DataFrame, runs: pl.DataFrame, interval: Interval) -> pl.DataFrame:
    """With after_end_seconds: device-seconds held after the workload had ended; none where no end is known (null)."""
    ended = runs.select("run", ended=(pl.col("workload_ended") - interval.start).dt.total_seconds())
    late = pl.col("until") - pl.max_horizontal("from", pl.min_horizontal("ended", "until"))
    return hours.join(ended, on="run", how="left", validate="m:1").with_columns(
        after_end_seconds=late * pl.col("devices")
    )


def _where_sampled(quantity: str, observed: str) -> pl.Expr:
    return pl.when(pl.col(observed) > 0).then(pl.col(quantity))
