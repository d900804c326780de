"""What a check asks of credits: that nothing is forgiven that was not charged, and nothing twice.

Not here: what is forgiven (pricing/credits.py), the cents of a credit line (charges.py).
"""

from collections import defaultdict
from decimal import Decimal
from fractions import Fraction

import polars as pl

from chargeback.contracts.names import CREDIT_KINDS
from chargeback.contracts.rated_usage import RATED_USAGE

_ROW = [name for name in RATED_USAGE.key if name != "kind"]
_COUNTED = ("quantity_numerator", "quantity_denominator", "price")


def credit_findings(rated: pl.DataFrame) -> list[tuple[str, str, str]]:
    """(where, expected, observed) of rows whose sign is not their kind's, then of usage forgiven beyond what it was.

    Input:   contracts.rated_usage of a month. Credits of one row add up to at most its quantity, at its price.
    """
    is_credit = pl.col("kind").is_in(CREDIT_KINDS)
    numerator = pl.col("quantity_numerator")
    wrong = rated.filter(pl.when(is_credit).then(numerator >= 0).otherwise(numerator < 0)).sort(RATED_USAGE.key)
    told = [
        (_place(row), "below zero on a credit, nowhere else", f"{row['kind']} of {row['quantity_numerator']}")
        for row in wrong.iter_rows(named=True)
    ]
    forgiven = rated.filter(is_credit)
    charged = _sums(rated.filter(~is_credit).join(forgiven, on=_ROW, how="semi").sort(RATED_USAGE.key))
    for place, (quantity, prices) in _sums(forgiven.sort(RATED_USAGE.key)).items():
        of, at = charged.get(place, (Fraction(0), set()))
        if -quantity > of or prices != at:
            told.append(
                (
                    place,
                    f"at most {of} forgiven, at {_plain(at)}",
                    f"{-quantity} forgiven, at {_plain(prices)}: materialise rated_usage again",
                )
            )
    return told


def _sums(rows: pl.DataFrame) -> dict[str, tuple[Fraction, set[Decimal]]]:
    quantities: dict[str, Fraction] = defaultdict(Fraction)
    prices: dict[str, set[Decimal]] = defaultdict(set)
    for row in rows.select(*_ROW, *_COUNTED).iter_rows(named=True):
        place = _place(row)
        quantities[place] += Fraction(row["quantity_numerator"], row["quantity_denominator"])
        prices[place].add(row["price"])
    return {place: (quantities[place], prices[place]) for place in quantities}


def _place(row: dict[str, object]) -> str:
    return " ".join(str(row[name]) for name in _ROW if row[name])


def _plain(prices: set[Decimal]) -> str:
    return ", ".join(f"{price.normalize():f}" for price in sorted(prices)) or "no price"
