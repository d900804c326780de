"""Which card is in force in a month, and its prices with every unit resolved to hours. Not here: reading a card."""

from collections.abc import Sequence
from fractions import Fraction

import polars as pl

from chargeback.billing_period import BillingPeriod
from chargeback.contracts.class_terms import spelled_class_terms
from chargeback.contracts.rate_card import RATE_CARD
from chargeback.money import SECONDS_PER_HOUR
from chargeback.pricing.card_policies import spelled_policies
from chargeback.pricing.class_prices import spelled_class_prices
from chargeback.pricing.rate_card import CardRefused, RateCard
from chargeback.pricing.stated_price import hourly_price


def card_in_force(
    cards: Sequence[RateCard], *, period: BillingPeriod, currency: str | None = None
) -> RateCard | CardRefused:
    """The card of a month: of all that cover it, the highest version; the order of `cards` changes nothing.

    Refused: no card covers the month; one version with two contents; another currency than the lake's, if that is given
    (nothing is converted). The same content landed twice is one card.
    """
    covering = [
        card
        for card in cards
        if card.effective_from <= period.month and (card.effective_to is None or period.month < card.effective_to)
    ]
    if not covering:
        known = ", ".join(sorted(f"{card.version} ({_dates(card)})" for card in cards)) or "none at all"
        return CardRefused((f"no rate card is in force in {period.month}; known: {known}: land one that covers it",))
    highest = max(card.order for card in covering)
    candidates = sorted((card for card in cards if card.order == highest), key=lambda card: card.object_key)
    if len({card.sha256 for card in candidates}) > 1:
        places = " and ".join(card.object_key for card in candidates)
        return CardRefused(
            (f"rate card {candidates[0].version} has two contents, in {places}: give the newer one a higher version",)
        )
    card = candidates[0]
    if currency is not None and card.currency != currency:
        stated = f"rate card {card.version} ({card.object_key}) is in {card.currency}, the lake bills in {currency}"
        return CardRefused((f"{stated}: state it in {currency}, nothing is converted",))
    return card


def prices_of_month(card: RateCard, *, period: BillingPeriod) -> pl.DataFrame:
    """contracts.rate_card: one row per accelerator (or slice) and tier, each price per hour.

    `month` is divided by the hours of that billing month (743 where the clock moves forward, 744.5 and so on),
    `month_730` by 730. Hourly prices stay as stated. A quotient that does not terminate is rounded once, half-even, to
    12 decimals: half of 10^-12 per hour, so that no month of fewer than ten million GPUs is a cent off.
    A slice with a billing weight keeps the GPU's price and carries the weight: the quantity is weighted, exactly, and
    no product is rounded.
    """
    hours = Fraction(period.interval.seconds, SECONDS_PER_HOUR)
    rows = [
        {
            "month": period.month,
            "card_version": card.version,
            "accelerator": stated.accelerator,
            "tier": stated.tier,
            "price": hourly_price(stated, hours_in_month=hours),
            "price_unit": "slice-hour" if stated.unit == "slice-hour" else "GPU-hour",
            "billing_weight_numerator": stated.billing_weight.numerator if stated.billing_weight else None,
            "billing_weight_denominator": stated.billing_weight.denominator if stated.billing_weight else None,
            "stated_price": stated.price,
            "stated_unit": stated.unit,
            "class_prices": spelled_class_prices(card, stated, hours_in_month=hours),
            "class_terms": spelled_class_terms({each.name: each.terms for each in card.customer_classes}),
            "policies": spelled_policies(card.policies),
            "currency": card.currency,
            "is_signed": card.is_signed,
            "signature": card.signature,
            "card_sha256": card.sha256,
            "object": card.object_key,
        }
        for stated in card.prices
    ]
    return pl.DataFrame(rows, schema=RATE_CARD.schema, orient="row").sort(RATE_CARD.key)


def _dates(card: RateCard) -> str:
    return f"{card.effective_from} to {card.effective_to or 'open'}"
