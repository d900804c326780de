"""A correction is of the category of the line that it corrects, in FOCUS rows and in the invoice's details."""

from decimal import Decimal

import polars as pl
import pytest

from chargeback.contracts.focus_cost_and_usage import FOCUS_COST_AND_USAGE
from chargeback.contracts.focus_invoice_detail import FOCUS_INVOICE_DETAIL
from chargeback.contracts.names import ALLOCATION, CREDIT_KINDS, RESERVED_UNUSED
from chargeback.ledger.focus_corrections import CORRECTED
from chargeback.ledger.focus_findings import row_findings
from chargeback.ledger.focus_invoices import invoice_details
from tests.chargeback.ledger.focus_month import focus_month, terms
from tests.chargeback.ledger.worked_statements import worked_statements
from tests.chargeback.worked_month import worked_lines

CATEGORIES = {ALLOCATION: "Usage", RESERVED_UNUSED: "Usage", **dict.fromkeys(CREDIT_KINDS, "Credit")}


def a_correction(kind: str, amount: str) -> pl.DataFrame:
    """CORRECTED of one line of this kind."""
    row = ("GPU-2026-02-nlp-1a2b3c4d", "2026-02", Decimal(amount), "credit policy", "NLP", "4712", "nlp-02", "C1",
           "slurm-a", "h100-sxm5-80gb", "standard", kind)  # fmt: skip
    return pl.DataFrame([row], schema=CORRECTED, orient="row")


@pytest.mark.parametrize("kind", CATEGORIES)
@pytest.mark.parametrize("amount", ["-12.50", "12.50"])
def test_a_correction_is_of_its_lines_category_whether_more_or_less_is_forgiven(kind: str, amount: str) -> None:
    rows = focus_month(corrections=a_correction(kind, amount))
    details = invoice_details(
        worked_lines(), worked_statements(), terms=terms(), corrections=a_correction(kind, amount)
    )

    mended = rows.filter(ChargeClass="Correction")
    assert mended.select("ChargeCategory", "BilledCost").rows() == [(CATEGORIES[kind], Decimal(amount))]
    detail = details.filter(pl.col("ReferenceInvoiceId").is_not_null())
    assert detail.select("ChargeCategory", "BilledCost").rows() == [(CATEGORIES[kind], Decimal(amount))]
    assert row_findings(rows.lazy()) == []
    assert FOCUS_COST_AND_USAGE.breaches(rows) == FOCUS_INVOICE_DETAIL.breaches(details) == []
