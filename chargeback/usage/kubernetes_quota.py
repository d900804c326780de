"""Quota that Kueue keeps for workloads beyond the GPUs that their pods hold: shown beside the bill, charged to nobody.

Not here: what pods hold, which alone is charged (kubernetes_holds.py).
"""

import polars as pl

from chargeback.billing_period import Interval
from chargeback.usage.sweep import levels_over_time

QUOTA = {
    "namespace": pl.String(),
    "workload": pl.String(),
    "queue": pl.String(),
    "quota_gpu_seconds": pl.Int64(),
}
"""One row per workload that was admitted; GPU-seconds of its quota that no pod of it held."""

_KEY = ("namespace", "workload")


def quota_without_pods(raw_workloads: pl.DataFrame, runs: pl.DataFrame, *, interval: Interval) -> pl.DataFrame:
    """QUOTA of the day, sorted: moment by moment the admitted GPUs beyond those that pods of the workload have.

    Input:   contracts.raw_workloads and runs of one (cluster, day). A Kueue Workload has its quota from its admission
             until it is finished, gone, or was last seen. A pod is one of it if its topmost owner is the Workload's, or
             if it names the Workload as its group. GPUs are devices, as quotas count them.
    Output:  workload as in contracts.runs (`Job/train`), or Workload/<name> where it owns nothing. Rows of nothing are
             left out: where more pods run than the quota says (it can be stale), no quota is without pods.
    Source:  field-map, "Kueue"; case K15.
    """
    admitted = _admitted(raw_workloads, interval)
    swept = levels_over_time(
        pl.concat([admitted.select(*_KEY, "from", "until", "quota", held=pl.lit(0, pl.Int64)),
                   _held(admitted, runs, interval)]),
        keys=_KEY, levels=("quota", "held"), day_seconds=interval.seconds, hour_seconds=interval.seconds,
    )  # fmt: skip
    unused = pl.max_horizontal(pl.col("quota") - pl.col("held"), 0) * (pl.col("until") - pl.col("from"))
    queues = admitted.select(*_KEY, "queue").unique(_KEY, keep="first", maintain_order=True)
    return (
        swept.group_by(_KEY)
        .agg(quota_gpu_seconds=unused.sum())
        .filter(pl.col("quota_gpu_seconds") > 0)
        .join(queues, on=_KEY, how="left", validate="1:1")
        .select(QUOTA.keys())
        .sort(_KEY)
    )


def _admitted(raw_workloads: pl.DataFrame, interval: Interval) -> pl.DataFrame:
    """namespace, workload, group, queue, quota, and from and until in seconds of the day."""
    until = pl.coalesce(pl.min_horizontal("ended", "missingFrom"), "lastSeen")
    owner = pl.concat_str("ownerKind", "ownerName", separator="/")
    return (
        raw_workloads.filter(pl.col("kind") == "Workload", pl.col("admitted").is_not_null(), pl.col("quotaGpus") > 0)
        .sort("uid")
        .select(
            "namespace",
            group="name",
            workload=pl.coalesce(owner, pl.lit("Workload/") + pl.col("name")),
            queue="queueName",
            quota="quotaGpus",
            **_seconds(pl.col("admitted"), until, interval),
        )
        .filter(pl.col("from") < pl.col("until"))
    )


def _held(admitted: pl.DataFrame, runs: pl.DataFrame, interval: Interval) -> pl.DataFrame:
    """GPUs that pods of admitted workloads have, as spells of their workload."""
    pods = runs.filter(pl.col("bound").is_not_null(), pl.col("gpu_count") > 0).select(
        "run",
        "workload",
        "group",
        namespace="account",
        quota=pl.lit(0, pl.Int64),
        held="gpu_count",
        **_seconds(pl.col("bound"), pl.col("observed_until"), interval),
    )
    by_owner = pods.join(admitted.select(_KEY).unique(), on=_KEY, how="semi")
    groups = admitted.select("namespace", "group", of="workload").unique(("namespace", "group"), keep="first")
    by_group = pods.join(by_owner, on="run", how="anti").join(
        groups, on=("namespace", "group"), how="inner", validate="m:1"
    )
    columns = [*_KEY, "from", "until", "quota", "held"]
    everything = pl.concat([by_owner.select(columns), by_group.with_columns(workload="of").select(columns)])
    return everything.filter(pl.col("from") < pl.col("until"))


def _seconds(begins: pl.Expr, ends: pl.Expr, interval: Interval) -> dict[str, pl.Expr]:
    cut_from = pl.max_horizontal(begins, pl.lit(interval.start))
    cut_until = pl.min_horizontal(ends, pl.lit(interval.end))
    return {
        "from": (cut_from - interval.start).dt.total_seconds(),
        "until": (cut_until - interval.start).dt.total_seconds(),
    }
