"""A statement as a PDF: for the file, the printer and the mail. Equal documents make equal bytes.

Drawn by typst with the fonts in its wheel and none of the machine's, without a date and without a network. What a
document says is text to it, never markup. Not here: any figure; the page prints what the document says.
"""

import json
from functools import cache
from importlib import resources

import typst

from chargeback.ledger.charts import STATE_SHADES
from chargeback.ledger.statement_document import month_before, month_name, read_document


def render_pdf(document: str) -> bytes:
    """The paper of one statement document: what a team pays and why on the first page, then how each line is made."""
    statement = read_document(document)
    drawn = _compiler().compile(
        _template(),
        format="pdf",
        sys_inputs={
            "document": document,
            "shades": json.dumps(STATE_SHADES, sort_keys=True),
            "month": month_name(statement["month"]),
            "previous_month": month_name(month_before(statement["month"])),
        },
    )
    if not isinstance(drawn, bytes):
        raise TypeError(f"typst drew a {type(drawn).__name__}, not one PDF")
    return drawn


@cache
def _compiler() -> typst.Compiler:
    return typst.Compiler(ignore_system_fonts=True)


@cache
def _template() -> bytes:
    return resources.files("chargeback.ledger").joinpath("statement.typ").read_bytes()
