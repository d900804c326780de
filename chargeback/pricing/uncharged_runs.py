"""Runs that cost nothing, each with its reason and its team, so that a statement can say why. Not here: charges."""

from collections.abc import Collection, Sequence

import polars as pl

from chargeback.pricing.owners import DEFAULT_PRECEDENCE
from chargeback.pricing.platform_operations import with_owners_or_platform

UNCHARGED = {
    "team": pl.String(),
    "cluster": pl.String(),
    "run": pl.String(),
    "job_id": pl.String(),
    "job_name": pl.String(),
    "account": pl.String(),
    "user": pl.String(),
    "reason": pl.String(),
    "wall_seconds": pl.Int64(),
}
"""Columns of a list of uncharged runs; one row per run and team that would have borne it."""

REASONS = {"never started": "never started", "unknown": "GPU count unknown: nobody recorded it, never taken as 0"}


def uncharged_runs(
    runs: pl.LazyFrame,
    ownership: pl.DataFrame,
    *,
    unknown_accounts: Collection[str] = (),
    precedence: Sequence[str] = DEFAULT_PRECEDENCE,
    platform_operations: Collection[str] = (),
) -> pl.DataFrame:
    """The month's runs without a charge: never started (unless it asked for no GPU), or with an unknown GPU count.

    Input:   contracts.runs of the month's days; contracts.ownership of the month.
    Output:  `UNCHARGED`, in order of team, reason, cluster, run; wall_seconds is run time plus suspension on record.
    """
    basis = pl.col("gpu_count_basis")
    asked_for_none = pl.col("declared_gpus") == 0
    silent = (
        runs.filter((basis == "unknown") | ((basis == "never started") & ~asked_for_none.fill_null(False)))
        .select(
            "cluster",
            "day",
            "run",
            "job_id",
            "job_name",
            "account",
            "user",
            "wckey",
            "scheduler",
            "queue",
            "labels",
            "qos",
            reason=basis.replace_strict(REASONS, default=None, return_dtype=pl.String()),
            wall_seconds=pl.col("elapsed_seconds").fill_null(0) + pl.col("suspended_seconds").fill_null(0),
        )
        .collect(engine="streaming")
        .sort("day")
        .unique(("cluster", "run"), keep="last", maintain_order=True)
    )
    owned = with_owners_or_platform(
        silent,
        ownership,
        unknown_accounts=unknown_accounts,
        precedence=precedence,
        platform_operations=platform_operations,
    )
    return (
        owned.select(pl.col(name).cast(dtype) for name, dtype in UNCHARGED.items())
        .unique(maintain_order=True)
        .sort("team", "reason", "cluster", "run")
    )
