"""Checks of focus_invoice_detail: each passes on what was billed, and fails on what it is there for."""

from decimal import Decimal

import polars as pl

from chargeback.contracts.focus_invoice_detail import FOCUS_INVOICE_DETAIL
from tests.checks.judging import change_first, judged, put, rows_of
from tests.estates import Estate

CENT = pl.lit(Decimal("0.01"))


def test_focus_details_equal_charges_passes_on_what_was_billed(billed_estate: Estate) -> None:
    assert judged("focus_details_equal_charges", billed_estate).is_pass


def test_focus_details_equal_charges_fails_for_a_line_that_is_a_cent_off(estate: Estate) -> None:
    change_first(estate, FOCUS_INVOICE_DETAIL, x_WouldBeBilledCost=pl.col("x_WouldBeBilledCost") + CENT)

    assert judged("focus_details_equal_charges", estate).is_failure


def test_focus_details_equal_charges_fails_for_a_line_without_a_row(estate: Estate) -> None:
    put(estate, FOCUS_INVOICE_DETAIL, rows_of(estate, FOCUS_INVOICE_DETAIL)[1:])

    assert "no row" in judged("focus_details_equal_charges", estate).told


def test_focus_details_equal_charges_fails_for_a_parallel_month_that_bills(estate: Estate) -> None:
    change_first(estate, FOCUS_INVOICE_DETAIL, BilledCost=CENT)

    assert "BilledCost 0 in a parallel month" in judged("focus_details_equal_charges", estate).told
