"""A document as CSV for a finance system's import, and what such a file says: one row a line.

Not here: the month's whole journal, for people to read (journal_csv.py).
"""

import csv
import io
from decimal import Decimal

from chargeback.billing_period import last_day_of
from chargeback.ledger.csv_text import render_csv
from chargeback.ledger.plain_numbers import plain_amount
from chargeback.ledger.posting_document import PostingDocument
from chargeback.ledger.posting_files import FiledLine, FileTerms, Unreadable

EXTENSION = "csv"
COLUMNS = (
    "document_key", "document_sha256", "batch_id", "company", "period", "accounting_date", "currency", "source",
    "control_total", "line_number", "side", "amount", "account", "cost_centre", "accelerator", "tier", "team", "kind",
    "tax_code", "partner_company", "reverses", "description",
)  # fmt: skip


def account_name(ours: str, terms: FileTerms) -> str:
    """An account as it stands in such a file."""
    return terms.account(ours)


def render(document: PostingDocument, *, posting_month: str, terms: FileTerms) -> bytes:
    """RFC 4180, in order of line number; `control_total` is the sum of the document's debits."""
    head = (
        document.key, document.sha256, document.batch_key, document.company, document.month,
        last_day_of(posting_month).isoformat(), document.currency, terms.source,
        Decimal(plain_amount(document.debit_amount, terms.currency)),
    )  # fmt: skip
    rows = [
        (
            *head, line.line_number, line.side, Decimal(plain_amount(line.amount, terms.currency)),
            terms.account(line.account), line.cost_centre, line.accelerator, line.tier, document.team, document.kind,
            line.tax_code, document.partner_company, document.reverses, line.description,
        )
        for line in document.lines
    ]  # fmt: skip
    return render_csv(COLUMNS, rows)


def read(content: bytes) -> tuple[str, str, list[FiledLine]]:
    """Key, hash and lines of a file. Raises Unreadable if it is cut or was changed."""
    rows = list(csv.DictReader(io.StringIO(content.decode(errors="replace"), newline="")))
    if not rows or not content.endswith(b"\r\n") or any(None in row.values() or None in row for row in rows):
        raise Unreadable("it is cut: a row has not all columns")
    signs = {"debit": 1, "credit": -1}
    try:
        lines = [FiledLine(row["account"], signs[row["side"]] * Decimal(row["amount"])) for row in rows]
        total = Decimal(rows[0]["control_total"])
        key, digest = rows[0]["document_key"], rows[0]["document_sha256"]
    except (KeyError, ArithmeticError) as fault:
        raise Unreadable(f"it is not as it was written: {fault!r}") from None
    debits = sum((line.signed for line in lines if line.signed > 0), Decimal(0))
    if debits != total or sum((line.signed for line in lines), Decimal(0)):
        raise Unreadable(f"its debits are {debits:f}, its control total {total:f}")
    return key, digest, lines
