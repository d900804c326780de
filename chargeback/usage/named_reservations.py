"""Whose reservation it is that nobody holds: the name of the reservation beside every stretch that is reserved, unused.

Not here: what a reservation does to capacity (circumstances.py), who pays for it (pricing/reserved_unused.py).
"""

import json
from collections.abc import Sequence

import polars as pl

from chargeback.billing_period import Interval
from chargeback.usage.hostlist import expand_hosts

NAMED_SPELLS = {"host": pl.String(), "reservation": pl.String(), "begins": pl.Int64(), "ends": pl.Int64()}
"""Host, name of a reservation, and from when until when it has the host, in seconds of the day, half-open."""

NOBODYS = ""
"""The name that stands for several reservations at once: none of them may be charged what the other reserved."""

_HOUR = ("hour", "host", "accelerator", "units_per_gpu")
_STRETCH = (*_HOUR, "from", "until")


def named_spells(spells: pl.DataFrame, interval: Interval) -> pl.DataFrame:
    """NAMED_SPELLS of reservations (host, reservation, begins, ends as instants), cut to the day."""
    begins, ends = pl.max_horizontal("begins", pl.lit(interval.start)), pl.min_horizontal("ends", pl.lit(interval.end))
    return spells.select(
        "host",
        "reservation",
        begins=(begins - interval.start).dt.total_seconds(),
        ends=(ends - interval.start).dt.total_seconds(),
    ).filter(pl.col("begins") < pl.col("ends"))


def reserved_unused_by(stretches: pl.DataFrame, named: pl.DataFrame) -> pl.DataFrame:
    """Hour, host, accelerator, units_per_gpu -> `reserved_unused_by`, JSON of reservation -> unit-seconds, sorted.

    Input:   stretches: hour, host (or a folded set of hosts), accelerator, units_per_gpu, from, until and the units
             that are `reserved_unused`; none of them reaches across the begin or end of a reservation. NAMED_SPELLS.
    Output:  one row per hour and place in which something is reserved and unused; its unit-seconds add up to all of it.
             What several reservations have at once, on a host or on the hosts of a set, is NOBODYS.
    Source:  design.md 5.8.
    """
    unused = stretches.filter(pl.col("reserved_unused") > 0).with_columns(
        unit_seconds=(pl.col("until") - pl.col("from")) * pl.col("reserved_unused")
    )
    on_hosts = _on_each_host(unused).join(named, left_on="one_host", right_on="host", how="left", validate="m:m")
    lasts = (pl.col("begins") <= pl.col("from")) & (pl.col("until") <= pl.col("ends"))
    names = on_hosts.filter(lasts).group_by(*_STRETCH).agg(pl.col("reservation").unique())
    is_one = pl.col("reservation").list.len() == 1
    by_name = (
        unused.join(names, on=list(_STRETCH), how="left", validate="m:1")
        .with_columns(reservation=pl.when(is_one).then(pl.col("reservation").list.first()).fill_null(NOBODYS))
        .group_by(*_HOUR, "reservation")
        .agg(pl.col("unit_seconds").sum())
        .sort(*_HOUR, "reservation")
    )
    spelled = {name: json.dumps(name) for name in by_name["reservation"].unique()}
    key = pl.col("reservation").replace_strict(spelled, return_dtype=pl.String(), default=None)
    pairs = by_name.with_columns(pair=pl.concat_str(key, pl.lit(":"), pl.col("unit_seconds").cast(pl.String)))
    return pairs.group_by(_HOUR).agg(
        reserved_unused_by=pl.concat_str(pl.lit("{"), pl.col("pair").str.join(","), pl.lit("}")).first()
    )


def _on_each_host(stretches: pl.DataFrame) -> pl.DataFrame:
    folded: Sequence[str] = stretches["host"].unique().to_list()
    expanded = pl.DataFrame(
        {"host": folded, "one_host": [list(expand_hosts(hosts)) for hosts in folded]},
        schema={"host": pl.String(), "one_host": pl.List(pl.String())},
    )
    return stretches.join(expanded, on="host", how="left", validate="m:1").explode("one_host")
