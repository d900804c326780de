"""FOCUS Usage and Credit rows: one per job-day slice, owner and kind, price x quantity = cost to the last digit.

Not here: what an invoice needs beside them (focus_rows.py), and how numbers become exact decimals (focus_numbers.py).
"""

from collections.abc import Mapping

import polars as pl

from chargeback.contracts.focus_cost_and_usage import FOCUS_COST, FOCUS_COST_AND_USAGE
from chargeback.contracts.names import CREDIT_KINDS, UNATTRIBUTED, UNUSED_RUN_PREFIX, slug_of
from chargeback.ledger.charges import LINE_KEY
from chargeback.ledger.focus_numbers import cost_of, decimal_digits, hours_of, price_of
from chargeback.ledger.focus_terms import FocusTerms
from chargeback.money import SECONDS_PER_HOUR

ALLOCATION_METHOD = "ownership-percent-v1"
"""A shared run is split by the per cents of the ownership file (docs/decisions/0024)."""

ORIGIN = (
    "AvailabilityZone", "ChargePeriodStart", "x_Run", "x_Host", "SkuId", "x_Sharing", "SkuPriceId", "ChargeDescription",
)  # fmt: skip
"""What a split charge was before it was split; its description tells usage from what of it was forgiven."""

EMPTY_WITHOUT_USAGE = (
    "x_Company", "x_CorrectsLineId", "x_CostCentre", "x_Host", "x_LineId", "x_Project", "x_Run", "x_Sharing",
)  # fmt: skip
"""Texts of the key, and the line, of a row that stands for no usage (an Adjustment, a correction) or corrects none."""

TAG_PREFIX = "gpu-chargeback/"
_IS_CREDIT = pl.col("kind").is_in(CREDIT_KINDS)
_IS_UNUSED = pl.col("run").str.starts_with(UNUSED_RUN_PREFIX)
"""Reserved, held by nobody. By its run and not its kind, since what is forgiven of it is unused too."""

_UNUSED_ID = pl.concat_str(pl.lit("slurm"), "cluster", "run", separator="/")
_TAGS = ("account", "job_id", "project", "tier", "user", "workload")


def usage_rows(
    rated: pl.DataFrame, lines: pl.DataFrame, prices: pl.DataFrame, statements: pl.DataFrame, *, terms: FocusTerms
) -> pl.DataFrame:
    """The Usage and Credit rows of contracts.focus_cost_and_usage, unsorted; a credit consumed nothing.

    Input:   contracts.rated_usage, team_charges, rate_card and statements of one month. Usage without a price is left
             out, as it is from statement lines; it blocks by a check.
    Output:  ConsumedQuantity is what was held, as PricingQuantity; hours of activity stand in x_ columns. List price:
             the standard tier's of the same accelerator, where it is not below the tier's own.
    Source:  docs/decisions/0024.
    """
    priced = rated.filter(pl.col("price").is_not_null())
    known = (
        priced.join(lines.select(*LINE_KEY, x_LineId="line_id"), on=LINE_KEY, how="left", validate="m:1")
        .join(_list_prices(prices), on=["accelerator", "quantity_unit"], how="left", validate="m:1")
        .join(statements.select("team", InvoiceId="statement_id"), on="team", how="left", validate="m:1")
        .join(_slugs(rated), on="team", how="left", validate="m:1")
        .join(terms.days(), on="day", how="left", validate="m:1")
        .join(terms.clusters(), on="cluster", how="left", validate="m:1")
    )
    counted = known.with_columns(**_quantities())
    costed = counted.with_columns(ListCost=cost_of("ListUnitPrice", "PricingQuantity"),
                                  ContractedCost=cost_of("ContractedUnitPrice", "PricingQuantity"))  # fmt: skip
    billed = costed.with_columns(x_WouldBeBilledCost=pl.col("ContractedCost")).with_columns(
        BilledCost=terms.billed("x_WouldBeBilledCost", FOCUS_COST)
    )
    named = billed.with_columns(
        **terms.in_every_row(), **_names(prices), **_reservation(), EffectiveCost=pl.col("BilledCost")
    )
    return in_contract(named.with_columns(**_allocation()))


def charge_category() -> pl.Expr:
    """FOCUS's category of a line or of usage, by its kind."""
    return pl.when(_IS_CREDIT).then(pl.lit("Credit")).otherwise(pl.lit("Usage"))


def in_contract(rows: pl.DataFrame) -> pl.DataFrame:
    """The contract's columns in its order, of any rows of a month.

    A column that the rows lack is empty where the contract has no null and says so (EMPTY_WITHOUT_USAGE), else null,
    which the contract judges.
    """

    def of(name: str) -> pl.Expr:
        if name in rows.columns:
            return pl.col(name)
        return pl.lit("" if name in EMPTY_WITHOUT_USAGE else None)

    return rows.select(of(name).cast(dtype).alias(name) for name, dtype in FOCUS_COST_AND_USAGE.schema.items())


def _list_prices(prices: pl.DataFrame) -> pl.DataFrame:
    """Accelerator and quantity_unit -> standard price; a slice that the card weighs is priced in GPU-hours."""
    is_by_slice = (pl.col("price_unit") == "slice-hour") & pl.col("billing_weight_numerator").is_null()
    return prices.filter(pl.col("tier") == "standard").select(
        "accelerator",
        quantity_unit=pl.when(is_by_slice).then(pl.lit("slice-second")).otherwise(pl.lit("GPU-second")),
        standard_price="price",
    )


def _slugs(rated: pl.DataFrame) -> pl.DataFrame:
    teams = sorted(rated["team"].unique())
    return pl.DataFrame(
        {"team": teams, "SubAccountId": [slug_of(team) for team in teams]},
        schema={"team": pl.String, "SubAccountId": pl.String},
    )


def _quantities() -> Mapping[str, pl.Expr]:
    part, parts = pl.col("part_numerator").cast(pl.Int128), pl.col("part_denominator").cast(pl.Int128)
    units = parts * pl.col("units_per_gpu").cast(pl.Int128)

    def hours_in(stem: str) -> pl.Expr:
        return hours_of(pl.col(f"{stem}_unit_milliseconds").cast(pl.Int128) * part, units,
                        per_hour=1000 * SECONDS_PER_HOUR)  # fmt: skip

    own = price_of("price")
    charged = hours_of(pl.col("quantity_numerator"), pl.col("quantity_denominator"))
    unit = pl.when(pl.col("quantity_unit") == "GPU-second").then(pl.lit("GPU-Hours")).otherwise(pl.lit("Slice-Hours"))
    return {
        "PricingQuantity": charged,
        "ConsumedQuantity": pl.when(~_IS_CREDIT).then(charged),
        "PricingUnit": unit,
        "ConsumedUnit": pl.when(~_IS_CREDIT).then(unit),
        "ContractedUnitPrice": own,
        "ListUnitPrice": pl.max_horizontal(own, pl.coalesce("standard_price", own)),
        "x_AllocatedGpuHours": hours_of(pl.col("gpu_seconds_numerator"), pl.col("gpu_seconds_denominator")),
        "x_ConsumedGpuHours": hours_in("active"),
        "x_IdleGpuHours": hours_in("idle"),
        "x_UnmeasuredGpuHours": hours_in("unmeasured"),
    }


def _names(prices: pl.DataFrame) -> Mapping[str, pl.Expr]:
    is_slurm = pl.col("scheduler") == "slurm"
    name = pl.coalesce("job_name", "job_id", "run")
    job = pl.concat_str(pl.lit("slurm"), "cluster", pl.coalesce("job_id", "run"), separator="/")
    pod = pl.concat_str(pl.lit("k8s"), "cluster", pl.coalesce("account", pl.lit("")), "run", separator="/")
    return {
        "AvailabilityZone": pl.col("cluster"),
        "ChargeCategory": charge_category(),
        "ChargeDescription": pl.concat_str("accelerator", pl.lit(" "), "tier", pl.lit(" "), "kind", pl.lit(": "), name),
        "ChargeFrequency": pl.when(_IS_CREDIT).then(pl.lit("One-Time")).otherwise(pl.lit("Usage-Based")),
        "PricingCategory": pl.lit("Standard"),
        "ResourceId": pl.when(_IS_UNUSED).then(_UNUSED_ID).when(is_slurm).then(job).otherwise(pod),
        "ResourceName": name,
        "ResourceType": pl.when(_IS_UNUSED)
        .then(pl.lit("Reservation"))
        .when(is_slurm)
        .then(pl.lit("GPU job"))
        .otherwise(pl.lit("GPU pod")),
        "SkuId": pl.col("accelerator"),
        "SkuMeter": pl.col("PricingUnit").str.replace("-Hours", " hours", literal=True),
        "SkuPriceDetails": pl.struct(x_Tier="tier").struct.json_encode(),
        "SkuPriceId": pl.concat_str("accelerator", "card_version", "tier", separator="/"),
        "SubAccountName": pl.col("team"),
        "Tags": pl.struct(pl.col(column).alias(f"{TAG_PREFIX}{column}") for column in _TAGS).struct.json_encode(),
        "x_AttributionMethod": pl.when(pl.col("team") == UNATTRIBUTED)
        .then(pl.lit(UNATTRIBUTED))
        .otherwise("owner_kind"),
        "x_Company": pl.col("company"),
        "x_CostCentre": pl.col("cost_centre"),
        "x_Host": pl.col("host"),
        "x_Project": pl.col("project"),
        "x_RateCardSha256": pl.lit(None if prices.is_empty() else prices["card_sha256"][0], pl.String),
        "x_RateCardVersion": pl.col("card_version"),
        "x_Run": pl.col("run"),
        "x_Sharing": pl.col("sharing"),
        "x_WorkloadClass": pl.col("workload_class"),
    }


def _reservation() -> Mapping[str, pl.Expr]:
    """Which reservation a row ran in, or left unused; null where it has to do with none.

    Source: FOCUS 1.2 to 1.4, CapacityReservationId and CapacityReservationStatus.
    """
    name = pl.when(pl.col("reservation") != "").then("reservation")
    used_id = pl.concat_str(pl.lit("slurm/"), "cluster", pl.lit(f"/{UNUSED_RUN_PREFIX}"), name)
    used = pl.when(name.is_not_null())
    return {
        "CapacityReservationId": pl.when(_IS_UNUSED).then(_UNUSED_ID).otherwise(used_id),
        "CapacityReservationStatus": pl.when(_IS_UNUSED).then(pl.lit("Unused")).otherwise(used.then(pl.lit("Used"))),
    }


def _allocation() -> Mapping[str, pl.Expr]:
    """Split-cost columns of an owner's part; null where one owner bears the whole. The ratios of an origin sum to 1."""
    is_part = pl.col("part_numerator") != pl.col("part_denominator")
    details = pl.concat_str(
        pl.lit('{"Elements":[{"AllocatedRatio":'), ratio_digits(), pl.lit(',"UsageUnit":"'), "PricingUnit",
        pl.lit('","UsageQuantity":'), decimal_digits("PricingQuantity"), pl.lit("}]}"),
    )  # fmt: skip
    owner = pl.struct(*(pl.col(column).alias(f"{TAG_PREFIX}{column}") for column in ("cost_centre", "project", "team")))
    split = {
        "AllocatedMethodId": pl.lit(ALLOCATION_METHOD),
        "AllocatedMethodDetails": details,
        "AllocatedResourceId": pl.concat_str("team", "cost_centre", "project", separator="/"),
        "AllocatedResourceName": pl.col("team"),
        "AllocatedTags": owner.struct.json_encode(),
    }
    return {name: pl.when(is_part).then(value) for name, value in split.items()}


def ratio_digits() -> pl.Expr:
    """The part as a decimal of twelve digits; exact, since an owner's part is a decimal number of per cent."""
    trillionths = pl.col("part_numerator").cast(pl.Int128) * 10**12 // pl.col("part_denominator").cast(pl.Int128)
    text = trillionths.cast(pl.String).str.zfill(13)
    return pl.concat_str(text.str.head(-12), pl.lit("."), text.str.tail(12)).str.strip_chars_end("0")
