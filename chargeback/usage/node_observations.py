"""raw_kubernetes_nodes of one day: from when until when each node's record said what.

Not here: parsing, and what is in or out of service.
"""

import polars as pl

from chargeback.billing_period import Interval
from chargeback.contracts.raw_kubernetes_nodes import RAW_KUBERNETES_NODES
from chargeback.usage.kubernetes_nodes import SINCE_EVER
from chargeback.usage.kubernetes_objects import DELETED

FACTS = (
    *("uid", "labels", "capacity", "allocatable", "unschedulable", "cordonedSince", "ready", "readySince"),
    "creationTimestamp",
)


def raw_kubernetes_nodes_of_day(
    observations: pl.DataFrame, listings: pl.DataFrame, *, cluster: str, day: str, interval: Interval
) -> pl.DataFrame:
    """Stretches of a day in which the record of a node says the same.

    Input:   frames of parse_kubernetes_nodes with `object` and `extracted_at`, concatenated; `listings`: extracted_at
             and kind of the full listings among and after them.
    Output:  contracts.raw_kubernetes_nodes, sorted by key. What is seen first of a node reaches back to its creation.
             What is seen later holds from its extraction, but readiness and cordon from when they changed, if that was
             since the node was seen before. It holds until the next statement, the deletion of the node or the first
             full listing without it; until the day's end if nobody says else. Equal neighbours are one stretch, with
             the place of the first.
    """
    of_node = ["name", "extracted_at"]
    seen = observations.sort(*of_node, "object", "line").unique(of_node, keep="last", maintain_order=True)
    stated = _with_absence(_with_begin(seen), listings).with_columns(_until=_until(interval))
    stretches = stated.filter(pl.col("event") != DELETED, pl.col("_begin") < pl.col("_until"))
    return (
        _merged(stretches)
        .with_columns(
            cluster=pl.lit(cluster),
            day=pl.lit(day),
            statedFrom=pl.max_horizontal("_begin", pl.lit(interval.start)),
            statedUntil=pl.min_horizontal("_until", pl.lit(interval.end)),
        )
        .filter(pl.col("statedFrom") < pl.col("statedUntil"))
        .select(RAW_KUBERNETES_NODES.column_names)
        .sort(RAW_KUBERNETES_NODES.key)
    )


def _with_begin(seen: pl.DataFrame) -> pl.DataFrame:
    """Add `_begin`: from when a statement holds; of a deletion, its instant."""
    landed, before = pl.col("extracted_at"), pl.col("extracted_at").shift(1).over("name")
    is_known = (pl.col("uid") == pl.col("uid").shift(1).over("name")) & (
        pl.col("event").shift(1).over("name") != DELETED
    )
    created = pl.max_horizontal(pl.col("creationTimestamp").fill_null(pl.lit(SINCE_EVER)), before)
    turned = pl.when(_differs("ready")).then("readySince")
    cordoned = pl.when(_differs("unschedulable")).then("cordonedSince")
    changed = pl.min_horizontal(*(pl.when((each > before) & (each < landed)).then(each) for each in (turned, cordoned)))
    deleted = pl.when(pl.col("deletionTimestamp") <= landed).then("deletionTimestamp")
    begin = (
        pl.when(pl.col("event") == DELETED)
        .then(pl.coalesce(deleted, landed))
        .when(is_known.fill_null(False))
        .then(pl.coalesce(changed, landed))
        .otherwise(created)
    )
    return seen.with_columns(_begin=begin).with_columns(pl.col("_begin").cum_max().over("name"))


def _differs(fact: str) -> pl.Expr:
    return pl.col(fact).ne_missing(pl.col(fact).shift(1).over("name"))


def _with_absence(seen: pl.DataFrame, listings: pl.DataFrame) -> pl.DataFrame:
    """Add `_absent`: the first full listing of nodes after the statement, and so the first that may not have it."""
    listed = listings.filter(kind="Node").select(_absent="extracted_at").unique().sort("_absent")
    joined = seen.sort("extracted_at", maintain_order=True).join_asof(
        listed,
        left_on="extracted_at",
        right_on="_absent",
        strategy="forward",
        allow_exact_matches=False,
        coalesce=False,
    )
    return joined.sort("name", "extracted_at")


def _until(interval: Interval) -> pl.Expr:
    """Until when a statement holds: what a later one shows again was not gone, whatever a listing between missed."""
    followed, absent = pl.col("_begin").shift(-1).over("name"), pl.col("_absent")
    is_shown_again = (pl.col("uid") == pl.col("uid").shift(-1).over("name")) & (
        pl.col("event").shift(-1).over("name") != DELETED
    )
    return (
        pl.when(is_shown_again.fill_null(False))
        .then(followed)
        .otherwise(pl.coalesce(pl.min_horizontal(followed, absent), pl.lit(interval.end)))
    )


def _merged(stretches: pl.DataFrame) -> pl.DataFrame:
    """Neighbours that say the same as one: the first of them, until the last one's end."""
    is_new = pl.any_horizontal(
        pl.col("name").ne_missing(pl.col("name").shift(1)),
        pl.col("_begin").ne_missing(pl.col("_until").shift(1)),
        *(pl.col(fact).ne_missing(pl.col(fact).shift(1)) for fact in FACTS),
    )
    return (
        stretches.with_columns(_stretch=is_new.cum_sum())
        .with_columns(_until=pl.col("_until").max().over("_stretch"))
        .unique("_stretch", keep="first", maintain_order=True)
    )
