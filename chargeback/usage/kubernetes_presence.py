"""Until when a Kubernetes object is known to have existed, and from when it is known to be gone.

A full listing without it proves its absence, unless a later observation shows it: then that listing was stale.
Not here: what the object was charged or counted as meanwhile.
"""

from collections.abc import Sequence

import polars as pl

from chargeback.billing_period import Interval
from chargeback.usage.kubernetes_objects import DELETED, LISTED
from chargeback.usage.observations import PLACE


def with_presence(
    observations: pl.DataFrame, listings: pl.DataFrame, *, key: Sequence[str], kind: pl.Expr
) -> pl.DataFrame:
    """Add `deleted`, `lastSeen` and `missingFrom` of every key, not cut to any day; the same in all rows of a key.

    Input:   observations with `event`, `stated` (null: not said), `creationTimestamp`, `deletionTimestamp` and
             `extracted_at`; `listings`: extracted_at and kind of the full listings that the observations come from and
             of those between and after them. `kind`: what a listing of such an object is called.
    Output:  deleted: of a DELETED event the deletionTimestamp of its object if it lies before the landing, else the
             landing. lastSeen: the last instant at which an observation shows it as existing: for a listing its
             extraction, for a watch event, whose own instant nobody keeps, the last one that its object states.
             missingFrom: the first full listing after lastSeen.
    """
    landed, is_deleted = pl.col("extracted_at"), pl.col("event") == DELETED
    before_landing = pl.when(pl.col("deletionTimestamp") <= landed).then(pl.col("deletionTimestamp"))
    shown_until = (
        pl.when(pl.col("event") == LISTED)
        .then(pl.max_horizontal(landed, "creationTimestamp"))
        .otherwise(pl.min_horizontal(landed, pl.coalesce("stated", landed)))
    )
    seen = (
        observations.with_columns(deleted=pl.when(is_deleted).then(pl.coalesce(before_landing, landed)))
        .with_columns(
            deleted=pl.col("deleted").min().over(key),
            lastSeen=pl.coalesce("deleted", shown_until).max().over(key),
            _kind=kind,
        )
        .sort("lastSeen", maintain_order=True)
    )
    gone = listings.select(missingFrom="extracted_at", _kind="kind").unique().sort("missingFrom")
    return seen.join_asof(
        gone,
        left_on="lastSeen",
        right_on="missingFrom",
        by="_kind",
        strategy="forward",
        allow_exact_matches=False,
        coalesce=False,
        check_sortedness=False,
    ).drop("_kind")


def cut_presence(interval: Interval) -> list[pl.Expr]:
    """The same as it was at the end of a day: what is later is not yet.

    What only a listing of a later day misses existed until then, so all of this day long: lastSeen is the day's end.
    """
    end = pl.lit(interval.end)
    return [
        cut_instant("deleted", interval),
        pl.when(pl.col("missingFrom") >= end).then(end).otherwise(pl.min_horizontal("lastSeen", end)).alias("lastSeen"),
        cut_instant("missingFrom", interval),
    ]


def with_deletion_as_absence(present: pl.DataFrame) -> pl.DataFrame:
    """Where a table has no column for it, what a DELETED event says is from when the object is missing."""
    return present.with_columns(missingFrom=pl.min_horizontal("deleted", "missingFrom"))


def existed_on_the_day(interval: Interval, *, began: pl.Expr) -> pl.Expr:
    """Whether an object was there on the day, by its presence before it is cut: from its beginning until it went."""
    gone = pl.coalesce(pl.min_horizontal("deleted", "missingFrom"), "lastSeen")
    began_before_the_end = began.is_null() | (began < pl.lit(interval.end))
    return began_before_the_end & ((gone > pl.lit(interval.start)) | (began >= pl.lit(interval.start)))


def cut_instant(name: str, interval: Interval) -> pl.Expr:
    """An instant, null if it lies not before the end of the day."""
    return pl.when(pl.col(name) < pl.lit(interval.end)).then(pl.col(name)).alias(name)


def that_tell_of_the_day(
    cut: pl.DataFrame, *, key: Sequence[str], knowledge: pl.Expr, interval: Interval
) -> pl.DataFrame:
    """Of every key the observations until the first one, at the day's end or later, that knows as much as any.

    Input:   observations cut to the day; `knowledge`: a number, how much one of them knows of the day.
    Output:  sorted by key and place, with `_knows` and `_knows_most`. Later observations only repeat what is known, so
             a listing that lands later rewrites no old day.
    """
    landed = pl.col("extracted_at")
    told = landed.filter(pl.col("_knows_most") & (landed >= pl.lit(interval.end))).min().over(key)
    return (
        cut.with_columns(_knows=knowledge)
        .with_columns(_knows_most=pl.col("_knows") == pl.col("_knows").max().over(key))
        .filter(told.is_null() | (landed <= told))
        .sort(*key, *PLACE)
    )
