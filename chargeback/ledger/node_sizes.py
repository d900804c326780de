"""How many GPUs a host had on a day, so that GPU-hours can be told in node-hours too, and conserve.

A GPU-hour on a host of eight is an eighth of a node-hour: all GPUs of a host held all day make 24 node-hours. Not here:
the hours (usage_states.py).
"""

from zoneinfo import ZoneInfo

import polars as pl
from ClusterShell.NodeSet import NodeSet

from chargeback.billing_period import day_interval
from chargeback.contracts.contract import INSTANT

HOST_DAY = ("cluster", "day", "host")
NODE_SIZES = {
    "cluster": pl.String(),
    "day": pl.String(),
    "host": pl.String(),
    "node_gpus_numerator": pl.Int64(),
    "node_gpus_denominator": pl.Int64(),
}
"""GPUs of a host, on average over the hours of the day in which its node record stood: a whole number as a rule."""

_SET_SIGNS = r"[\[,]"


def node_sizes(capacity: pl.LazyFrame, *, zone: ZoneInfo) -> pl.DataFrame:
    """`NODE_SIZES`, one row per single host and day, in order, from contracts.capacity of any days.

    Hosts without a node record have no row: of them nobody knows how many GPUs they have. A host that stood in a set
    of hosts, whose counts could not be split, has an equal part of what the set had.
    """
    hours = (
        capacity.filter((pl.col("inventory") == "node record") & (pl.col("capacity_unit_seconds") > 0))
        .group_by(*HOST_DAY, "hour_start", "units_per_gpu")
        .agg(pl.col("capacity_unit_seconds").sum())
        .collect(engine="streaming")
    )
    days = hours["day"].unique().sort()
    ends = pl.DataFrame(
        {"day": days, "day_end": [day_interval(day, zone).end for day in days]},
        schema={"day": pl.String(), "day_end": INSTANT},
    )
    hour_seconds = (pl.col("day_end") - pl.col("hour_start")).dt.total_seconds().clip(upper_bound=3600)
    single = (
        _single_hosts(hours).join(ends, on="day", how="left", validate="m:1").with_columns(hour_seconds=hour_seconds)
    )
    units = pl.col("units_of_host").cast(pl.Int128)
    common = units.unique().product()
    present = single.select(*HOST_DAY, "hour_start", "hour_seconds").unique().group_by(HOST_DAY).agg(
        present_seconds=pl.col("hour_seconds").sum()
    )  # fmt: skip
    summed = single.group_by(HOST_DAY).agg(
        numerator=(pl.col("capacity_unit_seconds").cast(pl.Int128) * (common // units)).sum(), units=common
    )
    denominator = pl.col("units") * pl.col("present_seconds").cast(pl.Int128)
    is_whole = pl.col("numerator") % denominator == 0
    return (
        summed.join(present, on=HOST_DAY, how="left", validate="1:1")
        .with_columns(
            node_gpus_numerator=pl.when(is_whole).then(pl.col("numerator") // denominator).otherwise("numerator"),
            node_gpus_denominator=pl.when(is_whole).then(pl.lit(1, pl.Int128)).otherwise(denominator),
        )
        .select(pl.col(name).cast(dtype) for name, dtype in NODE_SIZES.items())
        .sort(HOST_DAY)
    )


def with_node_sizes(rated: pl.LazyFrame, sizes: pl.DataFrame) -> pl.LazyFrame:
    """Rated usage with node_gpus_numerator and _denominator of its host and day; null where nobody knows.

    A folded set of hosts has their average. Raises ValueError where `sizes` has a host and day twice.
    """
    places = rated.filter(pl.col("host").str.contains(_SET_SIGNS)).select(HOST_DAY)
    folded = places.unique().collect(engine="streaming")
    members = folded.with_columns(
        pl.Series("member", [_hosts_in(host) for host in folded["host"]], dtype=pl.List(pl.String))
    )
    averages = (
        members.explode("member", empty_as_null=True)
        .join(sizes, left_on=["cluster", "day", "member"], right_on=HOST_DAY, how="inner", validate="m:1")
        .group_by(HOST_DAY)
        .agg(
            _total=pl.col("node_gpus_numerator").sum(),
            _count=pl.len().cast(pl.Int64),
            _even=(pl.col("node_gpus_denominator") == 1).all(),
        )
        .filter("_even")
        .select(*HOST_DAY, node_gpus_numerator="_total", node_gpus_denominator="_count")
    )
    known = pl.concat([sizes, averages.select(sizes.columns)])
    if known.select(HOST_DAY).is_duplicated().any():
        raise ValueError("a host has two sizes on one day: make its capacity anew")
    return rated.join(known.lazy(), on=HOST_DAY, how="left")  # a join that validates holds the whole month in memory


def _single_hosts(hours: pl.DataFrame) -> pl.DataFrame:
    """Rows of sets of hosts as one row for each host, an equal part each: units_of_host = units x hosts of the set."""
    is_set = pl.col("host").str.contains(_SET_SIGNS)
    single = hours.filter(~is_set).with_columns(units_of_host="units_per_gpu")
    sets = hours.filter(is_set)
    members = [_hosts_in(host) for host in sets["host"]]
    spread = (
        sets.with_columns(
            pl.Series("host", members, dtype=pl.List(pl.String)),
            units_of_host=pl.col("units_per_gpu") * pl.Series([len(each) for each in members], dtype=pl.Int64),
        )
        .explode("host", empty_as_null=True)
        .select(single.columns)
    )
    return pl.concat([single, spread])


def _hosts_in(folded: str) -> list[str]:
    return sorted(str(host) for host in NodeSet(folded))
