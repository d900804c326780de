"""Corrections: what the lines of a closed month would be today, less all that was said of them so far, line by line.

A closed month is never written again. The difference is found anew from the closed lines and the corrections that were
booked since, so nothing is forgotten and nothing is booked twice, in whatever order things arrive.
Not here: how the fresh lines are computed (assets/closed_months.py), what is booked and who must agree
(correction_policy.py), the journal (correction_entries.py).
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

import polars as pl

from chargeback.contracts.corrections import ACCUMULATED, BOOKED, CORRECTIONS
from chargeback.contracts.names import CREDIT_KINDS
from chargeback.ledger.charges import LINE_KEY

LATE_USAGE, OWNERSHIP, CARD, CREDIT_POLICY, RULES = (
    "late usage", "ownership", "card", "credit policy", "rules",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Basis:
    """What a computation of a month follows from: one sha256 for each kind of input."""

    usage: str
    ownership: str
    card: str
    credits: str
    rules: str

    def told(self) -> str:
        """Canonical JSON."""
        return json.dumps(asdict(self), sort_keys=True, separators=(",", ":"))

    @classmethod
    def read(cls, told: str) -> "Basis":
        """The same again."""
        return cls(**json.loads(told))


def causes_between(stood: Basis, fresh: Basis) -> tuple[str, ...]:
    """Which kinds of input differ."""
    named = {"usage": LATE_USAGE, "ownership": OWNERSHIP, "card": CARD, "credits": CREDIT_POLICY, "rules": RULES}
    return tuple(words for name, words in named.items() if getattr(stood, name) != getattr(fresh, name))


def stood_on(closed: Basis, booked: pl.DataFrame) -> Basis:
    """What all that was said of a month so far rests on: its latest booked correction, else its closing."""
    latest = booked.sort("month", "line_id")
    return Basis.read(latest["follows_from"][-1]) if len(latest) else closed


def is_settled(closed: Basis, said: pl.DataFrame, now: Basis) -> bool:
    """Whether a closed month need not be computed again: what was last computed of it follows from the same inputs.

    `said`: the month's rows of contracts.corrections, of all months before; where the latest of them left something to
    accumulate, it is found again.
    """
    latest = said.filter(pl.col("month") == pl.col("month").max())
    return stood_on(closed, booked_of(said)) == now and accumulated_of(latest).is_empty()


def correction_lines(
    closed: pl.DataFrame, booked: pl.DataFrame, fresh: pl.DataFrame, *, month: str, stood: Basis, now: Basis
) -> pl.DataFrame:
    """contracts.corrections of one closed month as `month` would book them, all of them booked and none to be approved.

    Input:   contracts.team_charges of the closed month as it stands and as it would be now; `booked`: the rows of
             contracts.corrections of that month with status booked, of all months before `month`; what both rest on.
    Output:  a row per line whose amount differs, in order of line_id: its amount is the fresh line less the closed line
             and what was booked of it, so that original plus corrections is the fresh computation, to the cent.
    Raises:  ValueError for a month that is not before the one that books.
    Source:  design.md 5.9; docs/decisions/0025.
    """
    said = _said(closed, booked)
    is_now = {line["line_id"]: line for line in fresh.iter_rows(named=True)}
    causes = causes_between(stood, now)
    rows = []
    for line_id in sorted({*said, *is_now}):
        before, after = said.get(line_id), is_now.get(line_id)
        stood_amount, fresh_amount = _amount(before), _amount(after)
        if stood_amount == fresh_amount:
            continue
        known = after or before or {}
        if known["month"] >= month:
            raise ValueError(f"{line_id} is of {known['month']}, which {month} cannot correct: it is not before it")
        rows.append(
            {
                **{name: known[name] for name in (*LINE_KEY, "customer_class", "quantity_unit", "currency")},
                "month": month,
                "corrects_month": known["month"],
                "line_id": line_id,
                "stood_quantity": before["quantity"] if before else "0",
                "fresh_quantity": after["quantity"] if after else "0",
                "stood_price": before["price"] if before else None,
                "fresh_price": after["price"] if after else None,
                "stood_amount": stood_amount,
                "fresh_amount": fresh_amount,
                "amount": fresh_amount - stood_amount,
                "reason": _reason(before, after, causes),
                "status": BOOKED,
                "stood_on": stood.told(),
                "follows_from": now.told(),
                "needs_approval": False,
                "approval": "",
            }
        )
    ordered = [{name: row[name] for name in CORRECTIONS.column_names} for row in rows]
    return pl.DataFrame(ordered, schema=CORRECTIONS.schema, orient="row")


def uncorrected_findings(
    closed: pl.DataFrame, corrections: pl.DataFrame, fresh: pl.DataFrame
) -> list[tuple[str, str, str]]:
    """Lines of a closed month where original plus corrections is not the fresh computation: line, expected, observed.

    Input:   contracts.team_charges of the month, closed and fresh; contracts.corrections of it: those booked in any
             month, and those that the latest month has accumulated.
    """
    said: dict[str, Decimal] = {}
    for line_id, amount in (
        *closed.select("line_id", "amount").iter_rows(),
        *corrections.select("line_id", "amount").iter_rows(),
    ):
        said[line_id] = said.get(line_id, Decimal(0)) + amount
    expected = dict(fresh.select("line_id", "amount").iter_rows())
    return [
        (line_id, f"{expected.get(line_id, Decimal(0)):f}", f"{said.get(line_id, Decimal(0)):f}")
        for line_id in sorted({*said, *expected})
        if said.get(line_id, Decimal(0)) != expected.get(line_id, Decimal(0))
    ]


def booked_of(corrections: pl.DataFrame) -> pl.DataFrame:
    """The rows that a month books: they are on its statements, in its journal and in FOCUS."""
    return corrections.filter(status=BOOKED)


def accumulated_of(corrections: pl.DataFrame) -> pl.DataFrame:
    """The rows that are too small to be booked yet: listed, and found again in the next month."""
    return corrections.filter(status=ACCUMULATED)


def booked_total(corrections: pl.DataFrame) -> Decimal:
    """What the booked rows add up to. Added in Python: a sum of polars Decimals keeps its input's precision."""
    return sum(booked_of(corrections)["amount"], Decimal(0))


def with_booked(lines: pl.DataFrame, corrections: pl.DataFrame) -> pl.DataFrame:
    """team and amount of every statement line and every booked correction: what statements, journal and FOCUS add."""
    columns = ("team", "cost_centre", "amount")
    return pl.concat([lines.select(columns), booked_of(corrections).select(columns)])


def _said(closed: pl.DataFrame, booked: pl.DataFrame) -> dict[str, dict[str, Any]]:
    """Line -> what was said of it so far."""
    said = {line["line_id"]: dict(line) for line in closed.iter_rows(named=True)}
    for row in booked.sort("month", "line_id").iter_rows(named=True):
        line = said.get(row["line_id"], {**row, "month": row["corrects_month"], "amount": Decimal(0)})
        price = row["stood_price"] if row["fresh_price"] is None else row["fresh_price"]
        said[row["line_id"]] = {
            **line, "amount": line["amount"] + row["amount"], "quantity": row["fresh_quantity"], "price": price,
        }  # fmt: skip
    return said


def _amount(line: Mapping[str, Any] | None) -> Decimal:
    return Decimal(0) if line is None else Decimal(line["amount"])


def _reason(before: Mapping[str, Any] | None, after: Mapping[str, Any] | None, causes: Iterable[str]) -> str:
    """Of the inputs that differ those that can have moved this line; all of them where none stands out."""
    differ = tuple(causes)
    quantities = [Fraction(line["quantity"]) if line else Fraction(0) for line in (before, after)]
    is_repriced = before is not None and after is not None and before["price"] != after["price"]
    can_move = [CARD] if is_repriced else []
    if quantities[0] != quantities[1]:
        can_move += [LATE_USAGE, OWNERSHIP]
        known = after or before or {}
        if known["kind"] in CREDIT_KINDS:
            can_move.append(CREDIT_POLICY)
    told = [cause for cause in differ if cause in can_move]
    return ", ".join(told or differ or (RULES,))
