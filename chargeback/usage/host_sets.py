"""Hosts that share a count which could not be split over them: in the hours that it touches, they form one row.

A job of five GPUs on two hosts says in the accounting records only that: five on both. Guessing would invent a record,
so its hosts are looked at together, as one set; sets that have a host in common are one. Not here: the sweep of a host.
"""

import math
from collections.abc import Iterable

import polars as pl

from chargeback.billing_period import Interval
from chargeback.contracts.capacity import STATES
from chargeback.usage.capacity_states import share_out
from chargeback.usage.hostlist import expand_hosts, fold_hosts
from chargeback.usage.sweep import levels_over_time

NOT_SPLIT = "not split"
SET = ("hour", "accelerator", "set")


def members_of_sets(holds: pl.DataFrame) -> pl.DataFrame:
    """One row per host of every hold that could not be split: host, accelerator, units_per_gpu."""
    folded = holds.filter(pl.col("split") == NOT_SPLIT).select("host", "accelerator", "units_per_gpu").unique()
    expanded = [list(expand_hosts(hosts)) for hosts in folded["host"]]
    return folded.with_columns(pl.Series("host", expanded, dtype=pl.List(pl.String))).explode("host")


def merge_host_sets(
    stretches: pl.DataFrame, holds: pl.DataFrame, *, interval: Interval
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Put hosts of a set into one row in the hours in which a hold of the set lasts.

    Input:   stretches: units in each state per host and accelerator, cut at every change and full hour (capacity.py).
    Output:  the stretches that stand for one host, and those that stand for a set (host = folded list). In a set, a
             hold that could not be split takes what was unallocated first, what was out of service last.
    Source:  design.md 5.2, "else conserved over the run's hosts".
    """
    together = holds.filter(pl.col("split") == NOT_SPLIT)
    sets = _sets_of_hours(together, interval)
    in_sets = stretches.join(sets, on=("hour", "host", "accelerator"), how="inner", validate="m:1")
    single = stretches.join(sets, on=("hour", "host", "accelerator"), how="anti")
    if not len(in_sets):
        return single, stretches.clear()
    return single, _swept_sets(in_sets, _held_in_sets(together, sets, interval), interval).select(stretches.columns)


def _sets_of_hours(together: pl.DataFrame, interval: Interval) -> pl.DataFrame:
    """hour, host, accelerator and the set that the host is in: holds with a host in common are connected."""
    linked: dict[tuple[int, str], list[set[str]]] = {}
    for hold in _hours_of(together, interval).select("hour", "accelerator", "host").unique().iter_rows(named=True):
        groups = linked.setdefault((hold["hour"], hold["accelerator"]), [])
        _connect(groups, set(expand_hosts(hold["host"])))
    rows = [
        (hour, host, accelerator, fold_hosts(sorted(group)))
        for (hour, accelerator), groups in linked.items()
        for group in groups
        for host in sorted(group)
    ]
    schema = {"hour": pl.Int64(), "host": pl.String(), "accelerator": pl.String(), "set": pl.String()}
    return pl.DataFrame(rows, schema=schema, orient="row")


def _connect(groups: list[set[str]], hosts: set[str]) -> None:
    """Add the hosts to the group that has one of them, joining all groups that have."""
    touched = [group for group in groups if group & hosts]
    groups[:] = [group for group in groups if not group & hosts]
    groups.append(hosts.union(*touched))


def _hours_of(together: pl.DataFrame, interval: Interval) -> pl.DataFrame:
    """One row per hold and hour that it touches, cut to the hour: `from`, `until` in seconds of the day."""
    begins = (pl.col("held_from") - interval.start).dt.total_seconds()
    ends = (pl.col("held_until") - interval.start).dt.total_seconds()
    return (
        together.with_columns(begins=begins, ends=ends)
        .with_columns(hour=pl.int_ranges(pl.col("begins") // 3600, (pl.col("ends") - 1) // 3600 + 1))
        .explode("hour")
        .with_columns(
            pl.max_horizontal("begins", pl.col("hour") * 3600).alias("from"),
            pl.min_horizontal("ends", (pl.col("hour") + 1) * 3600).alias("until"),
        )
    )


def _held_in_sets(together: pl.DataFrame, sets: pl.DataFrame, interval: Interval) -> pl.DataFrame:
    """What holds that could not be split have, per set and hour: devices x share, over units_per_gpu."""
    in_hours = _hours_of(together, interval)
    folded = in_hours["host"].unique().to_list()
    first = pl.DataFrame({"host": folded, "first": [expand_hosts(hosts)[0] for hosts in folded]})
    return (
        in_hours.join(first, on="host", how="left", validate="m:1")
        .join(sets.rename({"host": "first"}), on=("hour", "first", "accelerator"), how="left", validate="m:1")
        .select(*SET, "from", "until", "units_per_gpu", held=pl.col("device_count") * pl.col("share_units"))
    )


def _swept_sets(in_sets: pl.DataFrame, held_together: pl.DataFrame, interval: Interval) -> pl.DataFrame:
    """The stretches of each set: what its hosts say, summed, and what is held over all of them, shared out again."""
    levels = ("capacity", *STATES, "overcommitted", "without_record")
    without_record = (pl.col("inventory") == "none").cast(pl.Int64)
    by_host = in_sets.with_columns(without_record=without_record)
    over_all = held_together.with_columns(pl.lit(0, pl.Int64).alias(level) for level in levels if level != "held")
    units = _units_of_sets(by_host, over_all)
    spells = pl.concat(
        [_in_units(frame, units, levels) for frame in (by_host, over_all)],
    )
    swept = levels_over_time(spells, keys=SET, levels=levels, day_seconds=interval.seconds)
    capacity = pl.max_horizontal("capacity", pl.when(pl.col("without_record") > 0).then(pl.col("held")).otherwise(0))
    beyond_on_hosts = swept.rename({"overcommitted": "overcommitted_on_hosts"}).with_columns(capacity=capacity)
    return (
        share_out(beyond_on_hosts.filter(pl.col("hour") == pl.col("from") // 3600))
        .join(units, on=SET, how="left", validate="m:1")
        .with_columns(
            host=pl.col("set"),
            overcommitted=pl.col("overcommitted") + pl.col("overcommitted_on_hosts"),
            inventory=pl.when(pl.col("without_record") > 0).then(pl.lit("none")).otherwise(pl.lit("node record")),
        )
        .with_columns(double_booked="overcommitted")
    )


def _units_of_sets(*frames: pl.DataFrame) -> pl.DataFrame:
    """Per set and hour the least common multiple of the units of its hosts and holds."""
    found: dict[tuple[int, str, str], int] = {}
    for hour, accelerator, name, units in _distinct_units(frames):
        found[hour, accelerator, name] = math.lcm(units, found.get((hour, accelerator, name), 1))
    schema = {"hour": pl.Int64(), "accelerator": pl.String(), "set": pl.String(), "units_per_gpu": pl.Int64()}
    return pl.DataFrame([(*key, units) for key, units in found.items()], schema=schema, orient="row")


def _distinct_units(frames: Iterable[pl.DataFrame]) -> Iterable[tuple[int, str, str, int]]:
    return pl.concat([frame.select(*SET, "units_per_gpu") for frame in frames]).unique().iter_rows()


def _in_units(frame: pl.DataFrame, units: pl.DataFrame, levels: Iterable[str]) -> pl.DataFrame:
    """Levels in the units of the set (`without_record` counts hosts, not units)."""
    finer = pl.col("units_per_gpu_of_set") // pl.col("units_per_gpu")
    return frame.join(
        units.rename({"units_per_gpu": "units_per_gpu_of_set"}), on=SET, how="left", validate="m:1"
    ).select(
        *SET,
        "from",
        "until",
        *[pl.col(level) * (1 if level == "without_record" else finer) for level in levels],
    )
