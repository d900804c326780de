"""What a statement says of corrections: a section of its own, and what they do to total and change.

A month that corrects nothing has no such part, and its document is what it was. Not here: the corrections themselves.
"""

from decimal import Decimal
from fractions import Fraction
from typing import Any

import polars as pl

from chargeback.ledger.corrections import accumulated_of, booked_of, booked_total
from chargeback.ledger.plain_numbers import hours_text, plain_amount, plain_price
from chargeback.ledger.statement_document import Document
from chargeback.ledger.statement_parts import line_name
from chargeback.money import Currency

NAMED = (
    "line_id", "corrects_month", "cost_centre", "project", "company", "cluster", "accelerator", "tier", "kind",
    "quantity_unit", "reason", "needs_approval", "approval",
)  # fmt: skip


def corrected_document(document: Document, corrections: pl.DataFrame, currency: Currency) -> Document:
    """A document of a team or of the estate with what is booked for closed months in its total.

    Input:   its contracts.corrections of the month. `total` becomes lines plus booked corrections; what accumulates is
             listed and in no total. Without corrections the document stays as it is.
    """
    if corrections.is_empty():
        return document
    booked, waiting = booked_of(corrections), accumulated_of(corrections)
    total = Decimal(document["total"]) + booked_total(corrections)
    return {
        **document,
        "total": plain_amount(total, currency),
        "corrections": {
            "lines_total": document["total"],
            "total": plain_amount(booked_total(corrections), currency),
            "rows": _rows(booked, currency),
            "accumulated": _rows(waiting, currency),
            "accumulated_total": plain_amount(sum(waiting["amount"], Decimal(0)), currency),
        },
    }


def corrected_change(change: Document, now: pl.DataFrame, before: pl.DataFrame, currency: Currency) -> Document:
    """The comparison with last month, with what corrections in either month do to it; as it was where there are none.

    Input: the team's contracts.corrections of the month and of the month before.
    """
    earlier, effect = booked_total(before), booked_total(now) - booked_total(before)
    if not change["has_previous"] or not (len(now) or len(before)):
        return change
    return {
        **change,
        "previous_total": plain_amount(Decimal(change["previous_total"]) + earlier, currency),
        "difference": plain_amount(Decimal(change["difference"]) + effect, currency),
        "corrections_effect": plain_amount(effect, currency),
    }


def _rows(corrections: pl.DataFrame, currency: Currency) -> list[Document]:
    ordered = sorted(
        corrections.iter_rows(named=True), key=lambda row: (row["corrects_month"], -abs(row["amount"]), row["line_id"])
    )
    return [
        {
            **{name: row[name] for name in NAMED},
            "name": line_name(row),
            "stood_hours": hours_text(Fraction(row["stood_quantity"])),
            "fresh_hours": hours_text(Fraction(row["fresh_quantity"])),
            "stood_price": _price(row["stood_price"]),
            "fresh_price": _price(row["fresh_price"]),
            "stood_amount": plain_amount(row["stood_amount"], currency),
            "fresh_amount": plain_amount(row["fresh_amount"], currency),
            "amount": plain_amount(row["amount"], currency),
        }
        for row in ordered
    ]


def _price(price: Any) -> str:
    return "" if price is None else plain_price(price)
