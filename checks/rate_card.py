"""Checks of rate_card."""

from collections.abc import Iterator

import polars as pl

from chargeback.contracts.rate_card import RATE_CARD
from chargeback.ledger.postings import unsigned_cards
from chargeback.pricing.card_policies import policies_not_kept
from chargeback.pricing.customer_classes import unequal_classes
from chargeback.pricing.policies_in_force import policies_in_force, stated_policies
from chargeback.pricing.rate_card import RateCard, read_rate_card
from checks.gate import Check, Outcome, Reading, findings_of


def foreign_or_mixed_prices(reading: Reading) -> Outcome:
    """Prices in another currency than the lake's, or of more than one card version."""
    rows = reading.table(RATE_CARD).collect()
    currency = reading.settings.currency_code
    told = [
        (accelerator, currency, other)
        for accelerator, other in rows.filter(pl.col("currency") != currency)
        .select("accelerator", "currency")
        .iter_rows()
    ]
    versions = sorted(rows["card_version"].unique())
    if len(versions) != 1:
        told.append(("card_version", "one version", ", ".join(versions) or "none"))
    return Outcome(findings_of(told), {"prices": len(rows)})


def unsigned_prices(reading: Reading) -> Outcome:
    """Cards that would price postings without a signature that counts. A parallel month may show one, watermarked."""
    rows = reading.table(RATE_CARD).collect()
    told = unsigned_cards(rows, mode=reading.settings.mode)
    return Outcome(findings_of(told), {"unsigned_prices": len(rows.filter(~pl.col("is_signed")))})


def customer_classes_that_pay_more(reading: Reading) -> Outcome:
    """Internal and federal customer classes of the card in force that pay more than an internal one for the same."""
    told: list[tuple[str, str, str]] = []
    classes = 0
    for object_key, card in cards_that_price(reading):
        if card is None:
            told.append((object_key, "the card that the month was priced from", "gone from landing/, or another now"))
            continue
        classes += len(card.customer_classes)
        told += unequal_classes(card.prices, card.customer_classes, card.build_ups, scale=card.rate_scale)
    return Outcome(findings_of(told), {"customer_classes": classes})


def policies_that_are_not_kept(reading: Reading) -> Outcome:
    """Policies that the card in force states, of credits and of blocked time, and that the month does not keep."""
    stated = stated_policies(reading.table(RATE_CARD).collect())
    done = policies_in_force(reading.settings.policies.money, stated).credits
    cards = [card for _, card in cards_that_price(reading) if card is not None]
    told = [finding for card in cards for finding in policies_not_kept(card.policies, done)]
    return Outcome(findings_of(told), {"cards_with_policies": sum(card.policies.is_stated for card in cards)})


def cards_that_price(reading: Reading) -> Iterator[tuple[str, RateCard | None]]:
    """Object and card of the month's prices; None if it is gone from landing/, or another now."""
    rows = reading.table(RATE_CARD).select("object", "card_sha256").unique().sort("object").collect()
    for object_key, sha256 in rows.iter_rows():
        card = _landed_card(reading, object_key)
        yield object_key, card if card is not None and card.sha256 == sha256 else None


def _landed_card(reading: Reading, object_key: str) -> RateCard | None:
    for landed in reading.landing.objects("rate-cards", None):
        if landed.key == object_key:
            card = read_rate_card(reading.landing.read(landed), object_key=object_key)
            return card if isinstance(card, RateCard) else None
    return None


CHECKS = (
    Check("rate_card_valid", RATE_CARD, "One card prices the month, in the lake's currency.", foreign_or_mixed_prices,
          stops="run"),
    Check("rate_card_signed", RATE_CARD, "In enforced mode the card that prices the month is signed by finance.",
          unsigned_prices, stops="certificate"),
    Check("customer_classes_equal", RATE_CARD, "No internal or federal class pays more than an internal one for the "
          "same.", customer_classes_that_pay_more, stops="run"),
    Check("card_policies_kept", RATE_CARD, "Credits and blocked time are as the card states them.",
          policies_that_are_not_kept, stops="certificate"),
)  # fmt: skip
