"""Contract of focus_billing_period: whether the month may still change, in FOCUS 1.4's words."""

import polars as pl

from chargeback.contracts.common_columns import MONTH
from chargeback.contracts.contract import INSTANT, Column, Contract

FOCUS_BILLING_PERIOD = Contract(
    table="focus_billing_period",
    grain="one row per month",
    key=("month", "InvoiceIssuerName"),
    partitioned_by=("month",),
    stage="ledger",
    columns=(
        MONTH,
        Column("BillingPeriodEnd", INSTANT, "end of the month, exclusive", "instant"),
        Column("BillingPeriodStart", INSTANT, "start of the month", "instant"),
        Column(
            "BillingPeriodStatus",
            pl.String(),
            "Open in the table; Closed in a closing's files",
            values=("Open", "Closed"),
        ),
        Column("InvoiceIssuerName", pl.String(), "the GPU platform"),
        Column("ServiceProviderName", pl.String(), "the GPU platform"),
    ),
    checks=("focus_period_conforms",),
)
