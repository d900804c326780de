"""Contract of focus_cost_and_usage: the month in FOCUS 1.3's words, exact to the last digit.

The names are the specification's, so they are not ours; `x_` columns stand after all of its columns. Costs and unit
prices are exact decimals: a price has 12 digits behind the point, a quantity 9, so a cost has 21 and is never rounded.
"""

import polars as pl

from chargeback.contracts.common_columns import MONTH
from chargeback.contracts.contract import INSTANT, PRICE, Column, Contract

FOCUS_QUANTITY = pl.Decimal(38, 9)
"""Hours to the billionth: 3.6 microseconds."""

FOCUS_COST = pl.Decimal(38, 21)
"""A quantity of nine decimals times a price of twelve, exactly."""

CHARGE_CATEGORIES = ("Usage", "Purchase", "Tax", "Credit", "Adjustment")
PRICING_CATEGORIES = ("Standard", "Dynamic", "Committed", "Other")
CAPACITY_STATUSES = ("Used", "Unused")
UNITS = ("GPU-Hours", "Slice-Hours")


def _text(name: str, meaning: str, *, nullable: bool = False, values: tuple[str, ...] = ()) -> Column:
    return Column(name, pl.String(), meaning, nullable=nullable, values=values)


def _cost(name: str, meaning: str) -> Column:
    return Column(name, FOCUS_COST, meaning, "BillingCurrency")


def _hours(name: str, meaning: str, unit: str = "hours", minimum: int | None = 0) -> Column:
    return Column(name, FOCUS_QUANTITY, meaning, unit, nullable=True, minimum=minimum)


FOCUS_COST_AND_USAGE = Contract(
    table="focus_cost_and_usage",
    grain="one row per row of rated_usage that has a price (job-day slice and owner), one Adjustment per invoice, and "
    "one row per correction",
    key=(
        "month", "InvoiceId", "ChargeCategory", "ChargePeriodStart", "AvailabilityZone", "x_Run", "x_Host",
        "SkuPriceId", "ChargeDescription", "x_Sharing", "x_CostCentre", "x_Project", "x_Company", "x_CorrectsLineId",
    ),
    partitioned_by=("month",),
    stage="ledger",
    columns=(
        MONTH,
        _text("AllocatedMethodDetails", "JSON: ratio and quantity of this owner's part of a shared run", nullable=True),
        _text("AllocatedMethodId", "how a shared run was split; null where one owner bears it whole", nullable=True),
        _text("AllocatedResourceId", "the owner that this part went to: team/cost centre/project", nullable=True),
        _text("AllocatedResourceName", "the team that this part went to", nullable=True),
        _text("AllocatedTags", "JSON: team, cost centre and project of this part", nullable=True),
        _text("AvailabilityZone", "cluster", nullable=True),
        _cost("BilledCost", "what the invoice charges; 0 in a parallel month"),
        _text("BillingAccountId", "company whose cost pool owns the platform"),
        _text("BillingAccountName", "the same, as people call it"),
        _text("BillingCurrency", "ISO 4217 code"),
        Column("BillingPeriodEnd", INSTANT, "end of the month, exclusive", "instant"),
        Column("BillingPeriodStart", INSTANT, "start of the month", "instant"),
        _text("CapacityReservationId", "slurm/cluster/reservation/name, whether it was used or not", nullable=True),
        _text("CapacityReservationStatus", "Used: ran in it; Unused: reserved, held by nobody", nullable=True,
              values=CAPACITY_STATUSES),
        _text("ChargeCategory", "Usage; Credit: forgiven; Adjustment: moved by rounding", values=CHARGE_CATEGORIES),
        _text("ChargeClass", "Correction, of a month that is closed; else null", nullable=True, values=("Correction",)),
        _text("ChargeDescription", "what it is, in a line"),
        _text("ChargeFrequency", "how often it is charged", values=("One-Time", "Recurring", "Usage-Based")),
        Column("ChargePeriodEnd", INSTANT, "end of the day, exclusive", "instant"),
        Column("ChargePeriodStart", INSTANT, "start of the day", "instant"),
        _hours("ConsumedQuantity", "what was held", "ConsumedUnit"),
        _text("ConsumedUnit", "unit of ConsumedQuantity", nullable=True, values=UNITS),
        _cost("ContractedCost", "ContractedUnitPrice x PricingQuantity, exactly"),
        Column("ContractedUnitPrice", PRICE, "price of the tier", "BillingCurrency", nullable=True, minimum=0),
        _cost("EffectiveCost", "as BilledCost: nothing is bought ahead"),
        _text("HostProviderName", "whose machines they are"),
        _text("InvoiceId", "the team's statement"),
        _text("InvoiceIssuerName", "as ProviderName; another name would say that it is sold on a marketplace"),
        _cost("ListCost", "ListUnitPrice x PricingQuantity, exactly"),
        Column("ListUnitPrice", PRICE, "full-cost price", "BillingCurrency", nullable=True, minimum=0),
        _text("PricingCategory", "Standard: every price stands in the card", nullable=True, values=PRICING_CATEGORIES),
        _hours("PricingQuantity", "what is charged, to the billionth of an hour, or forgiven", "PricingUnit", None),
        _text("PricingUnit", "unit of PricingQuantity", nullable=True, values=UNITS),
        _text("ProviderName", "the GPU platform; deprecated by 1.3"),
        _text("PublisherName", "the GPU platform; deprecated by 1.3"),
        _text("RegionId", "site"),
        _text("RegionName", "site, as people call it"),
        _text("ResourceId", "slurm/cluster/job (or reservation/name), k8s/cluster/namespace/pod uid", nullable=True),
        _text("ResourceName", "name given by the user", nullable=True),
        _text("ResourceType", "GPU job, GPU pod, or Reservation that was partly unused", nullable=True,
              values=("GPU job", "GPU pod", "Reservation")),
        _text("ServiceCategory", "Compute", values=("Compute",)),
        _text("ServiceName", "GPU compute (Slurm) or GPU compute (Kubernetes)"),
        _text("ServiceProviderName", "the GPU platform"),
        _text("ServiceSubcategory", "Other (Compute)", values=("Other (Compute)",)),
        _text("SkuId", "accelerator or slice", nullable=True),
        _text("SkuMeter", "GPU hours or Slice hours", nullable=True),
        _text("SkuPriceDetails", "JSON: the tier", nullable=True),
        _text("SkuPriceId", "accelerator/card version/tier", nullable=True),
        _text("SubAccountId", "team, as ids spell it"),
        _text("SubAccountName", "team"),
        _text("SubAccountType", "Team", values=("Team",)),
        _text("Tags", "JSON: project, user, account, workload", nullable=True),
        _hours("x_AllocatedGpuHours", "physical GPU-hours held, this owner's part"),
        _text("x_AttributionMethod", "kind of key of ownership that named its owner, or unattributed", nullable=True),
        _text("x_Company", "company whose books carry it"),
        _hours("x_ConsumedGpuHours", "GPU-hours active, this owner's part; never what is charged"),
        _text("x_CorrectionReason", "why a closed month is corrected", nullable=True),
        _text("x_CorrectsLineId", "statement line that is corrected; empty if none"),
        _text("x_CorrectsMonth", "closed month that is corrected", nullable=True),
        _text("x_CostCentre", "cost centre"),
        _text("x_Host", "host; empty where the row has none"),
        _hours("x_IdleGpuHours", "GPU-hours held in which nothing ran, this owner's part"),
        Column("x_IsShadow", pl.Boolean(), "a parallel month: shown beside finance's own numbers, not billed"),
        _text("x_LineId", "statement line that it stands in; empty for an Adjustment"),
        _text("x_Project", "project"),
        _text("x_RateCardSha256", "content hash of the rate card", nullable=True),
        _text("x_RateCardVersion", "version of the rate card", nullable=True),
        _text("x_Run", "run; empty where the row has none"),
        _text("x_Sharing", "how the GPU is shared; empty where the row has no run"),
        _hours("x_UnmeasuredGpuHours", "GPU-hours held without telemetry, which is not idle, this owner's part"),
        _text("x_WorkloadClass", "batch, service or interactive", nullable=True),
        _cost("x_WouldBeBilledCost", "what BilledCost is, or would be if the month were enforced"),
    ),
    checks=("focus_rows_conform", "focus_invoices_tie"),
)  # fmt: skip
