"""What of a run is forgiven: after a platform fault, after a preemption, while Slurm had it suspended; and what nobody
claimed until the suspense was due.

Hours are facts and stay: a credit is a row of its own, with a negative quantity at the row's own price, and holds
nothing. Not here: the lines (ledger/charges.py), who bears them (ledger/journal.py).
"""

from dataclasses import dataclass

import polars as pl

from chargeback.billing_period import BillingPeriod, day_interval
from chargeback.contracts.contract import INSTANT
from chargeback.contracts.names import (
    CREDIT_PLATFORM_FAULT,
    CREDIT_PREEMPTED,
    CREDIT_SUSPENDED,
    CREDIT_SUSPENSE,
    RESERVED_UNUSED,
    UNATTRIBUTED,
)
from chargeback.contracts.rated_usage import RATED_USAGE
from chargeback.pricing.exact_quantities import reduced, times

STANDARD_TIER = "standard"

_SEEN = ("held_from", "held_until", "end_cause", "elapsed_seconds", "suspended_seconds")
_HELD_NOTHING = ("idle", "starved", "busy", "unmeasured", "active")


@dataclass(frozen=True, slots=True)
class CreditPolicies:
    """What is forgiven; by default nothing is, so that every line is what was held.

    platform_fault_cap_hours: the last so many hours of a run, on all its hosts, that a platform fault ended; 0: none.
    preempted_minutes: the first so many minutes of a standard-tier run that was preempted; 0: none.
    suspended: whether the time that a Slurm job was suspended is credited; it is held and charged in any case.
    suspense: whether what nobody has claimed is borne by the platform, since it is due.
    """

    platform_fault_cap_hours: int = 0
    preempted_minutes: int = 0
    suspended: bool = False
    suspense: bool = False


NO_CREDITS = CreditPolicies()


def credits_of(
    rated: pl.DataFrame, runs: pl.LazyFrame, *, policies: CreditPolicies, period: BillingPeriod
) -> pl.DataFrame:
    """Credit rows for rated usage: contracts.rated_usage of the kinds credit-*, in no order.

    Input:   contracts.rated_usage of the month without credits; runs of the month's days.
    Output:  for every run, host, day and owner the part of its quantity that is forgiven, negative, never more than the
             row's: a second is forgiven once, a platform fault or preemption first, then suspension of what is left.
             After a fault or preemption a run is credited in the month in which it ended, for the hours of that month.
             When a job was suspended nobody recorded, so the time is spread evenly over what the run held. Of what is
             unattributed all that is left is forgiven, if the suspense is due. What was reserved and unused
             ended by no cause.
    Source:  design.md 5.12, 5.13. Nothing for any other end cause: out of memory and timeout are the user's.
    """
    if policies == NO_CREDITS or rated.is_empty():
        return rated.clear()
    forgiven = _of_runs(rated, runs, policies=policies, period=period)
    return pl.concat([forgiven, _unclaimed(rated, forgiven)]) if policies.suspense else forgiven


def _of_runs(
    rated: pl.DataFrame, runs: pl.LazyFrame, *, policies: CreditPolicies, period: BillingPeriod
) -> pl.DataFrame:
    days = _days(period)
    ends = _ends(runs, period).filter(_may_be_credited(policies)).collect(engine="streaming")
    priced = rated.filter(pl.col("price").is_not_null() & (pl.col("kind") != RESERVED_UNUSED))
    ended = priced.join(ends, on=["cluster", "run"], how="inner", validate="m:1").join(
        days, on="day", how="left", validate="m:1"
    )
    parts = _with_parts(ended, policies)
    return pl.concat(
        _rows_of_part(parts, kind, numerator=f"{name}_numerator", denominator=f"{name}_denominator")
        for kind, name in (
            (CREDIT_PLATFORM_FAULT, "fault"), (CREDIT_PREEMPTED, "preempted"), (CREDIT_SUSPENDED, "suspended")
        )
    )  # fmt: skip


def _ends(runs: pl.LazyFrame, period: BillingPeriod) -> pl.LazyFrame:
    """Per run what its newest day of the month knows of it, and of its end only if that lies in the month.

    Whether a day's record knows of a later end depends on when the record landed, and a month's cents must not.
    """
    newest = (
        runs.with_columns(held_from=pl.coalesce("bound", "started"), held_until=pl.col("observed_until"))
        .group_by("cluster", "run")
        .agg(pl.col(name).sort_by("day").last() for name in _SEEN)
    )
    return newest.with_columns(end_cause=pl.when(pl.col("held_until") <= period.interval.end).then("end_cause"))


def _may_be_credited(policies: CreditPolicies) -> pl.Expr:
    cause = pl.col("end_cause")
    return (
        (cause.eq_missing("platform fault") & (policies.platform_fault_cap_hours > 0))
        | (cause.eq_missing("preempted") & (policies.preempted_minutes > 0))
        | ((pl.col("suspended_seconds") > 0).fill_null(False) & policies.suspended)
    )


def _days(period: BillingPeriod) -> pl.DataFrame:
    intervals = [(day, interval.start, interval.end) for day in period.days
                 for interval in [day_interval(day, period.zone)]]  # fmt: skip
    return pl.DataFrame(intervals, schema={"day": pl.String(), "from": INSTANT, "until": INSTANT}, orient="row")


def _with_parts(ended: pl.DataFrame, policies: CreditPolicies) -> pl.DataFrame:
    """Add the forgiven part of each row as fractions: fault, preempted, suspended; together at most 1."""
    begins, ends = pl.col("held_from"), pl.col("held_until")
    first = pl.max_horizontal(begins, "from")
    last = pl.min_horizontal(ends, "until")
    is_fault = pl.col("end_cause").eq_missing("platform fault")
    is_preempted = pl.col("end_cause").eq_missing("preempted") & (pl.col("tier") == STANDARD_TIER)
    counted_from = ends - pl.duration(hours=policies.platform_fault_cap_hours)
    counted_until = begins + pl.duration(minutes=policies.preempted_minutes)
    held = _seconds(first, last)
    forgiven = pl.col("fault_numerator") + pl.col("preempted_numerator")
    run_seconds = pl.col("elapsed_seconds").fill_null(0) + pl.col("suspended_seconds").fill_null(0)
    suspended = pl.col("suspended_seconds").fill_null(0) if policies.suspended else pl.lit(0, pl.Int64)
    return (
        ended.with_columns(
            fault_denominator=held,
            preempted_denominator=held,
            fault_numerator=pl.when(is_fault).then(_seconds(pl.max_horizontal(first, counted_from), last)).otherwise(0),
            preempted_numerator=pl.when(is_preempted)
            .then(_seconds(first, pl.min_horizontal(last, counted_until)))
            .otherwise(0),
        )
        .filter(pl.col("fault_denominator") > 0)
        .with_columns(
            suspended_numerator=pl.when(forgiven > 0)
            .then(suspended * (pl.col("fault_denominator") - forgiven))
            .otherwise(suspended),
            suspended_denominator=pl.when(forgiven > 0)
            .then(run_seconds * pl.col("fault_denominator"))
            .otherwise(pl.max_horizontal(run_seconds, 1)),
        )
    )


def _seconds(begin: pl.Expr, end: pl.Expr) -> pl.Expr:
    return (end - begin).dt.total_seconds().clip(lower_bound=0).fill_null(0)


def _unclaimed(rated: pl.DataFrame, forgiven: pl.DataFrame) -> pl.DataFrame:
    """What of the unattributed no other credit has forgiven; one row per row of usage."""
    row = [name for name in RATED_USAGE.key if name != "kind"]
    open_rows = rated.filter((pl.col("team") == UNATTRIBUTED) & pl.col("price").is_not_null())
    given = {
        name: forgiven.filter(pl.col("kind") == name).select(
            *row, given_numerator="quantity_numerator", given_denominator="quantity_denominator"
        )
        for name in forgiven["kind"].unique().sort()
    }
    for part in given.values():
        joined = open_rows.join(part, on=row, how="left", validate="m:1").with_columns(
            pl.col("given_numerator").fill_null(0), pl.col("given_denominator").fill_null(1)
        )
        of, over = pl.col("quantity_numerator").cast(pl.Int128), pl.col("quantity_denominator").cast(pl.Int128)
        open_rows = reduced(
            joined.with_columns(
                quantity_numerator=of * pl.col("given_denominator") + over * pl.col("given_numerator"),
                quantity_denominator=over * pl.col("given_denominator"),
            ),
            "quantity",
        ).drop("given_numerator", "given_denominator")
    return _rows(open_rows.filter(pl.col("quantity_numerator") > 0), CREDIT_SUSPENSE)


def _rows_of_part(parts: pl.DataFrame, kind: str, *, numerator: str, denominator: str) -> pl.DataFrame:
    forgiven = parts.filter((pl.col(numerator) > 0) & (pl.col("quantity_numerator") > 0))
    return _rows(times(forgiven, "quantity", numerator=pl.col(numerator), denominator=pl.col(denominator)), kind)


def _rows(counted: pl.DataFrame, kind: str) -> pl.DataFrame:
    return counted.with_columns(
        kind=pl.lit(kind),
        quantity_numerator=-pl.col("quantity_numerator"),
        gpu_seconds_numerator=pl.lit(0),
        gpu_seconds_denominator=pl.lit(1),
        consumed_unit_ppm_milliseconds=pl.lit(0),
        after_end_unit_seconds=pl.lit(0),
        energy_microjoules=pl.lit(None),
        **{f"{state}_unit_milliseconds": pl.lit(0) for state in _HELD_NOTHING},
    ).select(pl.col(name).cast(dtype) for name, dtype in RATED_USAGE.schema.items())
