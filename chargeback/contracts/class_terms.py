"""On what terms the customer classes of a month's card are posted, as contracts.rate_card holds them in class_terms.

Not here: what a class pays (pricing/class_prices.py), which entries wait for terms (ledger/held_entries.py).
"""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass

import polars as pl

OUTSIDE = ("external", "intercompany")
"""Kinds that are outside the platform's company: they may pay more, and are posted with a tax code."""


@dataclass(frozen=True, slots=True)
class ClassTerms:
    """Terms of one class. `mark_up` is empty where the card states none; `0 %` is a mark-up. Amounts are net of tax."""

    kind: str
    mark_up: str = ""
    tax_code: str = ""

    @property
    def is_outside(self) -> bool:
        """Whether its owners are no part of the platform's company."""
        return self.kind in OUTSIDE

    @property
    def missing(self) -> tuple[str, ...]:
        """What finance has not stated yet, in the card's words."""
        return tuple(name for name, value in (("mark_up", self.mark_up), ("tax_code", self.tax_code)) if not value)


def spelled_class_terms(terms: Mapping[str, ClassTerms]) -> str | None:
    """JSON of class -> terms; None for a card without classes."""
    spelled = {name: asdict(of_class) for name, of_class in terms.items()}
    return json.dumps(spelled, sort_keys=True, ensure_ascii=False) if spelled else None


def class_terms(prices: pl.DataFrame) -> Mapping[str, ClassTerms]:
    """Class -> its terms, of contracts.rate_card of one month; none where the card has no classes."""
    spelled = prices["class_terms"].drop_nulls().unique().to_list()
    return {name: ClassTerms(**terms) for each in spelled for name, terms in json.loads(each).items()}
