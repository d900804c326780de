"""Checks of focus_cost_and_usage: each passes on what was billed, and fails on what it is there for."""

from decimal import Decimal

import polars as pl

from chargeback.contracts.focus_cost_and_usage import FOCUS_COST_AND_USAGE
from tests.checks.judging import change_first, judged, put, rows_of
from tests.estates import Estate


def test_focus_rows_conform_passes_on_what_was_billed(billed_estate: Estate) -> None:
    assert judged("focus_rows_conform", billed_estate).is_pass


def test_focus_rows_conform_fails_for_an_issuer_that_is_not_the_provider(estate: Estate) -> None:
    change_first(estate, FOCUS_COST_AND_USAGE, InvoiceIssuerName=pl.lit("A shop"))

    judgement = judged("focus_rows_conform", estate)

    assert judgement.is_failure
    assert "InvoiceIssuerName is ProviderName" in judgement.told


def test_focus_invoices_tie_passes_on_what_was_billed(billed_estate: Estate) -> None:
    assert judged("focus_invoices_tie", billed_estate).is_pass


def test_focus_invoices_tie_fails_for_a_cost_that_is_the_last_digit_off(estate: Estate) -> None:
    change_first(estate, FOCUS_COST_AND_USAGE,
                 x_WouldBeBilledCost=pl.col("x_WouldBeBilledCost") + pl.lit(Decimal(1).scaleb(-21)))  # fmt: skip

    judgement = judged("focus_invoices_tie", estate)

    assert judgement.is_failure
    assert "the statement's total" in judgement.told


def test_focus_invoices_tie_fails_for_usage_without_a_row(estate: Estate) -> None:
    put(estate, FOCUS_COST_AND_USAGE, rows_of(estate, FOCUS_COST_AND_USAGE).filter(pl.col("ChargeCategory") != "Usage"))

    judgement = judged("focus_invoices_tie", estate)

    assert judgement.is_failure
    assert "one per priced usage" in judgement.told


def test_focus_invoices_tie_fails_for_an_invoice_without_its_adjustment(estate: Estate) -> None:
    put(estate, FOCUS_COST_AND_USAGE, rows_of(estate, FOCUS_COST_AND_USAGE).filter(pl.col("ChargeCategory") == "Usage"))

    assert "one Adjustment row" in judged("focus_invoices_tie", estate).told
