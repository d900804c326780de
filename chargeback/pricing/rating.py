"""Rated usage: exact quantities with tier, owner and price, day by day. Nothing is rounded here.

Not here: which owner bears what (owners.py), what a line is and costs (ledger/charges.py).
"""

from collections.abc import Collection, Sequence

import polars as pl

from chargeback.billing_period import BillingPeriod
from chargeback.contracts.rated_usage import RATED_USAGE
from chargeback.pricing.exact_quantities import reduced, times
from chargeback.pricing.owners import DEFAULT_PRECEDENCE, with_owners

_HELD_KEY = ("cluster", "day", "run", "host", "accelerator", "sharing")
_RUN_COLUMNS = ("tier", "account", "user", "wckey", "job_id", "job_name", "is_running", "observed_until")


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
) -> pl.DataFrame:
    """contracts.rated_usage of a month from the attribution and runs of its days, in key order.

    Input:   attribution and runs of the month's (cluster, day) partitions; contracts.ownership and rate_card of the
             month. The hourly rows are summed as a stream; what is kept in memory is one row per run, host and day.
    Output:  whole GPUs, shards and MPS in physical GPU-seconds (their billing weight is their share); a slice in
             slice-seconds, or in GPU-seconds times its billing weight where the card weighs it.
             Without a price for accelerator and tier the price is null: a finding, and a blocked month. A slice is
             never priced as a whole GPU. Without an owner the team is `unattributed`.
    Raises:  ValueError where attribution holds a run that runs does not have: our own fault.
    Source:  design.md 2 "rated usage", 5.5, 5.6, 5.7.
    """
    usage = _with_runs(_held_by_day(attribution), runs, period=period)
    priced = _with_prices(usage, prices)
    owned = with_owners(priced, ownership, unknown_accounts=unknown_accounts, precedence=precedence)
    part = {"numerator": pl.col("part_numerator"), "denominator": pl.col("part_denominator")}
    exact = times(times(owned, "quantity", **part), "gpu_seconds", **part)
    return (
        exact.with_columns(month=pl.lit(period.month), kind=pl.lit("allocation"), currency=pl.lit(currency))
        .select(pl.col(name).cast(dtype) for name, dtype in RATED_USAGE.schema.items())
        .sort(RATED_USAGE.key)
    )


def unpriced_usage(rated: pl.DataFrame) -> pl.DataFrame:
    """What the card has no price for: accelerator, tier, quantity_unit, held seconds (whole, floor), runs; worst first.

    Every row blocks publication (S06: an unmapped slice is an error, never the full-GPU rate).
    """
    seconds = pl.col("quantity_numerator").cast(pl.Int128) // pl.col("quantity_denominator").cast(pl.Int128)
    return (
        rated.filter(pl.col("price").is_null())
        .group_by("accelerator", "tier", "quantity_unit")
        .agg(held_seconds=seconds.sum().cast(pl.Int64), run_count=pl.struct("cluster", "run").n_unique().cast(pl.Int64))
        .sort("held_seconds", "accelerator", "tier", descending=[True, False, False])
    )


def _held_by_day(attribution: pl.LazyFrame) -> pl.DataFrame:
    """One row per run, host, accelerator, sharing and day: device-seconds and physical GPU-seconds as a fraction."""
    by_share = (
        attribution.group_by(*_HELD_KEY, "share_units", "units_per_gpu")
        .agg(device_seconds=pl.col("held_seconds").sum())
        .collect(engine="streaming")
    )
    unit_seconds = pl.col("device_seconds").cast(pl.Int128) * pl.col("share_units").cast(pl.Int128)
    units = pl.col("units_per_gpu").cast(pl.Int128)
    is_single = by_share.select(_HELD_KEY).is_unique()
    single = by_share.filter(is_single).select(
        *_HELD_KEY, "device_seconds", gpu_seconds_numerator=unit_seconds, gpu_seconds_denominator=units
    )
    # A host that was configured anew has two unit counts in one day: add over the product of both.
    common = units.unique().product()
    doubled = (
        by_share.filter(~is_single)
        .group_by(_HELD_KEY)
        .agg(
            pl.col("device_seconds").sum(),
            gpu_seconds_numerator=(unit_seconds * (common // units)).sum(),
            gpu_seconds_denominator=common,
        )
    )
    return reduced(pl.concat([single, doubled]), "gpu_seconds")


def _with_runs(held: pl.DataFrame, runs: pl.LazyFrame, *, period: BillingPeriod) -> pl.DataFrame:
    facts = runs.select("cluster", "day", "run", *_RUN_COLUMNS).collect(engine="streaming")
    usage = held.join(facts, on=["cluster", "day", "run"], how="left", validate="m:1")
    lost = usage.filter(pl.col("tier").is_null())
    if len(lost):
        first = lost.sort("cluster", "day", "run").row(0, named=True)
        raise ValueError(
            f"attribution holds {len(lost)} run-days that runs does not have, the first is "
            f"{first['cluster']} {first['run']} on {first['day']}: materialise both from the same records"
        )
    # Seen running on a later day, it held all of this one: only its newest day is charged to the last observation.
    seen_until = pl.col("observed_until").dt.convert_time_zone(period.zone.key).dt.date().cast(pl.String)
    return usage.with_columns(is_running=pl.col("is_running") & (seen_until <= pl.col("day")).fill_null(True))


def _with_prices(usage: pl.DataFrame, prices: pl.DataFrame) -> pl.DataFrame:
    card = prices.select(
        "accelerator", "tier", "price", "price_unit", "card_version", "billing_weight_numerator",
        "billing_weight_denominator",
    )  # fmt: skip
    is_slice = pl.col("sharing") == "mig"
    is_weighed = pl.col("billing_weight_numerator").is_not_null()
    fits = pl.when(is_slice).then(is_weighed | (pl.col("price_unit") == "slice-hour")).otherwise(
        ~is_weighed & (pl.col("price_unit") == "GPU-hour")
    )  # fmt: skip
    joined = usage.join(card, on=["accelerator", "tier"], how="left", validate="m:1").with_columns(
        price=pl.when(fits).then("price"), card_version=pl.when(fits).then("card_version")
    )
    by_slice = is_slice & ~is_weighed
    counted = joined.with_columns(
        quantity_unit=pl.when(by_slice).then(pl.lit("slice-second")).otherwise(pl.lit("GPU-second")),
        quantity_numerator=pl.when(is_slice).then("device_seconds").otherwise("gpu_seconds_numerator"),
        quantity_denominator=pl.when(is_slice).then(1).otherwise("gpu_seconds_denominator"),
    )
    return times(
        counted,
        "quantity",
        numerator=pl.when(is_slice & is_weighed).then("billing_weight_numerator").otherwise(1),
        denominator=pl.when(is_slice & is_weighed).then("billing_weight_denominator").otherwise(1),
    )
