"""raw_pods of one day: of all observations of a pod the one that tells of the day, cut to what was so at its end.

So a service that runs for months rewrites none of its old days, however often it is listed. Not here: parsing, and what
a pod holds.
"""

import polars as pl

from chargeback.billing_period import Interval
from chargeback.contracts.raw_pods import RAW_PODS
from chargeback.usage.kubernetes_presence import cut_instant, cut_presence, that_tell_of_the_day, with_presence
from chargeback.usage.kubernetes_records import OVER
from chargeback.usage.observations import PLACE, fold_observations

KEY = ("uid",)

NOT_FACTS = ("cluster", "day", "uid", *PLACE)

ENDS = ("finished", "disrupted", "deleted")

CUT = ("finished", "disrupted", "scheduled", "deletionTimestamp", "containersStarted", "ready")


def raw_pods_of_day(
    observations: pl.DataFrame, listings: pl.DataFrame, *, cluster: str, day: str, interval: Interval
) -> pl.DataFrame:
    """Pods that waited or were bound on a day.

    Input:   frames of parse_pods with `object` and `extracted_at`, concatenated; `listings`: extracted_at and kind of
             the full listings among and after them.
    Output:  contracts.raw_pods, sorted by key. Of one pod the first observation at or after the day's end counts, else
             the last; but one that knows of an end on the day, or else of the binding, outranks one that does not.
             Instants from the day's end on are null, lastSeen is at most the day's end, and phase and reasons say what
             was so then. The first start, the last readiness and the last reason to wait, which the API forgets,
             are those of all observations until then.
    Source:  design.md 4 "Landing key" and "Partitions"; 5.3.
    """
    present = with_presence(observations, listings, key=KEY, kind=pl.lit("Pod"))
    cut = present.with_columns(_ends_later=_ends_later(interval), _starts_later=_starts_later(interval)).with_columns(
        *cut_presence(interval), *(cut_instant(name, interval) for name in CUT)
    )
    telling = (
        that_tell_of_the_day(cut, key=KEY, knowledge=_knowledge(), interval=interval)
        .with_columns(
            containersStarted=pl.col("containersStarted").min().over(KEY),
            ready=pl.col("ready").max().over(KEY),
            unschedulableReason=pl.col("unschedulableReason").forward_fill().over(KEY),
        )
        .filter(pl.col("_knows_most"))
        .with_columns(*_as_of_the_end())
    )
    facts = [name for name in RAW_PODS.column_names if name not in NOT_FACTS]
    return (
        fold_observations(telling, key=KEY, facts=facts, final=None)
        .filter(_is_of_day(interval))
        .with_columns(cluster=pl.lit(cluster), day=pl.lit(day))
        .select(RAW_PODS.column_names)
        .sort(RAW_PODS.key)
    )


def _ends_later(interval: Interval) -> pl.Expr:
    """Whether the pod's own end is known and lies at the day's end or after it."""
    own_end = pl.min_horizontal("finished", "disrupted")
    return (own_end >= pl.lit(interval.end)).fill_null(False)


def _starts_later(interval: Interval) -> pl.Expr:
    """Whether no main container had started by the day's end, as far as is known."""
    return (pl.col("containersStarted") >= pl.lit(interval.end)).fill_null(False)


def _knowledge() -> pl.Expr:
    """How much an observation knows of the day: an end, else the binding, else that the pod waits."""
    has_ended = pl.any_horizontal(pl.col(name).is_not_null() for name in ENDS)
    return pl.when(has_ended).then(2).when(pl.col("scheduled").is_not_null()).then(1).otherwise(0)


def _as_of_the_end() -> list[pl.Expr]:
    """What has no instant of its own, as it was at the day's end."""
    ends_later, is_bound = pl.col("_ends_later"), pl.col("scheduled").is_not_null()
    had_not_begun = ~is_bound | (pl.col("_starts_later") & pl.col("containersStarted").is_null())
    was_running = pl.when(had_not_begun).then(pl.lit("Pending")).otherwise(pl.lit("Running"))
    is_phase_later = ends_later & pl.col("phase").is_in(OVER).fill_null(False)
    return [
        pl.when(is_phase_later | (pl.col("phase") == "Running")).then(was_running).otherwise("phase").alias("phase"),
        pl.when(~ends_later).then("reason").alias("reason"),
        pl.when(pl.col("finished").is_not_null()).then("exitReason").alias("exitReason"),
        pl.when(pl.col("disrupted").is_not_null()).then("disruptionReason").alias("disruptionReason"),
        pl.when(is_bound).then("nodeName").alias("nodeName"),
    ]


def _is_of_day(interval: Interval) -> pl.Expr:
    """Whether the pod waited or was bound on the day, as far as anybody saw it."""
    ended_itself = pl.when(pl.col("phase").is_in(OVER)).then("deletionTimestamp")
    known_end = pl.coalesce(pl.min_horizontal(*ENDS, "missingFrom"), ended_itself)
    began = pl.min_horizontal("creationTimestamp", "scheduled")
    until = pl.coalesce(known_end, pl.max_horizontal("lastSeen", began))
    return (began < pl.lit(interval.end)) & ((until > pl.lit(interval.start)) | (began >= pl.lit(interval.start)))
