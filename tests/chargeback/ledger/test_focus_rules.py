"""Every rule of a FOCUS row: the worked month keeps it, and one changed cell breaks it."""

from datetime import timedelta
from decimal import Decimal

import polars as pl
import pytest

from chargeback.contracts.focus_cost_and_usage import FOCUS_COST_AND_USAGE
from chargeback.ledger.focus_findings import row_findings
from chargeback.ledger.focus_rules import NEVER_EMPTY, ON_USAGE, WITH_A_SPLIT, broken_rules, misnamed_columns
from tests.chargeback.ledger.focus_month import focus_month

CENT = pl.lit(Decimal("0.01"))
LATER = timedelta(days=40)
CORRECTION = {"ChargeClass": pl.lit("Correction"), "x_CorrectsMonth": pl.lit("2026-02"),
              "x_CorrectsLineId": pl.lit("line"), "x_CorrectionReason": pl.lit("late")}  # fmt: skip

BROKEN_BY: dict[str, dict[str, pl.Expr]] = {
    **{f"{name} is not empty": {name: pl.lit("")} for name in NEVER_EMPTY},
    **{f"{name} stands on every Usage row": {name: pl.lit(None)} for name in ON_USAGE},
    **{f"{name} stands on split rows and only there": {name: pl.lit("{}")} for name in WITH_A_SPLIT},
    "ChargeCategory is one of FOCUS's": {"ChargeCategory": pl.lit("Bogus")},
    "PricingCategory is one of FOCUS's": {"PricingCategory": pl.lit("Cheap")},
    "PricingUnit is hours of a GPU or slice": {"PricingUnit": pl.lit("Hours")},
    "ConsumedUnit is PricingUnit": {"ConsumedUnit": pl.lit("Slice-Hours")},
    "BillingCurrency is three capitals": {"BillingCurrency": pl.lit("eur")},
    "InvoiceIssuerName is ProviderName": {"InvoiceIssuerName": pl.lit("A shop")},
    "ServiceProviderName is ProviderName": {"ServiceProviderName": pl.lit("A shop")},
    "PublisherName is ProviderName": {"PublisherName": pl.lit("A shop")},
    "Tags is a JSON object": {"Tags": pl.lit("user=u1")},
    "Tags carry the provider's prefix": {"Tags": pl.lit('{"user":"u1"}')},
    "AllocatedMethodId is a documented method": {"AllocatedMethodId": pl.lit("by hand")},
    "CapacityReservationStatus is one of FOCUS's": {"CapacityReservationStatus": pl.lit("Half")},
    "CapacityReservationStatus stands with its id and only there": {"CapacityReservationId": pl.lit("slurm/a/r")},
    "what a reservation left unused is Unused and nothing else is": {"ResourceType": pl.lit("Reservation")},
    "BillingPeriodEnd is after BillingPeriodStart": {"BillingPeriodEnd": pl.col("BillingPeriodStart")},
    "ChargePeriodEnd is after ChargePeriodStart": {"ChargePeriodEnd": pl.col("ChargePeriodStart")},
    "ChargePeriodStart is in the billing period": {"ChargePeriodStart": pl.col("ChargePeriodStart") + LATER},
    "ChargePeriodEnd is in the billing period": {"ChargePeriodEnd": pl.col("ChargePeriodEnd") + LATER},
    "ListUnitPrice x PricingQuantity is ListCost": {"ListCost": pl.col("ListCost") + CENT},
    "ContractedUnitPrice x PricingQuantity is ContractedCost": {"ContractedCost": pl.col("ContractedCost") - CENT},
    "ListCost is at least ContractedCost": {"ListCost": pl.col("ContractedCost") - CENT},
    "x_WouldBeBilledCost is ContractedCost": {"x_WouldBeBilledCost": pl.col("ContractedCost") + CENT},
    "EffectiveCost is BilledCost": {"EffectiveCost": pl.col("BilledCost") + CENT},
    "a parallel month bills nothing": {"x_IsShadow": pl.lit(True)},
    "an enforced month bills what it would": {"BilledCost": pl.col("BilledCost") + CENT},
    "ConsumedQuantity stands on Usage only": {"ChargeCategory": pl.lit("Adjustment")},
    "ConsumedQuantity is PricingQuantity": {"ConsumedQuantity": pl.col("ConsumedQuantity") + CENT},
    "usage and credits name their statement line": {"x_LineId": pl.lit("")},
    "Usage is of no less than nothing": {"PricingQuantity": -pl.col("PricingQuantity")},
    "a Credit is below zero": {"ChargeCategory": pl.lit("Credit")},
    "ChargeClass is null or Correction": {"ChargeClass": pl.lit("Revision")},
    "a Correction names a month before this one": CORRECTION | {"x_CorrectsMonth": pl.lit("2026-03")},
    "a Correction names its line": CORRECTION | {"x_CorrectsLineId": pl.lit("")},
    "a Correction says why": CORRECTION | {"x_CorrectionReason": pl.lit("")},
    "only a Correction corrects": {"x_CorrectsMonth": pl.lit("2026-02")},
}


def changed(**columns: pl.Expr) -> pl.LazyFrame:
    """The worked month with columns of one Usage row, which one owner bears whole, changed."""
    rows = focus_month()
    at = rows["x_Run"].str.starts_with("101@").arg_max()
    return (
        rows.with_row_index("row")
        .with_columns(
            pl.when(pl.col("row") == at).then(value).otherwise(pl.col(name)).alias(name)
            for name, value in columns.items()
        )
        .select(FOCUS_COST_AND_USAGE.column_names)
        .cast(FOCUS_COST_AND_USAGE.schema)
        .lazy()
    )


@pytest.mark.parametrize("mode", ["enforced", "parallel"])
def test_the_worked_month_keeps_every_rule(mode: str) -> None:
    assert row_findings(focus_month(mode).lazy()) == []


def test_every_rule_has_a_row_that_breaks_it() -> None:
    assert set(BROKEN_BY) == set(broken_rules())


@pytest.mark.parametrize("rule", sorted(BROKEN_BY))
def test_one_changed_cell_breaks_its_rule(rule: str) -> None:
    told = row_findings(changed(**BROKEN_BY[rule]))

    assert rule in [expected for _, expected, _ in told]


def test_ratios_of_one_charge_that_are_not_one_together_are_found() -> None:
    rows = focus_month().with_columns(pl.col("AllocatedMethodDetails").str.replace("0.6", "0.5", literal=True))

    assert ("AllocatedRatios add up to 1", "0.900000000000") in [told[1:] for told in row_findings(rows.lazy())]


def test_a_currency_that_iso_4217_does_not_know_is_found_and_so_are_two() -> None:
    told = row_findings(changed(BillingCurrency=pl.lit("XQQ")))

    assert {expected for _, expected, _ in told} == {"BillingCurrency of ISO 4217", "one BillingCurrency"}


def test_own_columns_are_spelled_x_and_pascal_case_behind_those_of_focus() -> None:
    assert misnamed_columns(["BilledCost", "Cost", "x_Run", "x_run", "x_Run_Id", "Tags"]) == [
        "Tags", "Cost", "x_run", "x_Run_Id",
    ]  # fmt: skip
