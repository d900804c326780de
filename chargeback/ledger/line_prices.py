"""The effective price of statement lines against the rate card. Not here: whether quantities are right."""

from decimal import Decimal
from fractions import Fraction
from typing import Any

import orjson
import polars as pl

from chargeback.money import SECONDS_PER_HOUR, fraction_of


def line_price_findings(lines: pl.DataFrame, prices: pl.DataFrame) -> list[tuple[str, str, str]]:
    """(line, what the card states, what the line has) of every line that differs from contracts.rate_card of its month.

    An owner of a customer class pays that class's price, where the card has classes. Compared are
    version, currency, the price on the line, and the price that follows from it: unrounded amount over hours. A
    quantity of nothing has no effective price.
    """
    card = {
        (row["accelerator"], row["tier"]): row
        for row in prices.select("accelerator", "tier", "price", "card_version", "currency", "class_prices").iter_rows(
            named=True
        )
    }
    found = []
    for line in lines.iter_rows(named=True):
        stated = _of_class(card.get((line["accelerator"], line["tier"])), line["customer_class"])
        key = f"line {line['line_id']}"
        if stated is None:
            wanted = f"a price for {line['accelerator']} {line['tier']}"
            found.append((key, wanted, f"{_plain(line['price'])} on the line, none in the card"))
            continue
        for name in ("price", "card_version", "currency"):
            if line[name] != stated[name]:
                found.append((key, f"{name} {_plain(stated[name])}", f"{_plain(line[name])}"))
        effective = _effective_price(line["quantity"], line["exact_amount"])
        if effective is not None and effective != fraction_of(stated["price"]):
            found.append((key, f"effective price {_plain(stated['price'])}", f"{effective} per hour"))
    return found


def _of_class(stated: dict[str, Any] | None, customer_class: str) -> dict[str, Any] | None:
    """What the card states for a class; None where it prices neither this nor this class."""
    if stated is None or not stated["class_prices"] or not customer_class:
        return stated
    price = orjson.loads(stated["class_prices"]).get(customer_class)
    return None if price is None else {**stated, "price": Decimal(price)}


def _effective_price(quantity: str, exact_amount: str) -> Fraction | None:
    seconds = Fraction(quantity)
    return Fraction(exact_amount) * SECONDS_PER_HOUR / seconds if seconds else None


def _plain(value: Decimal | str) -> str:
    return f"{value.normalize():f}" if isinstance(value, Decimal) else value
