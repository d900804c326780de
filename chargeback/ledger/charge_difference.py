"""Two states of charges beside each other, as texts: the terminal, JSON and CSV print nothing but this.

Not here: why lines differ (charge_causes.py), where a state is found.
"""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from fractions import Fraction

import polars as pl

from chargeback.ledger.charge_causes import CAUSES, LINE, LineChange, LineFigures, total_causes
from chargeback.ledger.credit_parts import kind_name
from chargeback.ledger.csv_text import render_csv
from chargeback.ledger.plain_numbers import hours_text, plain_amount, plain_price
from chargeback.ledger.statement_document import Document, accelerator_name
from chargeback.money import Currency

FIGURES = ("hours", "rate", "amount")
CSV_HEADER = (
    "line_before", "line_after", *LINE, *(f"{name}_{side}" for name in FIGURES for side in ("before", "after")),
    "hours_difference", "difference", *(f"because_of_{cause}" for cause in CAUSES),
)  # fmt: skip


def difference_of_charges(
    changes: Sequence[LineChange],
    before: pl.DataFrame,
    after: pl.DataFrame,
    *,
    states: tuple[Mapping[str, str], Mapping[str, str]],
    currency: Currency,
) -> Document:
    """The document: `rows` are the lines that differ, of which causes add up to differences and these to the total.

    Input:   line_changes of contracts.team_charges `before` and `after`; what each state is called, as texts.
    """
    totals = [sum(lines["amount"], Decimal(0)) for lines in (before, after)]
    return {
        "before": dict(states[0]),
        "after": dict(states[1]),
        "currency": currency.code,
        "line_count_before": len(before),
        "line_count_after": len(after),
        "rows": [_row(change, currency) for change in changes],
        "total_before": plain_amount(totals[0], currency),
        "total_after": plain_amount(totals[1], currency),
        "difference": plain_amount(totals[1] - totals[0], currency),
        "causes": {cause: plain_amount(amount, currency) for cause, amount in total_causes(changes).items()},
        "teams": _teams(changes, currency),
    }


def render_difference_csv(document: Document) -> bytes:
    """One row per line that differs; a side without the line has empty cells."""
    figures = CSV_HEADER[CSV_HEADER.index("hours_before") :]
    rows = [
        [
            *(row[name] for name in ("line_before", "line_after", *LINE)),
            *(Decimal(row[name]) if row[name] else "" for name in figures),
        ]
        for row in document["rows"]
    ]
    return render_csv(CSV_HEADER, rows)


def _row(change: LineChange, currency: Currency) -> Document:
    key = dict(zip(LINE, change.key, strict=True))
    quantities = [side.quantity if side else Fraction(0) for side in (change.before, change.after)]
    return {
        **key,
        "name": f"{key['team']} · {accelerator_name(key['accelerator'])} · {key['tier']} · {key['cluster']}",
        "kind_name": kind_name(key["kind"]),
        **_side("before", change.before, currency),
        **_side("after", change.after, currency),
        "hours_difference": hours_text(quantities[1] - quantities[0]),
        "difference": plain_amount(change.difference, currency),
        **{f"because_of_{cause}": plain_amount(change.causes.get(cause, Decimal(0)), currency) for cause in CAUSES},
    }


def _side(side: str, line: LineFigures | None, currency: Currency) -> Document:
    return {
        f"line_{side}": line.line_id if line else "",
        f"hours_{side}": hours_text(line.quantity) if line else "",
        f"rate_{side}": plain_price(line.price) if line else "",
        f"amount_{side}": plain_amount(line.amount, currency) if line else "",
    }


def _teams(changes: Sequence[LineChange], currency: Currency) -> list[Document]:
    """Every team of which a line differs, by name, with the sum of its differences and their causes."""
    own: dict[str, list[LineChange]] = {}
    for change in changes:
        own.setdefault(change.key[LINE.index("team")], []).append(change)
    return [
        {
            "team": team,
            "difference": plain_amount(sum((each.difference for each in own[team]), Decimal(0)), currency),
            "causes": {cause: plain_amount(amount, currency) for cause, amount in total_causes(own[team]).items()},
        }
        for team in sorted(own)
    ]
