"""raw_slices of one day: the devices of the ResourceSlices that were in force on it.

Not here: parsing, and who was granted the devices.
"""

import polars as pl

from chargeback.billing_period import Interval
from chargeback.contracts.raw_slices import RAW_SLICES
from chargeback.usage.kubernetes_claims import SLICE
from chargeback.usage.kubernetes_objects import DELETED
from chargeback.usage.observations import PLACE, fold_observations

KEY = ("driver", "pool", "device")

POOL = ("driver", "pool")

NOT_FACTS = ("cluster", "day", *KEY, *PLACE)

LISTED_AS = "ResourceSlice.resource.k8s.io"


def raw_slices_of_day(
    observations: pl.DataFrame, listings: pl.DataFrame, *, cluster: str, day: str, interval: Interval
) -> pl.DataFrame:
    """Devices that drivers published on a day.

    Input:   frames of parse_claims with `object` and `extracted_at`, concatenated; `listings`: extracted_at and kind of
             the full listings among and after them.
    Output:  contracts.raw_slices, sorted by key. Of one device the last observation before the day's end counts, else
             the first after it, if the slice was created before the day's end or nothing is known from before. A device
             that was gone when the day began is left out: by a full listing without it, a DELETED event, or a higher
             generation of its pool, which replaces all lower ones.
    """
    slices = observations.filter(record=SLICE).with_columns(pl.col("generation").fill_null(-1).alias("_generation"))
    landed, end = pl.col("extracted_at"), pl.lit(interval.end)
    first_known = (landed < end).any().over(KEY)
    in_time = slices.filter(pl.when(first_known).then(landed < end).otherwise(landed == landed.min().over(KEY)))
    listed = listings.filter(kind=LISTED_AS)["extracted_at"]
    known_before = bool((listed < interval.end).any()) or bool((slices["extracted_at"] < interval.end).any())
    created_later = (pl.col("creationTimestamp") >= end).fill_null(False) & (landed >= end)
    published = in_time.filter(~created_later | (not known_before))
    in_force = _with_gone(published, slices, listed).filter(
        pl.col("event") != DELETED, pl.col("_gone").is_null() | (pl.col("_gone") > pl.lit(interval.start))
    )
    facts = [name for name in RAW_SLICES.column_names if name not in NOT_FACTS]
    return (
        fold_observations(in_force, key=KEY, facts=facts, final=None)
        .with_columns(cluster=pl.lit(cluster), day=pl.lit(day))
        .select(RAW_SLICES.column_names)
        .sort(RAW_SLICES.key)
    )


def _with_gone(published: pl.DataFrame, slices: pl.DataFrame, listed: pl.Series) -> pl.DataFrame:
    """Add `_gone`: from when a device is known not to be published any more, after it was last seen."""
    is_deleted = pl.col("event") == DELETED
    last = (
        published.group_by(KEY)
        .agg(
            _last=pl.col("extracted_at").filter(~is_deleted).max(),
            _deleted=pl.col("extracted_at").filter(is_deleted).max(),
            _generation=pl.col("_generation").max(),
        )
        .sort("_last")
    )
    listings = listed.unique().sort().to_frame("_listed")
    unlisted = last.filter(pl.col("_last").is_not_null()).join_asof(
        listings, left_on="_last", right_on="_listed", strategy="forward", allow_exact_matches=False, coalesce=False
    )
    replaced = (
        last.join(
            slices.select(*POOL, "extracted_at", newer="_generation").unique(), on=POOL, how="inner", validate="m:m"
        )
        .filter(pl.col("newer") > pl.col("_generation"), pl.col("extracted_at") > pl.col("_last"))
        .group_by(KEY)
        .agg(_replaced=pl.col("extracted_at").min())
    )
    gone = (
        last.join(unlisted.select(*KEY, "_listed"), on=KEY, how="left", validate="1:1")
        .join(replaced, on=KEY, how="left", validate="1:1")
        .with_columns(_deleted=pl.when(pl.col("_deleted") >= pl.col("_last")).then("_deleted"))
        .select(*KEY, _gone=pl.min_horizontal("_listed", "_replaced", "_deleted"))
    )
    return published.join(gone, on=KEY, how="left", validate="m:1")
