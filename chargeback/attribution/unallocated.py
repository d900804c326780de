"""Devices that were active while nobody held them: work that no scheduler granted, an exception and nobody's charge.

Not here: how a device's samples are summed (samples_over_time.py), who held what (bindings).
"""

import polars as pl

from chargeback.attribution.held_activity import parts_of_holds
from chargeback.attribution.hourly import SECONDS_PER_HOUR, cut_into_hours
from chargeback.attribution.samples_over_time import Sampling, measure
from chargeback.billing_period import Interval
from chargeback.contracts.unallocated_activity import UNALLOCATED_ACTIVITY

GPU_OF_SLICE = pl.col("gpu").str.split("/").list.first()


def unallocated_activity_of_day(
    holds: pl.DataFrame,
    bindings: pl.DataFrame,
    raw_samples: pl.DataFrame,
    raw_devices: pl.DataFrame,
    *,
    inventory: pl.DataFrame,
    members: pl.DataFrame,
    cluster: str,
    day: str,
    interval: Interval,
    active_above_ppm: int,
    staleness_seconds: int,
) -> pl.DataFrame:
    """Say which devices were active in which hours while nobody held them.

    Input:   contracts.holds, bindings, raw_samples and raw_devices of one (cluster, day); `inventory`: what hosts have
             (`host`, `accelerator`); `members`: the hosts (`host`, `member`) of holds that stand on a set of hosts.
    Output:  contracts.unallocated_activity, sorted by its key. While a hold on a host is not bound to all of its GPUs,
             any GPU there may be its: such time says nothing and is left out. A slice is held with its GPU.
    Source:  docs/glossary.md "unallocated"; case K18.
    """
    devices = raw_devices.select("device", "host", _identity().alias("gpu")).unique().sort("device")
    spells = _held_or_unclear(devices, holds, bindings, members)
    free = cut_into_hours(_between(devices, spells, interval), interval)
    not_asked = [pl.lit(None, pl.Int32).alias(name) for name in ("power_milliwatts", "fb_used_mebibytes")]
    seen = measure(
        free.select("device", pl.col("from") * 1000, pl.col("until") * 1000),
        raw_samples.with_columns(not_asked),
        sampling=Sampling(staleness_seconds * 1000, active_above_ppm),
    ).select("active_milliseconds", "consumed_ppm_milliseconds")
    hours = (
        pl.concat([free.select("device", "hour"), seen], how="horizontal")
        .group_by("device", "hour")
        .sum()
        .filter(pl.col("active_milliseconds") > 0)
        .with_columns(hour_start=interval.start + pl.duration(seconds=pl.col("hour") * SECONDS_PER_HOUR))
    )
    return (
        hours.join(devices, on="device", how="left", validate="m:1")
        .join(_accelerators(raw_devices, inventory), on="device", how="left", validate="m:1")
        .join(_labels(hours, raw_devices), on=["device", "hour"], how="left", validate="1:1")
        .with_columns(cluster=pl.lit(cluster), day=pl.lit(day))
        .select(UNALLOCATED_ACTIVITY.column_names)
        .sort(UNALLOCATED_ACTIVITY.key)
    )


def _identity() -> pl.Expr:
    """UUID of a GPU, UUID/instance id of a slice."""
    is_slice = pl.col("gpu_instance") != ""
    return pl.when(is_slice).then(pl.concat_str("gpu", "gpu_instance", separator="/")).otherwise("gpu")


def _held_or_unclear(
    devices: pl.DataFrame, holds: pl.DataFrame, bindings: pl.DataFrame, members: pl.DataFrame
) -> pl.DataFrame:
    """device, held_from, held_until: bound to a hold, or on a host where a hold is not wholly bound."""
    parts = parts_of_holds(holds, bindings)
    spell = ("held_from", "held_until")
    unbound = parts.filter(pl.col("gpu") == "").join(members, on="host", how="left", validate="m:m")
    unclear = unbound.select(pl.coalesce("member", "host").alias("host"), *spell)
    bound = parts.filter(pl.col("gpu") != "").select("gpu", *spell, parent=GPU_OF_SLICE)
    known = devices.with_columns(parent=GPU_OF_SLICE)
    alike = (pl.col("gpu") == pl.col("gpu_right")) | (pl.col("parent") == pl.col("gpu_right"))
    alike |= pl.col("gpu") == pl.col("parent")
    return pl.concat(
        [
            devices.join(unclear, on="host", how="inner", validate="m:m").select("device", *spell),
            known.join(bound, on="parent", how="inner", validate="m:m").filter(alike).select("device", *spell),
        ]
    )


def _between(devices: pl.DataFrame, spells: pl.DataFrame, interval: Interval) -> pl.DataFrame:
    """device, held_from, held_until of the time of the day that no spell of the device covers."""
    edges = [
        devices.select("device", held_from=pl.lit(edge), held_until=pl.lit(edge)).cast(spells.schema)
        for edge in (interval.start, interval.end)
    ]
    in_order = pl.concat([spells, *edges]).sort("device", "held_from")
    reached = pl.col("held_until").cum_max().shift(1).over("device")
    gaps = in_order.select("device", held_from=reached, held_until=pl.col("held_from"))
    return gaps.filter(pl.col("held_from") < pl.col("held_until"))


def _accelerators(raw_devices: pl.DataFrame, inventory: pl.DataFrame) -> pl.DataFrame:
    """device, accelerator: what its host has of its kind, where that is one thing; else as the exporter names it."""
    profile = pl.col("accelerator").str.split_exact(":", 1).struct.field("field_1").fill_null("")
    kinds = inventory.with_columns(slice_profile=profile).group_by("host", "slice_profile").agg("accelerator")
    only = kinds.filter(pl.col("accelerator").list.n_unique() == 1).with_columns(pl.col("accelerator").list.first())
    latest = raw_devices.sort("seen_from").unique("device", keep="last")
    return latest.join(only, on=["host", "slice_profile"], how="left", validate="m:1").select(
        "device", accelerator=pl.coalesce("accelerator", pl.col("model").str.to_lowercase(), pl.lit("unknown"))
    )


def _labels(hours: pl.DataFrame, raw_devices: pl.DataFrame) -> pl.DataFrame:
    """device, hour, labels: workloads that stood on the device in that hour; null if none did."""
    pod = pl.when(pl.col("pod") != "").then(pl.concat_str("namespace", "pod", separator="/"))
    job = pl.when(pl.col("hpc_job") != "").then("hpc_job")
    labelled = raw_devices.select("device", "seen_from", "seen_until", label=pl.coalesce(pod, job)).drop_nulls("label")
    hour_end = pl.col("hour_start") + pl.duration(seconds=SECONDS_PER_HOUR)
    return (
        hours.select("device", "hour", "hour_start")
        .join(labelled, on="device", how="inner", validate="m:m")
        .filter(pl.col("seen_from") < hour_end, pl.col("seen_until") >= pl.col("hour_start"))
        .group_by("device", "hour")
        .agg(labels=pl.col("label").unique().sort().str.join(", "))
    )
