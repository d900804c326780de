"""raw_sacct of one day: of all observations of a run the one that counts, as it was when that day's facts last changed.

Not here: parsing, and what a record means for charging.
"""

from collections.abc import Collection

import polars as pl

from chargeback.billing_period import Interval
from chargeback.contracts.raw_sacct import RAW_SACCT
from chargeback.usage.observations import fold_observations
from chargeback.usage.states import FINAL, phase_of

KNOWN_AT_THE_END = ("State", "Reason", "End", "ElapsedRaw", "Suspended", "Flags", "ExitCode")
"""What a run that goes on beyond the day can still change without changing the day."""

LASTING = (
    *("JobID", "SLUID", "DBIndex", "User", "Account", "WCKey", "QOS", "Partition", "JobName", "Submit", "Eligible"),
    *("Start", "TimelimitRaw", "AllocTRES", "ReqTRES", "NodeList", "NNodes", "Reservation", "Exclusive", "SubmitLine"),
    "has_replaced_bytes",
)


def raw_sacct_of_day(
    observations: pl.DataFrame, *, cluster: str, day: str, interval: Interval, gpu_partitions: Collection[str]
) -> pl.DataFrame:
    """Fold the observations of sacct records into the day's rows.

    Input:   frames of parse_sacct_text and parse_sacct_json with `object` and `extracted_at`; `interval` is the day.
             `gpu_partitions`: those of all landed objects of the cluster.
    Output:  contracts.raw_sacct, sorted by key. A started run stands in every day that [Start, started_until) overlaps
             (of zero length: in that of its Start), one that never started in the day of its Submit. A record that
             never started gives way to one with the same JobIDRaw and Submit that did, or with its run key.
    Source:  design.md 4, "Landing key", "Partitions" and "Run key".
    """
    started = observations.filter(pl.col("Start").is_not_null())
    waiting = (
        observations.filter(pl.col("Start").is_null())
        .join(started, on=["JobIDRaw", "Submit"], how="anti")
        .join(started, left_on=["JobIDRaw", "Submit"], right_on=["JobIDRaw", "Start"], how="anti")
    )
    candidates = pl.concat([started, waiting]).with_columns(
        _began=pl.coalesce("Start", "Submit", "End"), _waits_since=pl.when(pl.col("Start").is_null()).then("Submit")
    )
    goes_on = (pl.col("started_until") >= interval.end).fill_null(False)
    known = [pl.when(~goes_on).then(pl.col(name)).alias(f"_{name}") for name in KNOWN_AT_THE_END]
    cut = candidates.with_columns(*known, _until=pl.min_horizontal("started_until", pl.lit(interval.end)))
    is_final = phase_of(pl.col("State"), end_is_known=pl.col("End").is_not_null()) == FINAL
    folded = fold_observations(
        cut,
        key=["JobIDRaw", "Start", "_waits_since"],
        facts=[*LASTING, "_until", *(f"_{name}" for name in KNOWN_AT_THE_END)],
        final=is_final,
    )
    return (
        folded.filter(_is_of_day(interval))
        .with_columns(
            cluster=pl.lit(cluster),
            day=pl.lit(day),
            partition_has_gpus=pl.col("Partition").is_in(list(gpu_partitions)).fill_null(False),
        )
        .select(RAW_SACCT.column_names)
        .sort(RAW_SACCT.key, nulls_last=True)
    )


def _is_of_day(interval: Interval) -> pl.Expr:
    began, until = pl.col("_began"), pl.coalesce("started_until", "_began")
    begins_in_it = (began >= interval.start) & (began < interval.end)
    return begins_in_it | ((began < interval.start) & (until > interval.start))
