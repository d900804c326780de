"""CSV by RFC 4180 in which a text cell cannot run as a formula when a spreadsheet opens it.

Numbers must be given as Decimal or int and stay numbers; everything else is text. Not here: what the columns are.
"""

import csv
import io
import unicodedata
from collections.abc import Iterable, Sequence
from decimal import Decimal

FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n")


def inert(text: str) -> str:
    """The text, behind an apostrophe where a spreadsheet would take it for a formula (full-width signs included)."""
    is_formula = unicodedata.normalize("NFKC", text[:1]).startswith(FORMULA_STARTS)
    return f"'{text}" if text and is_formula else text


def render_csv(header: Sequence[str], rows: Iterable[Sequence[str | int | Decimal]]) -> bytes:
    """UTF-8, CRLF, quotes where needed; numbers as plain digits without exponent."""
    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(header)
    writer.writerows([_cell(cell) for cell in row] for row in rows)
    return out.getvalue().encode()


def _cell(cell: str | int | Decimal) -> str:
    if isinstance(cell, str):
        return inert(cell)
    return f"{cell:f}" if isinstance(cell, Decimal) else str(cell)
