"""What a statement says of lines that may not be posted yet: how much, and what finance has to state first.

They are charged like any other and in every total. A document without one has no such part. Not here: the rule
(held_entries.py).
"""

from decimal import Decimal

import polars as pl

from chargeback.ledger.corrections import booked_of
from chargeback.ledger.held_entries import PostingTerms
from chargeback.ledger.plain_numbers import plain_amount
from chargeback.ledger.statement_document import Document
from chargeback.money import Currency


def held_document(
    document: Document, lines: pl.DataFrame, corrections: pl.DataFrame, terms: PostingTerms, currency: Currency
) -> Document:
    """A document of a team or of the estate with `held_entries`: amount, net of tax, and line count by reason.

    Input: its contracts.team_charges and corrections of the month; a row that is accumulated is not held, nor booked.
    """
    columns = ("company", "customer_class", "amount")
    amounts: dict[str, list[Decimal]] = {}
    for company, customer_class, amount in pl.concat(
        [lines.select(columns), booked_of(corrections).select(columns)]
    ).iter_rows():
        if why := terms.why_held(company, customer_class):
            amounts.setdefault(why, []).append(amount)
    if not amounts:
        return document
    return {
        **document,
        "held_entries": [
            {"why": why, "amount": plain_amount(sum(of, Decimal(0)), currency), "line_count": len(of)}
            for why, of in sorted(amounts.items())
        ],
    }
