"""From when until when a pod holds its node's GPUs, and why that ended.

Source: design.md 5.3. Not here: how many GPUs (kubernetes_asks.py), and what a day is (the assets cut raw tables).
"""

from datetime import datetime

import polars as pl

PROOFS = ("finished", "disrupted", "deleted", "missingFrom")
"""Instants of contracts.raw_pods that prove an end; the first of them is the end."""

DISRUPTIONS = {
    "PreemptionByScheduler": "preempted",
    "PreemptionByKubeScheduler": "preempted",
    "TerminationByKubelet": "evicted",
    "EvictionByEvictionAPI": "evicted",
    "DeletionByTaintManager": "platform fault",
    "DeletionByPodGC": "platform fault",
}
"""Reasons of the condition DisruptionTarget. Taints that delete are those of lost nodes; garbage is of lost nodes."""

REASONS = {
    "Evicted": "evicted",
    "Preempting": "preempted",
    "Preempted": "preempted",
    "DeadlineExceeded": "timeout",
    "OOMKilled": "out of memory",
    "NodeLost": "platform fault",
    "NodeShutdown": "platform fault",
    "Shutdown": "platform fault",
    "Terminated": "platform fault",
    "UnexpectedAdmissionError": "platform fault",
}
"""Reasons of a pod's status, and of the container that decided its end."""


def with_spans(pods: pl.DataFrame, *, day_end: datetime) -> pl.DataFrame:
    """Add bound, ended, observed_until, is_running and end_cause to rows of contracts.raw_pods.

    Output:  `bound`: PodScheduled; null if it never was. `ended`: the first of the last container's finish, the
             disruption or eviction, the DELETED event, the first full listing without it. deletionTimestamp ends what
             nothing else ends, unless the pod's containers were seen to run on after it; a pod in a final phase with no
             instant at all ended when it was first seen so. `observed_until`: the end, else the last
             observation, never before `bound`. `is_running`: no end is known, and nothing shows it as existing at the
             end of the day, so what it held on this day can still grow.
    Source:  design.md 5.3, 5.12; cases K01, K02, K12.
    """
    seen_to_run_on = pl.col("containersStarted").is_not_null() & (pl.col("lastSeen") > pl.col("deletionTimestamp"))
    ended = (
        pl.when(pl.any_horizontal(pl.col(proof).is_not_null() for proof in PROOFS))
        .then(pl.min_horizontal(PROOFS))
        .when(pl.col("phase").is_in(["Succeeded", "Failed"]))
        .then(pl.min_horizontal("deletionTimestamp", "extracted_at"))
        .when(pl.col("deletionTimestamp").is_not_null() & ~seen_to_run_on)
        .then("deletionTimestamp")
    )
    return (
        pods.with_columns(bound=pl.col("scheduled"), ended=ended)
        .with_columns(
            observed_until=pl.when(pl.col("bound").is_not_null()).then(
                pl.max_horizontal("bound", pl.coalesce("ended", "lastSeen"))
            ),
            is_running=pl.col("bound").is_not_null()
            & pl.col("ended").is_null()
            & (pl.col("lastSeen") < pl.lit(day_end)),
        )
        .with_columns(end_cause=_end_cause())
    )


def _end_cause() -> pl.Expr:
    was_disrupted = (pl.col("disrupted") <= pl.col("ended")).fill_null(False)
    has_finished = (pl.col("finished") <= pl.col("ended")).fill_null(False) | pl.col("phase").is_in(
        ["Succeeded", "Failed"]
    )
    disruption = pl.when(was_disrupted).then(_mapped("disruptionReason", DISRUPTIONS))
    return pl.when(pl.col("ended").is_not_null()).then(
        pl.coalesce(
            disruption,
            _mapped("reason", REASONS),
            pl.when(was_disrupted).then(pl.lit("evicted")),
            pl.when(has_finished).then(_mapped("exitReason", REASONS)),
            pl.when(has_finished & (pl.col("exitReason") == "Completed").fill_null(False)).then(pl.lit("completed")),
            pl.when(pl.col("phase") == "Succeeded").then(pl.lit("completed")),
            pl.when(has_finished).then(pl.lit("failed")),
            pl.lit("cancelled"),
        )
    )


def _mapped(column: str, causes: dict[str, str]) -> pl.Expr:
    return pl.col(column).replace_strict(causes, default=None, return_dtype=pl.String)
