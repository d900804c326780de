"""raw_workloads of one day: of all observations of a workload object the one that tells of the day.

Not here: parsing, and which pods are its.
"""

import polars as pl

from chargeback.billing_period import Interval
from chargeback.contracts.raw_workloads import RAW_WORKLOADS
from chargeback.usage.kubernetes_presence import (
    cut_instant,
    cut_presence,
    existed_on_the_day,
    that_tell_of_the_day,
    with_deletion_as_absence,
    with_presence,
)
from chargeback.usage.observations import PLACE, fold_observations

KEY = ("uid",)

NOT_FACTS = ("cluster", "day", "uid", *PLACE)

OF_THE_QUOTA = ("clusterQueue", "quotaGpus", "quotaPods")


def raw_workloads_of_day(
    observations: pl.DataFrame, listings: pl.DataFrame, *, cluster: str, day: str, interval: Interval
) -> pl.DataFrame:
    """Workload objects that existed on a day.

    Input:   frames of parse_workloads with `object` and `extracted_at`, concatenated; `listings`: extracted_at and kind
             of the full listings among and after them.
    Output:  contracts.raw_workloads, sorted by key. Of one object the first observation at or after the day's end
             counts, else the last; one that knows of an end on the day outranks one that does not. Instants from the
             day's end on are null, and so is a quota that was given then; lastSeen is at most the day's end.
    """
    present = with_deletion_as_absence(with_presence(observations, listings, key=KEY, kind=pl.col("full_kind")))
    existing = present.filter(existed_on_the_day(interval, began=pl.col("creationTimestamp")))
    cut = existing.with_columns(
        *cut_presence(interval), cut_instant("ended", interval), cut_instant("admitted", interval)
    ).with_columns(pl.when(pl.col("admitted").is_not_null()).then(name).alias(name) for name in OF_THE_QUOTA)
    has_ended = pl.col("ended").is_not_null().cast(pl.Int64)
    telling = that_tell_of_the_day(cut, key=KEY, knowledge=has_ended, interval=interval).filter("_knows_most")
    facts = [name for name in RAW_WORKLOADS.column_names if name not in NOT_FACTS]
    return (
        fold_observations(telling, key=KEY, facts=facts, final=None)
        .with_columns(cluster=pl.lit(cluster), day=pl.lit(day))
        .select(RAW_WORKLOADS.column_names)
        .sort(RAW_WORKLOADS.key)
    )
