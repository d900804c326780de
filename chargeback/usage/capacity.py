"""Capacity of a day: every second of every GPU of the inventory in exactly one state, per host, accelerator and hour.

The sweep runs per host; hosts that share a count which could not be split become one row (host_sets.py).
Not here: the precedence of states (capacity_states.py), the inventory (inventory.py), what befalls hosts
(circumstances.py).
"""

import math
from collections.abc import Mapping, Sequence

import polars as pl

from chargeback.billing_period import Interval
from chargeback.contracts.capacity import CAPACITY, STATES
from chargeback.usage.capacity_states import share_out
from chargeback.usage.circumstances import CIRCUMSTANCES, circumstances_of_day
from chargeback.usage.host_sets import NOT_SPLIT, members_of_sets, merge_host_sets
from chargeback.usage.inventory import inventory_of
from chargeback.usage.sweep import levels_over_time

PLACE = ("host", "accelerator")


def capacity_of_day(
    raw_nodes: pl.DataFrame,
    raw_events: pl.DataFrame,
    raw_reservations: pl.DataFrame,
    runs: pl.DataFrame,
    holds: pl.DataFrame,
    *,
    cluster: str,
    day: str,
    interval: Interval,
    aliases: Mapping[str, str],
) -> pl.DataFrame:
    """Say for every host, accelerator and hour what became of its capacity.

    Input:   the contracts' tables of one (cluster, day); holds are cut to `interval`.
    Output:  contracts.capacity, sorted by its key. The states of a row add up to its capacity. A host with holds and
             without a node record has as much capacity as was held. A row in whose hour a hold could not be split over
             its hosts stands for all of them. Rows of no capacity and no hold are left out.
    Source:  design.md 5.4; 2 "blocked", "out of service", "reserved unused", "unallocated".
    """
    places = _places(inventory_of(raw_nodes, aliases=aliases), holds, members_of_sets(holds))
    spells = circumstances_of_day(raw_events, raw_reservations, runs, interval=interval)
    stretches = _stretches(places, holds, spells, interval)
    single, merged = merge_host_sets(stretches, holds, interval=interval)
    return (
        pl.concat([single, merged])
        .group_by("hour", *PLACE, "units_per_gpu", "inventory")
        .agg(
            ((pl.col("until") - pl.col("from")) * pl.col(state)).sum().alias(f"{state}_unit_seconds")
            for state in ("capacity", *STATES, "overcommitted")
        )
        .filter(pl.col("capacity_unit_seconds") + pl.col("overcommitted_unit_seconds") > 0)
        .with_columns(
            cluster=pl.lit(cluster),
            day=pl.lit(day),
            hour_start=interval.start + pl.duration(hours=pl.col("hour")),
        )
        .select(CAPACITY.column_names)
        .sort(CAPACITY.key)
    )


def common_units(units: pl.DataFrame, *, keys: Sequence[str]) -> pl.DataFrame:
    """The least common multiple of `units_per_gpu` of each key: one row per key."""
    lists = units.group_by(keys).agg(pl.col("units_per_gpu").unique().sort().cast(pl.String).alias("spelled"))
    spelled = lists.with_columns(pl.col("spelled").list.join(","))
    common = {text: math.lcm(*map(int, text.split(","))) for text in spelled["spelled"].unique()}
    return spelled.select(
        *keys, pl.col("spelled").replace_strict(common, default=1, return_dtype=pl.Int64).alias("units_per_gpu")
    )


def _places(inventory: pl.DataFrame, holds: pl.DataFrame, members: pl.DataFrame) -> pl.DataFrame:
    """One row per host and accelerator that is configured or held, in units that fit all that is there."""
    on_one_host = holds.filter(pl.col("split") != NOT_SPLIT)
    everything = pl.concat([frame.select(*PLACE, "units_per_gpu") for frame in (inventory, on_one_host, members)])
    finer = pl.col("units_per_gpu") // pl.col("units_per_gpu_configured")
    return (
        common_units(everything, keys=PLACE)
        .join(inventory, on=PLACE, how="left", validate="1:1", suffix="_configured")
        .select(
            *PLACE,
            "units_per_gpu",
            pl.when(pl.col("capacity_units").is_null()).then(pl.lit("none")).otherwise(pl.lit("node record"))
            .alias("inventory"),
            (pl.col("capacity_units") * finer).fill_null(0).alias("capacity_units"),
            (pl.col("remainder_units") * finer).fill_null(0).alias("remainder_units"),
        )
    )  # fmt: skip


def _stretches(places: pl.DataFrame, holds: pl.DataFrame, spells: pl.DataFrame, interval: Interval) -> pl.DataFrame:
    """Every place, all day, cut where anything changes: units in each state; holds that could not be split left out."""
    levels = ("held", *CIRCUMSTANCES)
    nothing = [pl.lit(0, pl.Int64).alias(level) for level in levels]
    whole_day = places.select(
        *PLACE, pl.lit(0, pl.Int64).alias("from"), pl.lit(interval.seconds, pl.Int64).alias("until"), *nothing
    )
    on_hosts = spells.join(places.select(PLACE), on="host", how="inner").select(
        *PLACE,
        "from",
        "until",
        pl.lit(0, pl.Int64).alias("held"),
        *[(pl.col("circumstance") == name).cast(pl.Int64).alias(name) for name in CIRCUMSTANCES],
    )
    changes = pl.concat([whole_day, _held(places, holds, interval), on_hosts])
    swept = levels_over_time(changes, keys=PLACE, levels=levels, day_seconds=interval.seconds)
    return _states(swept.join(places, on=PLACE, how="left", validate="m:1"))


def _held(places: pl.DataFrame, holds: pl.DataFrame, interval: Interval) -> pl.DataFrame:
    """Units that holds on one host have, as spells."""
    finer = pl.col("units_per_gpu_of_place") // pl.col("units_per_gpu")
    of_place = places.select(*PLACE, pl.col("units_per_gpu").alias("units_per_gpu_of_place"))
    return (
        holds.filter(pl.col("split") != NOT_SPLIT)
        .join(of_place, on=PLACE, how="left", validate="m:1")
        .select(
            *PLACE,
            (pl.col("held_from") - interval.start).dt.total_seconds().alias("from"),
            (pl.col("held_until") - interval.start).dt.total_seconds().alias("until"),
            (pl.col("device_count") * pl.col("share_units") * finer).alias("held"),
            *[pl.lit(0, pl.Int64).alias(name) for name in CIRCUMSTANCES],
        )
    )


def _states(swept: pl.DataFrame) -> pl.DataFrame:
    """What each state claims on a host: all of it under a circumstance; a geometry's remainder is always blocked."""
    nobody_counted = pl.col("inventory") == "none"
    capacity = pl.when(nobody_counted).then(pl.col("held")).otherwise(pl.col("capacity_units"))
    remainder = pl.when(pl.col("exclusive") > 0).then(capacity).otherwise(pl.col("remainder_units"))
    claims = swept.select(
        *PLACE,
        "inventory",
        "units_per_gpu",
        "from",
        "until",
        (pl.col("from") // 3600).alias("hour"),
        capacity.alias("capacity"),
        "held",
        pl.when(pl.col("planned") > 0).then(capacity).otherwise(0).alias("out_of_service_planned"),
        pl.when(pl.col("unplanned") > 0).then(capacity).otherwise(0).alias("out_of_service_unplanned"),
        pl.when(pl.col("reserved") > 0).then(capacity).otherwise(0).alias("reserved_unused"),
        remainder.alias("blocked"),
        pl.when(pl.col("unknown") > 0).then(capacity).otherwise(0).alias("unknown"),
    )
    return share_out(claims)
