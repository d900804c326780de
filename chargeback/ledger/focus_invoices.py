"""The two small FOCUS 1.4 datasets: the lines of every invoice, and whether the month may still change.

Not here: what they say once the month is closed (focus_closed.py).
"""

import polars as pl

from chargeback.contracts.contract import INSTANT, MONEY
from chargeback.contracts.focus_billing_period import FOCUS_BILLING_PERIOD
from chargeback.contracts.focus_invoice_detail import FOCUS_INVOICE_DETAIL
from chargeback.ledger.focus_corrections import CORRECTED
from chargeback.ledger.focus_terms import FocusTerms
from chargeback.ledger.focus_usage import charge_category
from chargeback.ledger.statement_document import statement_id_of


def invoice_details(
    lines: pl.DataFrame, statements: pl.DataFrame, *, terms: FocusTerms, corrections: pl.DataFrame | None = None
) -> pl.DataFrame:
    """contracts.focus_invoice_detail of a month: a row per statement line, rounded, and per correction.

    Input:   contracts.team_charges and statements of the month; CORRECTED that it books.
    Output:  InvoiceDetailId is the line's id, which its Usage or Credit rows carry as x_LineId; per InvoiceId the rows
             add up to the statement's total. A correction's is `<line id>@<month that is corrected>`, its
             ReferenceInvoiceId the statement that had the line. A line of zero has a row too.
    Source:  FOCUS 1.4, InvoiceDetail.
    """
    booked = pl.DataFrame(schema=CORRECTED) if corrections is None else corrections
    new = lines.select("team", InvoiceDetailId="line_id", x_WouldBeBilledCost=pl.col("amount").cast(MONEY),
                       ReferenceInvoiceId=pl.lit(None, pl.String), ChargeCategory=charge_category())  # fmt: skip
    references = [statement_id_of(month, team) for month, team in booked.select("corrects_month", "team").iter_rows()]
    corrected = booked.select(
        "team",
        InvoiceDetailId=pl.concat_str("line_id", "corrects_month", separator="@"),
        x_WouldBeBilledCost="amount",
        ReferenceInvoiceId=pl.lit(pl.Series(references, dtype=pl.String)),
        ChargeCategory=charge_category(),
    )
    return (
        pl.concat([new, corrected])
        .join(statements.select("team", InvoiceId="statement_id"), on="team", how="left", validate="m:1")
        .with_columns(
            **terms.in_every_row(),
            BilledCost=terms.billed("x_WouldBeBilledCost", MONEY),
            InvoiceIssueStatus=pl.lit("Provisional"),
            PaymentTerms=pl.lit(terms.payment_terms),
        )
        .select(pl.col(name).cast(dtype) for name, dtype in FOCUS_INVOICE_DETAIL.schema.items())
        .sort(FOCUS_INVOICE_DETAIL.key)
    )


def billing_period(*, terms: FocusTerms) -> pl.DataFrame:
    """contracts.focus_billing_period of a month: one row; a month whose tables are still made is open."""
    span = terms.period.interval
    return pl.DataFrame(
        {
            "month": [terms.period.month],
            "BillingPeriodEnd": pl.Series([span.end], dtype=INSTANT),
            "BillingPeriodStart": pl.Series([span.start], dtype=INSTANT),
            "BillingPeriodStatus": ["Open"],
            "InvoiceIssuerName": [terms.provider],
            "ServiceProviderName": [terms.provider],
        },
        schema=FOCUS_BILLING_PERIOD.schema,
    )
