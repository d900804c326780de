"""A document as Oracle's file for journal import: GlInterface.csv in a zip, as `Load Interface File` takes it.

The order of columns is one of a release and stands in fbdi_gl_interface.csv beside this file, with the release that it
is of. Source: ../shared/ecosystem.md 2.1; the template that a customer downloads from Oracle decides.
"""

import csv
import io
import zipfile
from decimal import Decimal
from functools import cache
from importlib.resources import files

from chargeback.billing_period import last_day_of
from chargeback.ledger.csv_text import inert
from chargeback.ledger.plain_numbers import plain_amount
from chargeback.ledger.posting_document import DocumentLine, PostingDocument
from chargeback.ledger.posting_files import FiledLine, FileTerms, Unreadable

EXTENSION = "zip"
MEMBER = "GlInterface.csv"
WRITTEN = (1980, 1, 1, 0, 0, 0)
"""A zip dates its members; the same document is the same bytes."""
LONGEST_TEXT = 240


@cache
def columns() -> tuple[str, ...]:
    """The columns of GlInterface.csv, in the order of the release in force."""
    text = files("chargeback.ledger").joinpath("fbdi_gl_interface.csv").read_text(encoding="utf-8")
    return tuple(row["column"] for row in csv.DictReader(io.StringIO(text)))


def account_name(ours: str, terms: FileTerms) -> str:
    """An account as it stands in such a file: the second segment."""
    return terms.account(ours)


def render(document: PostingDocument, *, posting_month: str, terms: FileTerms) -> bytes:
    """A zip with one row a line: company, account and cost centre as segments 1 to 3, the key as journal name."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\r\n")
    for line in document.lines:
        cells = _cells(document, line, posting_month, terms)
        writer.writerow([cells.get(name, "") for name in columns()])
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(zipfile.ZipInfo(MEMBER, date_time=WRITTEN), text.getvalue())
    return out.getvalue()


def read(content: bytes) -> tuple[str, str, list[FiledLine]]:
    """Key, hash and lines of a file. Raises Unreadable if it is cut or was changed."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            text = archive.read(MEMBER).decode()
    except (zipfile.BadZipFile, KeyError, UnicodeDecodeError) as fault:
        raise Unreadable(f"it is cut, or not one of ours: {fault}") from None
    rows = [dict(zip(columns(), cells, strict=False)) for cells in csv.reader(io.StringIO(text, newline=""))]
    try:
        lines = [
            FiledLine(row["SEGMENT2"], Decimal(row["ENTERED_DR"] or 0) - Decimal(row["ENTERED_CR"] or 0))
            for row in rows
        ]
        key, digest = rows[0]["REFERENCE4"], rows[0]["REFERENCE5"].partition(" ")[0].removeprefix("sha256:")
    except (KeyError, IndexError, ArithmeticError) as fault:
        raise Unreadable(f"it is not as it was written: {fault!r}") from None
    if sum((line.signed for line in lines), Decimal(0)):
        raise Unreadable("it does not balance any more")
    return key, digest, lines


def _cells(document: PostingDocument, line: DocumentLine, posting_month: str, terms: FileTerms) -> dict[str, str]:
    date = f"{last_day_of(posting_month):%Y/%m/%d}"
    amount = plain_amount(line.amount, terms.currency)
    texts = {
        "STATUS": "NEW",
        "LEDGER_ID": terms.ledger,
        "ACCOUNTING_DATE": date,
        "USER_JE_SOURCE_NAME": terms.source,
        "USER_JE_CATEGORY_NAME": terms.category,
        "CURRENCY_CODE": document.currency,
        "DATE_CREATED": date,
        "ACTUAL_FLAG": "A",
        "SEGMENT1": document.company,
        "SEGMENT2": terms.account(line.account),
        "SEGMENT3": line.cost_centre,
        "REFERENCE1": document.batch_key,
        "REFERENCE4": document.key,
        "REFERENCE5": f"sha256:{document.sha256} {document.title}"[:LONGEST_TEXT],
        "REFERENCE6": document.reverses,
        "REFERENCE10": line.description[:LONGEST_TEXT],
    }
    side = "ENTERED_DR" if line.side == "debit" else "ENTERED_CR"
    return {name: inert(text) for name, text in texts.items()} | {side: amount}
