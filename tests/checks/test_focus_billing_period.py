"""Checks of focus_billing_period: each passes on what was billed, and fails on what it is there for."""

import polars as pl

from chargeback.contracts.focus_billing_period import FOCUS_BILLING_PERIOD
from tests.checks.judging import change_first, judged
from tests.estates import Estate


def test_focus_period_conforms_passes_on_what_was_billed(billed_estate: Estate) -> None:
    assert judged("focus_period_conforms", billed_estate).is_pass


def test_focus_period_conforms_fails_for_a_month_that_its_rows_do_not_name(estate: Estate) -> None:
    change_first(estate, FOCUS_BILLING_PERIOD, InvoiceIssuerName=pl.lit("A shop"))

    assert judged("focus_period_conforms", estate).is_failure
