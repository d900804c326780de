"""What the two small FOCUS 1.4 datasets say once their month is closed. Amounts and ids stay as they were certified.

The tables are closed with the month and say what held when it was certified: a provisional invoice of an open period.
Source: FOCUS 1.4, BillingPeriodStatus and InvoiceIssueStatus; docs/decisions/0032. Not here: where the files lie.
"""

import polars as pl

from chargeback.contracts.contract import Contract
from chargeback.contracts.focus_billing_period import FOCUS_BILLING_PERIOD
from chargeback.contracts.focus_invoice_detail import FOCUS_INVOICE_DETAIL

STATUS_ONCE_CLOSED = (
    (FOCUS_INVOICE_DETAIL, "focus-1.4-invoice-detail", {"InvoiceIssueStatus": "Issued"}),
    (FOCUS_BILLING_PERIOD, "focus-1.4-billing-period", {"BillingPeriodStatus": "Closed"}),
)
"""Table, the stem of its file, and the status that a closing gives to every row."""


def once_closed(rows: pl.LazyFrame, contract: Contract) -> pl.LazyFrame:
    """The rows of one of the two tables as they are to be read after the closing, in the order of the key.

    Raises ValueError for another table: nothing else of a month says whether it may still change.
    """
    for table, _, statuses in STATUS_ONCE_CLOSED:
        if table is contract:
            return rows.with_columns(**{name: pl.lit(status) for name, status in statuses.items()}).sort(table.key)
    raise ValueError(f"{contract.table} says nothing of whether its month is closed")
