"""Rated usage: exact quantities with tier, owner and price, day by day. Nothing is rounded here.

Not here: what was held and what it did (used_by_day.py), which owner bears what (owners.py), what is forgiven
(credits.py), what a line is and costs (ledger/charges.py).
"""

from collections.abc import Collection, Sequence

import polars as pl

from chargeback.billing_period import BillingPeriod
from chargeback.contracts.names import ALLOCATION, PLATFORM_OPERATIONS
from chargeback.contracts.rated_usage import RATED_USAGE
from chargeback.pricing.card_match import with_card
from chargeback.pricing.class_prices import with_class_prices
from chargeback.pricing.credits import NO_CREDITS, CreditPolicies, credits_of
from chargeback.pricing.exact_quantities import times
from chargeback.pricing.owners import DEFAULT_PRECEDENCE
from chargeback.pricing.platform_operations import is_operations, with_owners_or_platform
from chargeback.pricing.reserved_unused import rate_reserved_unused
from chargeback.pricing.used_by_day import used_by_day, worked_devices

_RUN_COLUMNS = (
    "scheduler", "tier", "account", "user", "wckey", "queue", "labels", "job_id", "job_name", "workload",
    "workload_class", "is_running", "observed_until", "qos", "reservation",
)  # fmt: skip


def rate_usage(
    attribution: pl.LazyFrame,
    runs: pl.LazyFrame,
    ownership: pl.DataFrame,
    prices: pl.DataFrame,
    *,
    period: BillingPeriod,
    currency: str,
    unknown_accounts: Collection[str] = (),
    precedence: Sequence[str] = DEFAULT_PRECEDENCE,
    credit_policies: CreditPolicies = NO_CREDITS,
    reserved_of: pl.LazyFrame | None = None,
    platform_operations: Collection[str] = (),
) -> pl.DataFrame:
    """contracts.rated_usage of a month from the attribution and runs of its days, in key order.

    Input:   attribution and runs of the month's (cluster, day) partitions; contracts.ownership and rate_card of the
             month; `reserved_of`: contracts.capacity of these days, of which what is reserved and unused is charged
             (None: it is not); `platform_operations`: what the platform runs itself. The hourly rows are summed as
             a stream; what is kept in memory is one row per run, host and day.
    Output:  whole GPUs, shards and MPS in physical GPU-seconds (their billing weight is their share); a slice in
             slice-seconds, or in GPU-seconds times its billing weight where the card weighs it.
             Without a price for accelerator and tier the price is null: a finding, and a blocked month. A slice is
             never priced as a whole GPU. Without an owner the team is `unattributed`.
             What the held time did stands beside it and moves no quantity; it is the whole row's for every owner.
             The platform's own operations have no price. An owner of a customer class pays that class's price.
             What is forgiven stands in rows of its own that hold nothing (credits.py).
    Raises:  ValueError where attribution holds a run that runs does not have: our own fault.
    Source:  design.md 2 "rated usage", 5.5, 5.6, 5.7.
    """
    usage = _with_runs(used_by_day(attribution), runs, period=period)
    measured = usage.join(worked_devices(attribution), on=["cluster", "run"], how="left", validate="m:1").with_columns(
        pl.col("gpus_measured", "gpus_never_active").fill_null(0)
    )
    priced = _with_prices(measured, prices)
    owned = with_owners_or_platform(
        priced,
        ownership,
        unknown_accounts=unknown_accounts,
        precedence=precedence,
        platform_operations=platform_operations,
    )
    part = {"numerator": pl.col("part_numerator"), "denominator": pl.col("part_denominator")}
    exact = times(times(owned, "quantity", **part), "gpu_seconds", **part)
    held = (
        _with_kinds(with_class_prices(exact, prices))
        .with_columns(month=pl.lit(period.month), currency=pl.lit(currency))
        .select(pl.col(name).cast(dtype) for name, dtype in RATED_USAGE.schema.items())
    )
    if reserved_of is not None:
        unused = rate_reserved_unused(reserved_of, ownership, prices, period=period, currency=currency)
        held = pl.concat([held, unused])
    return pl.concat([held, credits_of(held, runs, policies=credit_policies, period=period)]).sort(RATED_USAGE.key)


def unpriced_usage(rated: pl.DataFrame) -> pl.DataFrame:
    """What the card has no price for: accelerator, tier, quantity_unit, held seconds (whole, floor), runs; worst first.

    Every row blocks publication (S06: an unmapped slice is an error, never the full-GPU rate).
    """
    seconds = pl.col("quantity_numerator").cast(pl.Int128) // pl.col("quantity_denominator").cast(pl.Int128)
    return (
        rated.filter(pl.col("price").is_null() & (pl.col("kind") != PLATFORM_OPERATIONS))
        .group_by("accelerator", "tier", "quantity_unit")
        .agg(held_seconds=seconds.sum().cast(pl.Int64), run_count=pl.struct("cluster", "run").n_unique().cast(pl.Int64))
        .sort("held_seconds", "accelerator", "tier", descending=[True, False, False])
    )


def _with_kinds(owned: pl.DataFrame) -> pl.DataFrame:
    is_own = is_operations(owned["team"].unique().to_list())
    return owned.with_columns(
        kind=pl.when(is_own).then(pl.lit(PLATFORM_OPERATIONS)).otherwise(pl.lit(ALLOCATION)),
        price=pl.when(~is_own).then("price"),
        card_version=pl.when(~is_own).then("card_version"),
    )


def _with_runs(used: pl.DataFrame, runs: pl.LazyFrame, *, period: BillingPeriod) -> pl.DataFrame:
    facts = runs.select("cluster", "day", "run", *_RUN_COLUMNS).collect(engine="streaming")
    usage = used.join(facts, on=["cluster", "day", "run"], how="left", validate="m:1")
    lost = usage.filter(pl.col("tier").is_null())
    if len(lost):
        first = lost.sort("cluster", "day", "run").row(0, named=True)
        raise ValueError(
            f"attribution holds {len(lost)} run-days that runs does not have, the first is "
            f"{first['cluster']} {first['run']} on {first['day']}: materialise both from the same records"
        )
    started = runs.group_by("cluster", "run").agg(has_started=pl.col("started").is_not_null().any())
    # Seen running on a later day, it held all of this one: only its newest day is charged to the last observation.
    seen_until = pl.col("observed_until").dt.convert_time_zone(period.zone.key).dt.date().cast(pl.String)
    return usage.join(
        started.collect(engine="streaming"), on=["cluster", "run"], how="left", validate="m:1"
    ).with_columns(is_running=pl.col("is_running") & (seen_until <= pl.col("day")).fill_null(True))


def _with_prices(usage: pl.DataFrame, prices: pl.DataFrame) -> pl.DataFrame:
    is_slice = pl.col("sharing") == "mig"
    counted = with_card(usage, prices).with_columns(
        quantity_numerator=pl.when(is_slice).then("device_seconds").otherwise("gpu_seconds_numerator"),
        quantity_denominator=pl.when(is_slice).then(1).otherwise("gpu_seconds_denominator"),
    )
    weight = {"numerator": pl.col("weight_numerator"), "denominator": pl.col("weight_denominator")}
    return times(counted, "quantity", **weight)
