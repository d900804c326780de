"""runs of a Kubernetes cluster and day: every pod, with all that the API server will forget.

Not here: from when until when it holds (kubernetes_spans.py), what it asks (kubernetes_asks.py), whose it is
(kubernetes_workload.py, kubernetes_attributes.py).
"""

from collections.abc import Mapping, Sequence

import polars as pl

from chargeback.billing_period import Interval
from chargeback.contracts.runs import RUNS
from chargeback.usage.gpu_approvals import GpuCountApproval
from chargeback.usage.kubernetes_asks import asks_of_pods
from chargeback.usage.kubernetes_attributes import with_attributes
from chargeback.usage.kubernetes_claimed import pods_of_claims_alone
from chargeback.usage.kubernetes_spans import with_spans
from chargeback.usage.kubernetes_workload import with_workloads


def kubernetes_runs_of_day(
    raw_pods: pl.DataFrame,
    raw_workloads: pl.DataFrame,
    raw_claims: pl.DataFrame,
    raw_slices: pl.DataFrame,
    raw_kubernetes_nodes: pl.DataFrame,
    *,
    cluster: str,
    day: str,
    interval: Interval,
    tiers: Mapping[str, str],
    classes: Mapping[str, str],
    approvals: Sequence[GpuCountApproval],
) -> pl.DataFrame:
    """Say of every pod of the day what it was.

    Input:   the contracts' raw tables of that cluster and day. `tiers` maps a PriorityClass or queue to a tier,
             `classes` a queue to a workload class. `interval` is the day.
    Output:  contracts.runs, sorted by run; one row per pod, and per pod that only DRA claims name. `account` is the
             namespace, `bound` when the pod was scheduled, `started` when its first container started (never: it held
             and never ran), `alloc_tres` what it asks in its own words. A bound pod that asks for GPUs in a way that
             cannot be read has an unknown count until an approval settles it.
    Source:  design.md 2, 4 "Run key", 5.2, 5.3.
    """
    alone = pods_of_claims_alone(raw_pods, raw_claims, raw_slices, day_start=interval.start)
    pods = pl.concat([raw_pods, alone])
    _, counts = asks_of_pods(pods, raw_claims, raw_slices, raw_kubernetes_nodes)
    spans = with_spans(pods, day_end=interval.end)
    told = with_workloads(with_attributes(spans, raw_workloads, tiers=tiers), raw_workloads, classes=classes)
    counted = (
        told.join(counts, on="uid", how="left", validate="1:1")
        .with_columns(run=pl.col("uid"), job_id=pl.concat_str("namespace", "name", separator="/"))
        .join(_approved(told, cluster, approvals), on="uid", how="left", validate="1:1")
        .with_columns(approved=pl.when("is_node_count").then("gpus_of_node").otherwise("approved_gpus"))
        .with_columns(gpu_count_basis=_basis())
    )
    return (
        counted.with_columns(
            *_renamed(),
            cluster=pl.lit(cluster),
            day=pl.lit(day),
            scheduler=pl.lit("kubernetes"),
            gpu_count=_count(),
            declared_gpus=pl.when("is_readable").then("asked_gpus"),
            host_count=pl.col("bound").is_not_null().cast(pl.Int64),
            is_exclusive=pl.lit(False),
            suspended_seconds=pl.lit(0, pl.Int64),
            elapsed_seconds=(pl.col("observed_until") - pl.col("bound")).dt.total_seconds(),
        )
        .with_columns(pl.lit(None, RUNS.schema[name]).alias(name) for name in _NEVER)
        .select(pl.col(name).cast(dtype) for name, dtype in RUNS.schema.items())
        .sort("run")
    )


_NEVER = ("sluid", "dbindex", "wckey", "reservation", "first_activity")


def _renamed() -> list[pl.Expr]:
    is_bound = pl.col("bound").is_not_null()
    state = pl.coalesce("phase", pl.lit("Unknown"))
    names = {
        "job_id_raw": pl.col("uid"),
        "job_name": pl.col("name"),
        "account": pl.col("namespace"),
        "qos": pl.col("priorityClassName"),
        "submitted": pl.col("creationTimestamp"),
        "eligible": pl.col("creationTimestamp"),
        "image_pulled": pl.col("containersStarted"),
        "started": pl.col("containersStarted"),
        "state": pl.concat_str(state, pl.col("reason"), separator=" ", ignore_nulls=True),
        "pending_reason": pl.when(~is_bound).then("unschedulableReason"),
        "limit_seconds": pl.col("activeDeadlineSeconds"),
        "hosts": pl.when(is_bound).then("nodeName"),
        "alloc_tres": pl.col("asked_words").replace("", None),
    }
    return [value.alias(name) for name, value in names.items()]


def _basis() -> pl.Expr:
    return (
        pl.when(pl.col("bound").is_null())
        .then(pl.lit("never started"))
        .when(pl.col("holds_nothing_itself"))
        .then(pl.lit("holds nothing itself"))
        .when(pl.col("is_readable") & (pl.col("asked_gpus") > 0))
        .then(pl.lit("recorded"))
        .when("is_readable")
        .then(pl.lit("no GPUs"))
        .when(pl.col("approved").is_not_null())
        .then(pl.lit("approved"))
        .otherwise(pl.lit("unknown"))
    )


def _count() -> pl.Expr:
    basis = pl.col("gpu_count_basis")
    return (
        pl.when(basis.is_in(["recorded", "no GPUs"]))
        .then("asked_gpus")
        .when(basis == "holds nothing itself")
        .then(pl.lit(0, pl.Int64))
        .when(basis == "approved")
        .then("approved")
    )


def _approved(pods: pl.DataFrame, cluster: str, approvals: Sequence[GpuCountApproval]) -> pl.DataFrame:
    """uid and approved GPUs of pods that an approval names by uid or namespace/name; of several the last counts."""
    rows = [(a.run, a.gpus, a.gpus is None) for a in approvals if a.cluster == cluster]
    schema = {"named": pl.String(), "approved_gpus": pl.Int64(), "is_node_count": pl.Boolean()}
    given = pl.DataFrame(rows, schema=schema, orient="row").with_row_index("order")
    by_name = pl.concat_str("namespace", "name", separator="/")
    names = pl.concat([pods.select("uid", named="uid"), pods.select("uid", named=by_name)])
    return (
        names.join(given, on="named", how="inner")
        .sort("uid", "order")
        .unique("uid", keep="last", maintain_order=True)
        .select("uid", "approved_gpus", "is_node_count")
    )
