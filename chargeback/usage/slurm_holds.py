"""holds of a Slurm cluster and day: which GPUs, slices, shards or MPS each run had on which host, cut to the day.

Not here: how many a run was granted (gpu_counts.py), how a total lies on several hosts (host_split.py), prices.
"""

from collections.abc import Mapping
from fractions import Fraction

import polars as pl

from chargeback.billing_period import Interval
from chargeback.contracts.holds import HOLDS
from chargeback.usage.host_gpus import gpus_of_hosts
from chargeback.usage.host_split import grants_by_host
from chargeback.usage.inventory import UNTYPED, accelerator_of
from chargeback.usage.mig import parse_slice

MPS_PER_GPU = Fraction(1, 100)

KINDS = {
    "granted_kind": pl.String,
    "granted_type": pl.String,
    "gpus_per_part": pl.String,
    "accelerator": pl.String,
    "sharing": pl.String,
    "share_units": pl.Int64,
    "units_per_gpu": pl.Int64,
    "slice_profile": pl.String,
}


def holds_of_day(
    runs: pl.DataFrame,
    raw_nodes: pl.DataFrame,
    raw_bindings: pl.DataFrame,
    *,
    cluster: str,
    day: str,
    interval: Interval,
    aliases: Mapping[str, str],
) -> pl.DataFrame:
    """Give every run with a known count its holds.

    Input:   contracts.runs, raw_nodes and raw_bindings of that cluster and day; `aliases` maps lower-cased gres types
             to accelerators; `interval` is the day.
    Output:  contracts.holds, sorted by key. Physical GPU-seconds of a row = device_count x seconds x share_units /
             units_per_gpu. `is_running`: the run was last seen running within this day.
    Source:  design.md 2 "hold", "share"; 4 "Grains"; 5.2; 5.12.
    """
    held = runs.filter(pl.col("gpu_count") > 0).with_columns(
        held_from=pl.max_horizontal("started", pl.lit(interval.start)),
        held_until=pl.min_horizontal("observed_until", pl.lit(interval.end)),
    )
    held = held.filter(pl.col("held_from") < pl.col("held_until"))
    by_host = grants_by_host(held, raw_nodes, raw_bindings)
    shares = gpus_of_hosts(raw_nodes).select("host", "gpus_per_shard", "gpus_per_mps")
    typed = by_host.join(shares, left_on="any_host", right_on="host", how="left", validate="m:1").with_columns(
        gpus_per_part=pl.when(pl.col("granted_kind") == "shard")
        .then("gpus_per_shard")
        .when(pl.col("granted_kind") == "mps")
        .then("gpus_per_mps")
    )
    return (
        typed.join(_kinds(typed, aliases), on=["granted_kind", "granted_type", "gpus_per_part"], nulls_equal=True)
        .join(held.select("run", "held_from", "held_until", "is_running"), on="run", validate="m:1")
        .with_columns(cluster=pl.lit(cluster), day=pl.lit(day))
        .group_by([name for name in HOLDS.column_names if name != "device_count"])
        .agg(device_count=pl.col("device_count").sum())
        .select(HOLDS.column_names)
        .sort(HOLDS.key)
    )


def _kinds(grants: pl.DataFrame, aliases: Mapping[str, str]) -> pl.DataFrame:
    """KINDS of every distinct granted type: the accelerator and the physical part of a GPU that one device is."""
    distinct = grants.select("granted_kind", "granted_type", "gpus_per_part").unique().rows()
    rows = [(kind, gres, part, *_kind_of(kind, gres, part, aliases)) for kind, gres, part in distinct]
    return pl.DataFrame(rows, schema=KINDS, orient="row")


def _kind_of(
    kind: str, gres_type: str, gpus_per_part: str | None, aliases: Mapping[str, str]
) -> tuple[str, str, int, int, str]:
    accelerator = accelerator_of(gres_type or UNTYPED, aliases=aliases)
    cut = parse_slice(gres_type)
    if kind == "gpu" and cut is not None:
        return accelerator, "mig", cut.compute_slices, cut.geometry.compute_slices, cut.profile
    if kind == "gpu":
        return accelerator, "whole", 1, 1, ""
    share = MPS_PER_GPU if gpus_per_part is None else Fraction(gpus_per_part)
    return accelerator, kind, share.numerator, share.denominator, ""
