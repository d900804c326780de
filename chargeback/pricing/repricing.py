"""Rated usage at another card: what a month would cost at prices that are not in force yet. No telemetry is read.

Not here: which months a card concerns, and lines (chargeback/ledger/charges.py).
"""

import polars as pl

from chargeback.contracts.names import ALLOCATION, PLATFORM_OPERATIONS, RESERVED_UNUSED
from chargeback.pricing.card_match import with_card
from chargeback.pricing.class_prices import with_class_prices
from chargeback.pricing.exact_quantities import times

_OF_THE_CARD = ("price", "card_version", "quantity_unit")


def reprice(rated: pl.DataFrame, prices: pl.DataFrame, new_prices: pl.DataFrame) -> pl.DataFrame:
    """The same usage at `new_prices`, exactly as rating it anew would have it.

    Input:   contracts.rated_usage, or those columns of it that lines are made of, rated with `prices`;
             both of contracts.rate_card of its month.
    Output:  the same columns, with price, card_version and quantity_unit, and the same order. A slice's quantity is
             freed of the old card's weight and takes the new one's.
             What is forgiven moves with it; of usage that had no price before it is not known yet, and none is given.
    """
    of_month = with_card(rated.drop(_OF_THE_CARD, strict=False), prices)
    unweighted = times(
        of_month, "quantity", numerator=pl.col("weight_denominator"), denominator=pl.col("weight_numerator")
    ).drop(*_OF_THE_CARD, "weight_numerator", "weight_denominator")
    matched = with_card(unweighted, new_prices)
    weighted = times(
        matched, "quantity", numerator=pl.col("weight_numerator"), denominator=pl.col("weight_denominator")
    )
    is_own = pl.col("kind") == PLATFORM_OPERATIONS
    classed = with_class_prices(weighted, new_prices).with_columns(
        price=pl.when(~is_own).then("price"), card_version=pl.when(~is_own).then("card_version")
    )
    stands = pl.col("kind").is_in((ALLOCATION, RESERVED_UNUSED, PLATFORM_OPERATIONS))
    columns = dict.fromkeys((*rated.columns, *_OF_THE_CARD))
    return classed.filter(stands | pl.col("price").is_not_null()).select(*columns)
