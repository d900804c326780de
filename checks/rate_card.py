"""Checks of rate_card."""

import polars as pl

from chargeback.contracts.rate_card import RATE_CARD
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


CHECKS = (
    Check("rate_card_valid", RATE_CARD, "One card prices the month, in the lake's currency.", foreign_or_mixed_prices,
          stops="run"),
)  # fmt: skip
