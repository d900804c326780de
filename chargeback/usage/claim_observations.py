"""raw_claims of one day: which pod was granted which device, as it was when that day's facts last changed.

Not here: parsing, and what a granted device is charged as.
"""

import polars as pl

from chargeback.billing_period import Interval
from chargeback.contracts.raw_claims import RAW_CLAIMS
from chargeback.usage.kubernetes_claims import CLAIM
from chargeback.usage.kubernetes_presence import (
    cut_presence,
    existed_on_the_day,
    that_tell_of_the_day,
    with_deletion_as_absence,
    with_presence,
)
from chargeback.usage.observations import PLACE, fold_observations

KEY = ("kind", "namespace", "name", "podName", "podUid", "request", "driver", "pool", "device")

NOT_FACTS = ("cluster", "day", *KEY, *PLACE)

LISTED_AS = pl.when(pl.col("kind") == "ResourceClaim").then(pl.lit("ResourceClaim.resource.k8s.io")).otherwise("kind")
"""What a full listing is called that has such a row; there is none of PodResources."""


def raw_claims_of_day(
    observations: pl.DataFrame, listings: pl.DataFrame, *, cluster: str, day: str, interval: Interval
) -> pl.DataFrame:
    """Devices that pods were granted on a day.

    Input:   frames of parse_claims with `object` and `extracted_at`, concatenated; `listings`: extracted_at and kind of
             the full listings among and after them.
    Output:  contracts.raw_claims, sorted by key. A device is granted from its allocation until the first full listing
             of claims in which the claim does not grant it to that pod; what the kubelet says holds between the first
             and the last time that it says so. Of one key the first observation at or after the day's end counts, else
             the last; lastSeen is at most the day's end.
    """
    life = (*KEY, "uid")
    granted = observations.filter(record=CLAIM).with_columns(
        _began=pl.coalesce("allocated", "creationTimestamp", pl.col("extracted_at").min().over(life))
    )
    present = with_deletion_as_absence(with_presence(granted, listings, key=life, kind=LISTED_AS))
    existing = present.filter(existed_on_the_day(interval, began=pl.col("_began")))
    telling = that_tell_of_the_day(
        existing.with_columns(*cut_presence(interval)), key=life, knowledge=pl.lit(0), interval=interval
    )
    facts = [name for name in RAW_CLAIMS.column_names if name not in NOT_FACTS]
    return (
        fold_observations(telling, key=KEY, facts=facts, final=None)
        .with_columns(cluster=pl.lit(cluster), day=pl.lit(day))
        .select(RAW_CLAIMS.column_names)
        .sort(RAW_CLAIMS.key)
    )
