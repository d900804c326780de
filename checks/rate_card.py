"""Checks of rate_card."""

import polars as pl

from chargeback.contracts.rate_card import RATE_CARD
from chargeback.ledger.postings import unsigned_cards
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


CHECKS = (
    Check("rate_card_valid", RATE_CARD, "One card prices the month, in the lake's currency.", foreign_or_mixed_prices,
          stops="run"),
    Check("rate_card_signed", RATE_CARD, "In enforced mode the card that prices the month is signed by finance.",
          unsigned_prices, stops="certificate"),
)  # fmt: skip
