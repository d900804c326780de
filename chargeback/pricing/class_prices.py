"""What the owner's customer class pays, in the place of what the card states for everybody.

Not here: by what a class differs (customer_classes.py), who belongs to which (ownership.py, column customer_class).
"""

import json
from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction

import orjson
import polars as pl

from chargeback.contracts.contract import PRICE
from chargeback.pricing.customer_classes import class_price
from chargeback.pricing.rate_card import RateCard
from chargeback.pricing.stated_price import StatedPrice, hourly_price

CLASS_PRICES = {
    "accelerator": pl.String(),
    "tier": pl.String(),
    "customer_class": pl.String(),
    "class_price": PRICE,
}
"""One row per accelerator (or slice), tier and customer class of the card: its price per hour."""


def spelled_class_prices(card: RateCard, stated: StatedPrice, *, hours_in_month: Fraction) -> str | None:
    """JSON of class -> its price per hour, as contracts.rate_card holds it; None for a card without classes."""
    if not card.customer_classes:
        return None
    paid = {
        each.name: hourly_price(
            replace(stated, price=class_price(stated, each, card.build_ups, scale=card.rate_scale)),
            hours_in_month=hours_in_month,
        )
        for each in card.customer_classes
    }
    return json.dumps({name: f"{paid[name].normalize():f}" for name in sorted(paid)}, ensure_ascii=False)


def class_prices(prices: pl.DataFrame) -> pl.DataFrame:
    """CLASS_PRICES of contracts.rate_card; none where the card has no classes."""
    return pl.DataFrame(list(_prices_by_class(prices)), schema=CLASS_PRICES, orient="row")


def with_class_prices(rows: pl.DataFrame, prices: pl.DataFrame) -> pl.DataFrame:
    """The rows, each at the price of its owner's class.

    Input:   accelerator, tier, customer_class and the stated price of each row (null: the card has none that fits);
             contracts.rate_card of the month.
    Output:  an owner without a class pays what is stated, and so does everybody under a card without classes. A class
             that the card does not know has no price: a finding, and a blocked month, never the price of another.
    """
    by_class = class_prices(prices)
    if by_class.is_empty():
        return rows
    joined = rows.join(by_class, on=["accelerator", "tier", "customer_class"], how="left", validate="m:1")
    is_priced = pl.col("price").is_not_null()
    of_class = pl.when(pl.col("customer_class") == "").then("price").otherwise("class_price")
    return joined.with_columns(price=pl.when(is_priced).then(of_class)).drop("class_price")


def _prices_by_class(prices: pl.DataFrame) -> Iterator[tuple[str, str, str, Decimal]]:
    for accelerator, tier, spelled in prices.select("accelerator", "tier", "class_prices").iter_rows():
        for name, price in (orjson.loads(spelled) if spelled else {}).items():
            yield accelerator, tier, name, Decimal(price)
