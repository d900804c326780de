"""Who pays how much more or less at a candidate card, as one document: for the terminal, the page and its picture.

Not here: what the card makes of usage (chargeback/pricing/repricing.py), how the page looks (rerating_page.py).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

import polars as pl

from chargeback.ledger.csv_text import render_csv
from chargeback.ledger.plain_numbers import decimal_text, hours_text, plain_amount, plain_price
from chargeback.ledger.recomputed_figures import Change, Figures, changes_by, charged_figures, total_change
from chargeback.ledger.statement_document import Document, accelerator_name
from chargeback.money import Currency

MONTH, TEAM, ACCELERATOR = 0, 1, 3
"""Places in the key of what is charged (recomputed_figures.py)."""

RATE = ("price", "price_unit", "billing_weight_numerator", "billing_weight_denominator", "currency", "class_prices")
"""What an hour costs by a row of contracts.rate_card; version and signature are no part of it."""

CSV_HEADER = ("status", "by", "name", "gpu_hours", "before", "after", "difference", "per_cent")


@dataclass(frozen=True, slots=True)
class RatedMonth:
    """A billed month at both cards: its lines, its prices, and whether it may still change."""

    month: str
    is_closed: bool
    lines: pl.DataFrame
    new_lines: pl.DataFrame
    prices: pl.DataFrame
    new_prices: pl.DataFrame

    @property
    def rates_change(self) -> bool:
        """Whether any resolved rate differs."""
        return bool(rate_changes(self.prices, self.new_prices))


def rate_changes(prices: pl.DataFrame, new_prices: pl.DataFrame) -> list[tuple[str, str, str, str]]:
    """(accelerator, tier, rate before, rate after) of every resolved rate that differs, in order; empty: none."""
    then, now = _rates(prices), _rates(new_prices)
    keys = sorted(key for key in {*then, *now} if then.get(key) != now.get(key))
    return [(*key, _rate_text(then.get(key)), _rate_text(now.get(key))) for key in keys]


def rerating(
    months: Sequence[RatedMonth],
    *,
    cards: Sequence[str],
    unsigned: Sequence[str],
    other_card_only: Sequence[str],
    currency: Currency,
) -> Document:
    """The document. Rows of a table add up to its total; open months and closed ones are told apart.

    Input:   the months whose resolved rates change, in order; the versions of the cards in force in them; why those are
             unsigned that finance has not signed; months in which a card of another version or signature has equal
             rates.
    """
    return {
        "currency": currency.code,
        "cards": list(cards),
        "unsigned": list(unsigned),
        "is_signed": not unsigned,
        "rates": _rate_rows(months),
        "open": _part([each for each in months if not each.is_closed], currency),
        "closed": _part([each for each in months if each.is_closed], currency),
        "other_card_only": list(other_card_only),
    }


def render_rerating_csv(document: Document) -> bytes:
    """Every row of every table, and the totals."""
    rows = []
    for status in ("open", "closed"):
        part = document[status]
        for by in ("months", "teams", "accelerators"):
            rows += [_csv_row(status, by.removesuffix("s"), row) for row in part[by]]
        rows.append(_csv_row(status, "total", part["total"]))
    return render_csv(CSV_HEADER, rows)


def _csv_row(status: str, by: str, row: Document) -> list[str | Decimal]:
    figures = (row[name] for name in ("hours", "before", "after", "difference"))
    return [status, by, row["name"], *map(Decimal, figures), Decimal(row["per_cent"]) if row["per_cent"] else ""]


def _part(months: Sequence[RatedMonth], currency: Currency) -> Document:
    before: Figures = {key: each for month in months for key, each in charged_figures(month.lines).items()}
    after: Figures = {key: each for month in months for key, each in charged_figures(month.new_lines).items()}
    teams = changes_by(before, after, (TEAM,))
    return {
        "months": [_row(change, change.key[0], currency) for change in changes_by(before, after, (MONTH,))],
        "teams": [_row(change, change.key[0], currency) for change in teams],
        "accelerators": [
            _row(change, accelerator_name(change.key[0]), currency)
            for change in changes_by(before, after, (ACCELERATOR,))
        ],
        "total": _row(total_change(teams), "total", currency),
    }


def _row(change: Change, name: str, currency: Currency) -> Document:
    before, after = change.before.amount, change.after.amount
    share = Fraction(after - before) / Fraction(before) * 100 if before else None
    return {
        "name": name,
        "hours": hours_text(change.after.gpu_seconds),
        "before": plain_amount(before, currency),
        "after": plain_amount(after, currency),
        "difference": plain_amount(after - before, currency),
        "per_cent": decimal_text(share, decimals=1) if share is not None else "",
    }


def _rate_rows(months: Sequence[RatedMonth]) -> list[Document]:
    """Each rate that changes, once for all months in which it changes alike."""
    alike: dict[tuple[str, str, str, str], list[str]] = {}
    for each in months:
        for change in rate_changes(each.prices, each.new_prices):
            alike.setdefault(change, []).append(each.month)
    return [
        {"accelerator": change[0], "name": accelerator_name(change[0]), "tier": change[1], "before": change[2],
         "after": change[3], "months": alike[change]}
        for change in sorted(alike)
    ]  # fmt: skip


def _rates(prices: pl.DataFrame) -> dict[tuple[str, str], Document]:
    return {
        (row["accelerator"], row["tier"]): {name: row[name] for name in RATE} for row in prices.iter_rows(named=True)
    }


def _rate_text(rate: Document | None) -> str:
    if rate is None:
        return ""
    weight = rate["billing_weight_numerator"]
    of_gpu = f" × {weight}/{rate['billing_weight_denominator']}" if weight is not None else ""
    return f"{plain_price(rate['price'])}{of_gpu} {rate['currency']}/{rate['price_unit']}"
