"""What was reserved and held by nobody, as rated usage: the reservation's named payer pays it, at the reserved price.

Never split over the accounts that may use the reservation; jobs inside it pay for themselves. Not here: what is
reserved and unused (usage/capacity.py), who is named (ownership.py, kind `reservation`).
"""

from collections.abc import Mapping

import orjson
import polars as pl

from chargeback.billing_period import BillingPeriod
from chargeback.contracts.names import RESERVED_UNUSED, UNUSED_RUN_PREFIX
from chargeback.contracts.rated_usage import RATED_USAGE
from chargeback.pricing.class_prices import with_class_prices
from chargeback.pricing.exact_quantities import reduced, times
from chargeback.pricing.owners import with_owners

TIER = "reserved"
OWNED_AS = ("reservation",)
SEVERAL = "several reservations at once"
"""What reserved time is called that more than one reservation had: nobody is named for it."""

_PLACE = ("cluster", "day", "host", "accelerator", "reservation")
_NOTHING = (
    "idle_unit_milliseconds", "starved_unit_milliseconds", "busy_unit_milliseconds", "unmeasured_unit_milliseconds",
    "active_unit_milliseconds", "consumed_unit_ppm_milliseconds", "after_end_unit_seconds", "gpus_measured",
    "gpus_never_active", "gpu_seconds_numerator",
)  # fmt: skip


def rate_reserved_unused(
    capacity: pl.LazyFrame, ownership: pl.DataFrame, prices: pl.DataFrame, *, period: BillingPeriod, currency: str
) -> pl.DataFrame:
    """contracts.rated_usage of the kind reserved-unused: one row per reservation, host, accelerator, day and payer.

    Input:   contracts.capacity of the month's days; contracts.ownership and rate_card of the month.
    Output:  physical GPU-seconds that nobody held, so that gpu_seconds is 0: what is held stays what attribution says.
             A slice of a reserved GPU is charged as its part of the GPU, since the GPU is what was reserved. Without a
             named payer the team is `unattributed`; without a `reserved` price the price is null, which blocks.
    Source:  design.md 5.8; docs/decisions/0028.
    """
    unused = unused_by_reservation(capacity)
    card = prices.filter(
        (pl.col("tier") == TIER) & (pl.col("price_unit") == "GPU-hour") & pl.col("billing_weight_numerator").is_null()
    )
    reserved = card.select("accelerator", "price", "card_version")
    priced = unused.join(reserved, on="accelerator", how="left", validate="m:1").with_columns(
        tier=pl.lit(TIER), quantity_unit=pl.lit("GPU-second")
    )
    asked = priced.with_columns(pl.lit(None, pl.String).alias(name) for name in ("account", "user", "wckey"))
    owned = with_owners(asked, ownership, unknown_accounts=(), precedence=OWNED_AS)
    part = {"numerator": pl.col("part_numerator"), "denominator": pl.col("part_denominator")}
    named = pl.when(pl.col("reservation") == "").then(pl.lit(SEVERAL)).otherwise("reservation")
    run = pl.concat_str(pl.lit(UNUSED_RUN_PREFIX), named)
    rows = with_class_prices(times(owned, "quantity", **part), prices).with_columns(
        *(pl.lit(0).alias(name) for name in _NOTHING),
        *(pl.lit(False).alias(name) for name in ("has_started", "is_running", "is_estimate")),
        month=pl.lit(period.month),
        kind=pl.lit(RESERVED_UNUSED),
        currency=pl.lit(currency),
        run=run,
        job_id=run,
        job_name=pl.lit("reserved, unused"),
        workload=run,
        reservation=pl.when(pl.col("reservation") != "").then("reservation"),
        workload_class=pl.lit("batch"),
        sharing=pl.lit("whole"),
        gpu_seconds_denominator=pl.lit(1),
        energy_microjoules=pl.lit(None),
    )
    return rows.select(pl.col(name).cast(dtype) for name, dtype in RATED_USAGE.schema.items())


def unused_by_reservation(capacity: pl.LazyFrame) -> pl.DataFrame:
    """Cluster, day, host, accelerator and reservation ('' if several) -> units_per_gpu and the quantity, GPU-seconds.

    Output:  quantity_numerator and quantity_denominator, reduced; the accelerator is the GPU's, without a slice.
    """
    said = (
        capacity.filter(pl.col("reserved_unused_unit_seconds") > 0)
        .group_by("cluster", "day", "host", "accelerator", "units_per_gpu", pl.col("reserved_unused_by").fill_null(""))
        .agg(hours=pl.len(), unit_seconds=pl.col("reserved_unused_unit_seconds").sum())
        .collect(engine="streaming")
    )
    pairs = [
        (text, reservation, seconds)
        for text in said["reserved_unused_by"].unique()
        for reservation, seconds in _reservations(text).items()
    ]
    by_text = pl.DataFrame(
        pairs, schema={"reserved_unused_by": pl.String, "reservation": pl.String, "named": pl.Int64}, orient="row"
    )
    by_name = said.join(by_text, on="reserved_unused_by", how="left", validate="m:m").with_columns(
        reservation=pl.col("reservation").fill_null(""),
        accelerator=pl.col("accelerator").str.replace(":.*", ""),
        units=pl.coalesce(pl.col("named") * pl.col("hours"), "unit_seconds").cast(pl.Int128),
    )
    per_gpu = pl.col("units_per_gpu").cast(pl.Int128)
    common = per_gpu.unique().product()
    added = by_name.group_by(_PLACE).agg(
        quantity_numerator=(pl.col("units") * (common // per_gpu)).sum(), quantity_denominator=common
    )
    return reduced(added, "quantity").with_columns(units_per_gpu=pl.lit(1, pl.Int64)).sort(_PLACE)


def _reservations(text: str) -> Mapping[str, int]:
    """Reservation -> unit-seconds, as contracts.capacity spells it; none where it says nothing."""
    said: Mapping[str, int] = orjson.loads(text) if text else {}
    return said
