"""`chargeback rate-card diff`: what a new card changes against an old one, price by price and component by component.

Not here: who pays how much more, which needs usage.
"""

import json
import sys
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

from rich.console import Console

from chargeback.ledger.csv_text import render_csv
from chargeback.ledger.plain_numbers import decimal_text
from chargeback.ledger.statement_document import Document
from chargeback.pricing.card_difference import Change, component_changes, price_changes
from chargeback.pricing.rate_card import RateCard
from orchestration.rate_card_file import card_of_file
from orchestration.rate_card_tables import print_difference
from resources.setting_kinds import SettingsRefused, one_of

FORMATS = ("table", "json", "csv")
HEADER = ("accelerator", "kind", "name", "unit", "before", "after", "difference", "per_cent")
DECIMALS = 6


def show_card_difference(old: Path, new: Path, *, output: str) -> None:
    """Print what changed. Raises SettingsRefused for a format, a file or two currencies, PeopleRefused for no card."""
    one_of(output, FORMATS, "--format")
    document = difference_document(card_of_file(old), card_of_file(new))
    if output == "json":
        sys.stdout.write(json.dumps(document, ensure_ascii=False, sort_keys=True) + "\n")
    elif output == "csv":
        sys.stdout.buffer.write(_csv(document))
    else:
        print_difference(document, Console(soft_wrap=True, highlight=False))


def difference_document(before: RateCard, after: RateCard) -> Document:
    """Two cards beside each other, as texts. Raises SettingsRefused if they are in two currencies."""
    if before.currency != after.currency:
        raise SettingsRefused(
            f"rate card {before.version} is in {before.currency}, {after.version} in {after.currency}: prices in two "
            "currencies cannot be compared"
        )
    prices = [_row(change) for change in price_changes(before, after)]
    return {
        "before": before.version,
        "after": after.version,
        "currency": after.currency,
        "changed": sum(row["changed"] for row in prices),
        "prices": prices,
        "components": [_row(change) for change in component_changes(before, after)],
    }


def _row(change: Change) -> Document:
    share = change.share
    return {
        "accelerator": change.accelerator,
        "name": change.name,
        "unit": change.unit,
        "before": _text(change.before),
        "after": _text(change.after),
        "difference": _text(change.difference),
        "per_cent": decimal_text(share * 100, decimals=2) if share is not None else "",
        "changed": change.is_change,
    }


def _text(number: Fraction | None) -> str:
    return "" if number is None else decimal_text(number, decimals=DECIMALS)


def _csv(document: Document) -> bytes:
    figures = ("before", "after", "difference", "per_cent")
    rows = [
        (
            *(row["accelerator"], kind, row["name"], row["unit"]),
            *(Decimal(row[name]) if row[name] else "" for name in figures),
        )
        for kind in ("price", "component")
        for row in document[f"{kind}s"]
    ]  # fmt: skip
    return render_csv(HEADER, rows)
