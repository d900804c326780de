"""After the closing the invoice lines are issued and the period is closed; nothing else of them differs."""

import polars as pl
import pytest

from chargeback.contracts.focus_billing_period import FOCUS_BILLING_PERIOD
from chargeback.contracts.focus_cost_and_usage import FOCUS_COST_AND_USAGE
from chargeback.contracts.focus_invoice_detail import FOCUS_INVOICE_DETAIL
from chargeback.ledger.focus_closed import once_closed
from chargeback.ledger.focus_invoices import billing_period, invoice_details
from tests.chargeback.ledger.focus_month import terms
from tests.chargeback.ledger.worked_statements import worked_statements
from tests.chargeback.worked_month import worked_lines


def test_a_closed_period_says_closed() -> None:
    open_rows = billing_period(terms=terms())

    rows = once_closed(open_rows.lazy(), FOCUS_BILLING_PERIOD).collect()

    assert FOCUS_BILLING_PERIOD.breaches(rows) == []
    assert rows["BillingPeriodStatus"].to_list() == ["Closed"]
    assert rows.drop("BillingPeriodStatus").equals(open_rows.drop("BillingPeriodStatus"))


def test_invoice_lines_of_a_closed_month_are_issued_and_cost_what_they_did() -> None:
    provisional = invoice_details(worked_lines(), worked_statements(), terms=terms())

    rows = once_closed(provisional.lazy(), FOCUS_INVOICE_DETAIL).collect()

    assert FOCUS_INVOICE_DETAIL.breaches(rows) == []
    assert set(rows["InvoiceIssueStatus"]) == {"Issued"}
    assert rows.drop("InvoiceIssueStatus").equals(provisional.drop("InvoiceIssueStatus"))


def test_no_other_table_says_whether_its_month_is_closed() -> None:
    with pytest.raises(ValueError, match="focus_cost_and_usage says nothing"):
        once_closed(pl.LazyFrame(schema=FOCUS_COST_AND_USAGE.schema), FOCUS_COST_AND_USAGE)
