"""Capacity of a day: every second of every GPU of the inventory in exactly one state, per host, accelerator and hour.

One sweep for both schedulers, per host; hosts that share a count which could not be split are one row (host_sets.py).
Not here: the precedence of states (capacity_states.py), inventories (inventory.py, kubernetes_inventory.py), what
befalls hosts (circumstances.py, kubernetes_circumstances.py).
"""

import math
from collections.abc import Mapping, Sequence

import polars as pl

from chargeback.billing_period import Interval
from chargeback.contracts.capacity import CAPACITY, STATES
from chargeback.usage.capacity_states import share_out
from chargeback.usage.circumstances import CIRCUMSTANCES, circumstances_of_day, reservations_of_day
from chargeback.usage.host_sets import NOT_SPLIT, members_of_sets, merge_host_sets
from chargeback.usage.inventory import INVENTORY, inventory_of
from chargeback.usage.kubernetes_circumstances import kubernetes_circumstances_of_day
from chargeback.usage.kubernetes_inventory import kubernetes_inventory_over_time
from chargeback.usage.named_reservations import NAMED_SPELLS, named_spells, reserved_unused_by
from chargeback.usage.sweep import levels_over_time

PLACE = ("host", "accelerator")
SHARED_AT_WILL = ("time-slice", "vgpu", "fraction")
"""Kinds of sharing that permit to give away more of a GPU than there is: what they share out are promises."""

MOST_UNITS_PER_GPU = 2**40
LEVELS = ("capacity_units", "remainder_units", "unfit_units", "counted", "held", "shared", *CIRCUMSTANCES)


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
    """contracts.capacity of a Slurm cluster and day: its inventory is in force all day.

    Input:   the contracts' tables of one (cluster, day); holds are cut to `interval`.
    """
    all_day = inventory_of(raw_nodes, aliases=aliases).with_columns(
        pl.lit(0, pl.Int64).alias("from"),
        pl.lit(interval.seconds, pl.Int64).alias("until"),
        unfit_units=pl.lit(0, pl.Int64),
    )
    spells = circumstances_of_day(raw_events, raw_reservations, runs, interval=interval)
    named = named_spells(reservations_of_day(raw_reservations), interval)
    return capacity_by_state(all_day, spells, holds, cluster=cluster, day=day, interval=interval, reservations=named)


def kubernetes_capacity_of_day(
    raw_kubernetes_nodes: pl.DataFrame,
    raw_slices: pl.DataFrame,
    runs: pl.DataFrame,
    holds: pl.DataFrame,
    *,
    cluster: str,
    day: str,
    interval: Interval,
    aliases: Mapping[str, str],
) -> pl.DataFrame:
    """contracts.capacity of a Kubernetes cluster and day: its inventory comes and goes with its nodes.

    Input:   the contracts' tables of one (cluster, day); holds are cut to `interval`.
    """
    inventory = kubernetes_inventory_over_time(raw_kubernetes_nodes, raw_slices, aliases=aliases, interval=interval)
    spells = kubernetes_circumstances_of_day(raw_kubernetes_nodes, runs, interval=interval)
    return capacity_by_state(inventory, spells, holds, cluster=cluster, day=day, interval=interval)


def capacity_by_state(
    inventory: pl.DataFrame,
    spells: pl.DataFrame,
    holds: pl.DataFrame,
    *,
    cluster: str,
    day: str,
    interval: Interval,
    reservations: pl.DataFrame | None = None,
) -> pl.DataFrame:
    """Say for every host, accelerator and hour what became of its capacity.

    Input:   INVENTORY with `unfit_units`, `from` and `until` in seconds of the day; circumstances.py SPELLS;
             contracts.holds; `reservations`: NAMED_SPELLS of those that are among the spells. Unfit units are
             unplanned out of service where nobody holds them.
    Output:  contracts.capacity, sorted by its key. The states of a row add up to its capacity. While no node record
             counts a host and accelerator, it has as much capacity as is held. A row in whose hour a hold could not be
             split over its hosts stands for all of them. Rows of no capacity and no hold are left out. What is held
             beyond capacity is double booked unless SHARED_AT_WILL holds can have it in common: those that share a GPU
             with nobody leave at least one to them.
    Raises:  ValueError where the shares on a host are too odd to be added up in 64 bits.
    Source:  design.md 5.4; 2 "blocked", "out of service", "reserved unused", "unallocated".
    """
    places = _places(inventory, holds, members_of_sets(holds))
    stretches = _stretches(places, inventory, holds, spells, interval)
    single, merged = merge_host_sets(stretches, holds, interval=interval)
    uncounted = (pl.col("inventory") == "none") & (pl.col("held") + pl.col("overcommitted") > 0)
    is_counted = (pl.col("inventory") == "node record").any() & ~uncounted.any()
    swept = pl.concat([single, merged])
    named = pl.DataFrame(schema=NAMED_SPELLS) if reservations is None else reservations
    reserved_by = reserved_unused_by(swept, named)
    return (
        swept.group_by("hour", *PLACE, "units_per_gpu")
        .agg(
            *[
                ((pl.col("until") - pl.col("from")) * pl.col(state)).sum().alias(f"{state}_unit_seconds")
                for state in ("capacity", *STATES, "overcommitted", "double_booked")
            ],
            is_counted=is_counted,
        )
        .filter(pl.col("capacity_unit_seconds") + pl.col("overcommitted_unit_seconds") > 0)
        .join(reserved_by, on=["hour", *PLACE, "units_per_gpu"], how="left", validate="1:1")
        .with_columns(
            cluster=pl.lit(cluster),
            day=pl.lit(day),
            hour_start=interval.start + pl.duration(hours=pl.col("hour")),
            inventory=pl.when("is_counted").then(pl.lit("node record")).otherwise(pl.lit("none")),
        )
        .select(CAPACITY.column_names)
        .sort(CAPACITY.key)
    )


def common_units(units: pl.DataFrame, *, keys: Sequence[str]) -> pl.DataFrame:
    """The least common multiple of `units_per_gpu` of each key: one row per key. Raises ValueError beyond 2^40."""
    lists = units.group_by(keys).agg(pl.col("units_per_gpu").unique().sort().cast(pl.String).alias("spelled"))
    spelled = lists.with_columns(pl.col("spelled").list.join(","))
    common = {text: math.lcm(*map(int, text.split(","))) for text in spelled["spelled"].unique()}
    for text, multiple in common.items():
        if multiple > MOST_UNITS_PER_GPU:
            raise ValueError(f"shares of a GPU in parts of {text} have no common part: {multiple} is more than 2^40")
    return spelled.select(
        *keys, pl.col("spelled").replace_strict(common, default=1, return_dtype=pl.Int64).alias("units_per_gpu")
    )


def _places(inventory: pl.DataFrame, holds: pl.DataFrame, members: pl.DataFrame) -> pl.DataFrame:
    """One row per host and accelerator that is configured or held, in units that fit all that is there."""
    on_one_host = holds.filter(pl.col("split") != NOT_SPLIT)
    everything = pl.concat([frame.select(*PLACE, "units_per_gpu") for frame in (inventory, on_one_host, members)])
    return common_units(everything, keys=PLACE)


def _stretches(
    places: pl.DataFrame, inventory: pl.DataFrame, holds: pl.DataFrame, spells: pl.DataFrame, interval: Interval
) -> pl.DataFrame:
    """Every place, all day, cut where anything changes: units in each state; holds that could not be split left out."""
    whole_day = places.select(
        *PLACE, pl.lit(0, pl.Int64).alias("from"), pl.lit(interval.seconds, pl.Int64).alias("until")
    )
    on_hosts = spells.join(places.select(PLACE), on="host", how="inner", validate="m:m").with_columns(
        (pl.col("circumstance") == name).cast(pl.Int64).alias(name) for name in CIRCUMSTANCES
    )
    changes = pl.concat(
        [_as_levels(frame) for frame in (whole_day, _counted(places, inventory), _held(places, holds, interval),
                                         on_hosts)]
    )  # fmt: skip
    swept = levels_over_time(changes, keys=PLACE, levels=LEVELS, day_seconds=interval.seconds)
    return _states(swept.join(places, on=PLACE, how="left", validate="m:1"))


def _as_levels(spells: pl.DataFrame) -> pl.DataFrame:
    """Spells with every level; those that they say nothing about are 0."""
    said = [name for name in LEVELS if name in spells.columns]
    rest = [pl.lit(0, pl.Int64).alias(name) for name in LEVELS if name not in said]
    return spells.select(*PLACE, "from", "until", *said, *rest).select(*PLACE, "from", "until", *LEVELS)


def _finer(places: pl.DataFrame, frame: pl.DataFrame) -> pl.DataFrame:
    """The frame with `finer`: units of the place in one of its own."""
    of_place = places.select(*PLACE, units_of_place="units_per_gpu")
    return frame.join(of_place, on=PLACE, how="left", validate="m:1").with_columns(
        finer=pl.col("units_of_place") // pl.col("units_per_gpu")
    )


def _counted(places: pl.DataFrame, inventory: pl.DataFrame) -> pl.DataFrame:
    """Units that the inventory counts, as spells."""
    units = ("capacity_units", "remainder_units", "unfit_units")
    return _finer(places, inventory.select(*INVENTORY, "unfit_units", "from", "until")).with_columns(
        pl.col(units) * pl.col("finer"), counted=pl.lit(1, pl.Int64)
    )


def _held(places: pl.DataFrame, holds: pl.DataFrame, interval: Interval) -> pl.DataFrame:
    """Units that holds on one host have, as spells."""
    units = pl.col("device_count") * pl.col("share_units") * pl.col("finer")
    is_shared = pl.col("sharing").is_in(SHARED_AT_WILL)
    return _finer(places, holds.filter(pl.col("split") != NOT_SPLIT)).with_columns(
        (pl.col("held_from") - interval.start).dt.total_seconds().alias("from"),
        (pl.col("held_until") - interval.start).dt.total_seconds().alias("until"),
        held=units,
        shared=pl.when(is_shared).then(units).otherwise(0),
    )


def _states(swept: pl.DataFrame) -> pl.DataFrame:
    """What each state claims on a host: all of it under a circumstance; a geometry's remainder is always blocked."""
    is_counted = pl.col("counted") > 0
    capacity = pl.when(is_counted).then("capacity_units").otherwise("held")
    remainder = pl.when(pl.col("exclusive") > 0).then(capacity).otherwise("remainder_units")
    claims = swept.select(
        *PLACE,
        pl.when(is_counted).then(pl.lit("node record")).otherwise(pl.lit("none")).alias("inventory"),
        "units_per_gpu",
        "from",
        "until",
        "shared",
        (pl.col("from") // 3600).alias("hour"),
        capacity.alias("capacity"),
        "held",
        pl.when(pl.col("planned") > 0).then(capacity).otherwise(0).alias("out_of_service_planned"),
        pl.when(pl.col("unplanned") > 0).then(capacity).otherwise("unfit_units").alias("out_of_service_unplanned"),
        pl.when(pl.col("reserved") > 0).then(capacity).otherwise(0).alias("reserved_unused"),
        remainder.alias("blocked"),
        pl.when(pl.col("unknown") > 0).then(capacity).otherwise(0).alias("unknown"),
    )
    alone = pl.col("held") + pl.col("overcommitted") - pl.col("shared")
    is_permitted = (pl.col("shared") > 0) & (alone + pl.col("units_per_gpu") <= pl.col("capacity"))
    booked = share_out(claims).with_columns(double_booked=pl.when(is_permitted).then(0).otherwise("overcommitted"))
    return booked.drop("shared")
