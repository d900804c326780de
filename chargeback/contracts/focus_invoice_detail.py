"""Contract of focus_invoice_detail: the lines of every invoice in FOCUS 1.4's words, one per statement line."""

import polars as pl

from chargeback.contracts.common_columns import MONTH
from chargeback.contracts.contract import INSTANT, MONEY, Column, Contract
from chargeback.contracts.focus_cost_and_usage import CHARGE_CATEGORIES

FOCUS_INVOICE_DETAIL = Contract(
    table="focus_invoice_detail",
    grain="one row per statement line, and one per correction",
    key=("month", "InvoiceId", "InvoiceDetailId"),
    partitioned_by=("month",),
    stage="ledger",
    columns=(
        MONTH,
        Column("BilledCost", MONEY, "the line's rounded amount; 0 in a parallel month", "BillingCurrency"),
        Column("BillingAccountId", pl.String(), "company whose cost pool owns the platform"),
        Column("BillingCurrency", pl.String(), "ISO 4217 code"),
        Column("BillingPeriodEnd", INSTANT, "end of the month, exclusive", "instant"),
        Column("BillingPeriodStart", INSTANT, "start of the month", "instant"),
        Column("ChargeCategory", pl.String(), "Usage; Credit: forgiven", values=CHARGE_CATEGORIES),
        Column("InvoiceDetailId", pl.String(), "x_LineId, or x_CorrectsLineId, of the rows behind it"),
        Column("InvoiceId", pl.String(), "the team's statement"),
        Column("InvoiceIssuerName", pl.String(), "the GPU platform"),
        Column(
            "InvoiceIssueStatus", pl.String(), "a closed month's file says Issued", values=("Provisional", "Issued")
        ),
        Column("PaymentTerms", pl.String(), "how and when the invoice is settled, in the settings' words"),
        Column("ReferenceInvoiceId", pl.String(), "the invoice that is corrected", nullable=True),
        Column("x_IsShadow", pl.Boolean(), "a parallel month: shown beside finance's own numbers, not billed"),
        Column("x_WouldBeBilledCost", MONEY, "what BilledCost is, or would be if enforced", "BillingCurrency"),
    ),
    checks=("focus_details_equal_charges",),
)
