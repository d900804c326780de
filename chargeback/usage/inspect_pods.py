"""What Kubernetes pods would bill: the lake's own folds, runs and holds, over the file's whole time at once.

Claims are in files of their own: a pod that has GPUs by a claim alone is not counted. Not here: what kind a file is
(extract_kinds.py).
"""

from collections.abc import Mapping
from datetime import datetime
from zoneinfo import ZoneInfo

import polars as pl

from chargeback.contracts.contract import INSTANT
from chargeback.contracts.raw_claims import RAW_CLAIMS
from chargeback.contracts.raw_slices import RAW_SLICES
from chargeback.contracts.raw_workloads import RAW_WORKLOADS
from chargeback.usage import extract_kinds
from chargeback.usage.extract import ParsedExtract
from chargeback.usage.inspected_runs import inspection_of
from chargeback.usage.inspection import ALL_TIME, HOLDING, NO_GPUS, NO_TIME, UNKNOWN, Inspection
from chargeback.usage.kubernetes_holds import kubernetes_holds_of_day
from chargeback.usage.kubernetes_runs import kubernetes_runs_of_day
from chargeback.usage.pod_observations import raw_pods_of_day

REPEATED = "another observation of the same pod counts"
NEVER_SCHEDULED = "never scheduled"
HOLDS_NOTHING_ITSELF = "reservation pod: those that share its GPU hold it"


def inspect_pods(
    parsed: ParsedExtract,
    name: str,
    nodes: pl.DataFrame,
    billing_zone: ZoneInfo,
    aliases: Mapping[str, str],
    *,
    cluster: str,
    extracted_at: datetime | None,
) -> Inspection:
    """Say what became of every pod. `nodes`: contracts.raw_kubernetes_nodes.

    What still runs is counted to `extracted_at`; where nobody says when that was, to the last instant of the file.
    """
    runs, holds = _runs_and_holds(parsed, nodes, aliases, cluster=cluster, extracted_at=extracted_at)
    ways = (NEVER_SCHEDULED, HOLDS_NOTHING_ITSELF, NO_TIME, NO_GPUS)
    ignored = {way: len(runs.filter(pl.col("way") == way)) for way in ways}
    ignored = {REPEATED: len(parsed.frame) - len(runs)} | ignored | dict(parsed.ignored_reasons)
    return inspection_of(
        parsed, runs, holds, name=name, source=extract_kinds.PODS, ignored=ignored, billing_zone=billing_zone
    )


def _runs_and_holds(
    parsed: ParsedExtract,
    nodes: pl.DataFrame,
    aliases: Mapping[str, str],
    *,
    cluster: str,
    extracted_at: datetime | None,
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Every pod as a run with `seconds` and the `way` that it went; holds with their namespace as account."""
    seen_at = pl.lit(extracted_at or parsed.frame["stated"].max() or ALL_TIME.start).cast(INSTANT)
    seen = parsed.frame.with_columns(object=pl.lit(""), extracted_at=seen_at)
    listings = pl.DataFrame({"kind": sorted(parsed.full_listings_of)}, schema={"kind": pl.String}).with_columns(
        object=pl.lit(""), extracted_at=seen_at
    )
    raw = raw_pods_of_day(seen, listings, cluster=cluster, day="", interval=ALL_TIME)
    others = (RAW_CLAIMS.empty(), RAW_SLICES.empty(), nodes)
    runs = kubernetes_runs_of_day(
        raw, RAW_WORKLOADS.empty(), *others, cluster=cluster, day="", interval=ALL_TIME, tiers={}, classes={},
        approvals=(),
    )  # fmt: skip
    holds = kubernetes_holds_of_day(runs, raw, *others, cluster=cluster, day="", interval=ALL_TIME, aliases=aliases)
    seconds = (pl.col("observed_until") - pl.col("bound")).dt.total_seconds()
    accounts = runs.select("cluster", "run", "account")
    return (
        runs.with_columns(way=_way(seconds), seconds=seconds),
        holds.join(accounts, on=["cluster", "run"], how="left", validate="m:1"),
    )


def _way(seconds: pl.Expr) -> pl.Expr:
    return (
        pl.when(pl.col("bound").is_null())
        .then(pl.lit(NEVER_SCHEDULED))
        .when(pl.col("gpu_count_basis") == "holds nothing itself")
        .then(pl.lit(HOLDS_NOTHING_ITSELF))
        .when(seconds == 0)
        .then(pl.lit(NO_TIME))
        .when(pl.col("gpu_count").is_null())
        .then(pl.lit(UNKNOWN))
        .when(pl.col("gpu_count") == 0)
        .then(pl.lit(NO_GPUS))
        .otherwise(pl.lit(HOLDING))
    )
