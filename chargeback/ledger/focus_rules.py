"""What every FOCUS row must be, rule by rule: the gate's own, since the official validator lets wrong rows pass.

A rule is an expression that is true where a row breaks it; null is not. Not here: what rows add up to
(focus_findings.py), nulls and types that the contract refuses at write.
"""

from collections.abc import Mapping

import polars as pl

from chargeback.contracts.focus_cost_and_usage import (
    CAPACITY_STATUSES,
    CHARGE_CATEGORIES,
    FOCUS_COST_AND_USAGE,
    PRICING_CATEGORIES,
    UNITS,
)
from chargeback.ledger.focus_numbers import cost_of
from chargeback.ledger.focus_usage import ALLOCATION_METHOD, TAG_PREFIX

_IS_USAGE = pl.col("ChargeCategory") == "Usage"
_IS_CORRECTION = pl.col("ChargeClass").eq_missing("Correction")
_IS_METERED = _IS_USAGE & ~_IS_CORRECTION
_IS_FORGIVEN = (pl.col("ChargeCategory") == "Credit") & ~_IS_CORRECTION
"""A Credit of this month; one that is corrected may be above zero: less of it is forgiven now."""

_IS_SPLIT = pl.col("AllocatedMethodId").is_not_null()

NEVER_EMPTY = (
    "BillingAccountId", "BillingAccountName", "HostProviderName", "InvoiceId", "ProviderName", "PublisherName",
    "RegionId", "RegionName", "ServiceName", "ServiceProviderName", "SubAccountId", "SubAccountName",
    "ChargeDescription",
)  # fmt: skip
ON_USAGE = (
    "ConsumedQuantity", "ConsumedUnit", "ContractedUnitPrice", "ListUnitPrice", "PricingCategory", "PricingQuantity",
    "PricingUnit", "ResourceId", "ResourceName", "ResourceType", "SkuMeter", "SkuPriceId", "Tags",
    "x_AttributionMethod", "x_RateCardVersion", "AvailabilityZone", "SkuId", "SkuPriceDetails",
)  # fmt: skip
WITH_A_SPLIT = ("AllocatedMethodDetails", "AllocatedResourceId", "AllocatedResourceName", "AllocatedTags")


def broken_rules() -> Mapping[str, pl.Expr]:
    """Rule, in words, -> where a row of contracts.focus_cost_and_usage breaks it.

    Source: FOCUS 1.2 and 1.3; docs/decisions/0024.
    """
    return {
        **{f"{name} is not empty": pl.col(name).is_null() | (pl.col(name) == "") for name in NEVER_EMPTY},
        **{f"{name} stands on every Usage row": _IS_METERED & pl.col(name).is_null() for name in ON_USAGE},
        **{f"{name} stands on split rows and only there": pl.col(name).is_null() == _IS_SPLIT for name in WITH_A_SPLIT},
        **_values(),
        **_reservations(),
        **_periods(),
        **_amounts(),
        **_corrections(),
    }


def misnamed_columns(names: list[str]) -> list[str]:
    """Columns that are neither FOCUS's nor spelled x_ and PascalCase, and FOCUS columns behind an x_ column."""
    is_ours = [name.startswith("x_") for name in names]
    first = is_ours.index(True) if True in is_ours else len(names)
    late = [name for name in names[first:] if not name.startswith("x_")]
    official = {name for name in FOCUS_COST_AND_USAGE.column_names if not name.startswith("x_")}
    strange = [name for name in names[:first] if name not in official]
    return [*late, *strange, *(name for name in names[first:] if name.startswith("x_") and not _is_pascal(name[2:]))]


def _is_pascal(name: str) -> bool:
    return name.isalnum() and name[:1].isupper()


def _values() -> Mapping[str, pl.Expr]:
    tags = pl.col("Tags").str
    return {
        "ChargeCategory is one of FOCUS's": ~pl.col("ChargeCategory").is_in(CHARGE_CATEGORIES),
        "PricingCategory is one of FOCUS's": ~pl.col("PricingCategory").is_in(PRICING_CATEGORIES),
        "PricingUnit is hours of a GPU or slice": ~pl.col("PricingUnit").is_in(UNITS),
        "ConsumedUnit is PricingUnit": _IS_USAGE & pl.col("ConsumedUnit").ne_missing(pl.col("PricingUnit")),
        "BillingCurrency is three capitals": ~pl.col("BillingCurrency").str.contains(r"^[A-Z]{3}$"),
        "InvoiceIssuerName is ProviderName": pl.col("InvoiceIssuerName") != pl.col("ProviderName"),
        "ServiceProviderName is ProviderName": pl.col("ServiceProviderName") != pl.col("ProviderName"),
        "PublisherName is ProviderName": pl.col("PublisherName") != pl.col("ProviderName"),
        "Tags is a JSON object": ~(tags.starts_with("{") & tags.ends_with("}")),
        "Tags carry the provider's prefix": ~tags.starts_with('{"' + TAG_PREFIX),
        "AllocatedMethodId is a documented method": pl.col("AllocatedMethodId") != ALLOCATION_METHOD,
    }


def _reservations() -> Mapping[str, pl.Expr]:
    status, is_named = pl.col("CapacityReservationStatus"), pl.col("CapacityReservationId").is_not_null()
    is_unused = pl.col("ResourceType").eq_missing("Reservation")
    return {
        "CapacityReservationStatus is one of FOCUS's": ~status.is_in(CAPACITY_STATUSES),
        "CapacityReservationStatus stands with its id and only there": is_named != status.is_not_null(),
        "what a reservation left unused is Unused and nothing else is": is_unused != status.eq_missing("Unused"),
    }


def _periods() -> Mapping[str, pl.Expr]:
    starts, ends = pl.col("ChargePeriodStart"), pl.col("ChargePeriodEnd")
    return {
        "BillingPeriodEnd is after BillingPeriodStart": pl.col("BillingPeriodEnd") <= pl.col("BillingPeriodStart"),
        "ChargePeriodEnd is after ChargePeriodStart": ends <= starts,
        "ChargePeriodStart is in the billing period": (starts < pl.col("BillingPeriodStart"))
        | (starts >= pl.col("BillingPeriodEnd")),
        "ChargePeriodEnd is in the billing period": ends > pl.col("BillingPeriodEnd"),
    }


def _amounts() -> Mapping[str, pl.Expr]:
    def is_off(price: str, cost: str) -> pl.Expr:
        return ~_IS_CORRECTION & (cost_of(price, "PricingQuantity") != pl.col(cost))

    return {
        "ListUnitPrice x PricingQuantity is ListCost": is_off("ListUnitPrice", "ListCost"),
        "ContractedUnitPrice x PricingQuantity is ContractedCost": is_off("ContractedUnitPrice", "ContractedCost"),
        "ListCost is at least ContractedCost": _IS_METERED & (pl.col("ListCost") < pl.col("ContractedCost")),
        "x_WouldBeBilledCost is ContractedCost": pl.col("x_WouldBeBilledCost") != pl.col("ContractedCost"),
        "EffectiveCost is BilledCost": pl.col("EffectiveCost") != pl.col("BilledCost"),
        "a parallel month bills nothing": pl.col("x_IsShadow") & (pl.col("BilledCost") != 0),
        "an enforced month bills what it would": ~pl.col("x_IsShadow")
        & (pl.col("BilledCost") != pl.col("x_WouldBeBilledCost")),
        "ConsumedQuantity stands on Usage only": ~_IS_USAGE & pl.col("ConsumedQuantity").is_not_null(),
        "ConsumedQuantity is PricingQuantity": _IS_USAGE
        & pl.col("ConsumedQuantity").ne_missing(pl.col("PricingQuantity")),
        "Usage is of no less than nothing": _IS_METERED & (pl.col("PricingQuantity") < 0),
        "a Credit is below zero": _IS_FORGIVEN & (pl.col("ContractedCost") >= 0),
        "usage and credits name their statement line": (_IS_METERED | _IS_FORGIVEN)
        & (pl.col("x_LineId").is_null() | (pl.col("x_LineId") == "")),
    }


def _corrections() -> Mapping[str, pl.Expr]:
    return {
        "ChargeClass is null or Correction": pl.col("ChargeClass") != "Correction",
        "a Correction names a month before this one": _IS_CORRECTION
        & (pl.col("x_CorrectsMonth") < pl.col("month")).fill_null(False).not_(),
        "a Correction names its line": _IS_CORRECTION & (pl.col("x_CorrectsLineId") == ""),
        "a Correction says why": _IS_CORRECTION & (pl.col("x_CorrectionReason").fill_null("") == ""),
        "only a Correction corrects": ~_IS_CORRECTION & pl.col("x_CorrectsMonth").is_not_null(),
    }
