"""The corrections that a month books, each with how far it is and who must act. For finance, before the month closes.

    proposed      booked by the month that is open, once it is closed; nobody has to act
    accumulated   below the threshold: listed, booked once the team's differences of that closed month reach it
    blocked       too old or of another fiscal year: no certificate until the controller has signed
    booked        the month that books it is closed

Not here: the differences (corrections.py), what needs whom (correction_policy.py), how it is printed.
"""

from decimal import Decimal
from typing import Any

import polars as pl

from chargeback.contracts.corrections import ACCUMULATED, BOOKED
from chargeback.ledger.correction_policy import CorrectionPolicy, approvable_corrections
from chargeback.ledger.csv_text import render_csv
from chargeback.ledger.plain_numbers import plain_amount
from chargeback.money import Currency

PROPOSED, BLOCKED = "proposed", "blocked"
STATES = (BLOCKED, PROPOSED, ACCUMULATED, BOOKED)
"""In the order in which they are shown: what waits for somebody first."""

APPROVED = "approved by "
COLUMNS = (
    "month", "state", "corrects_month", "team", "line_id", "cost_centre", "project", "company", "cluster",
    "accelerator", "tier", "kind", "reason", "stood_amount", "fresh_amount", "amount", "currency", "acts",
)  # fmt: skip
_AMOUNTS = ("stood_amount", "fresh_amount", "amount")


def correction_report(
    corrections: pl.DataFrame,
    *,
    month: str,
    is_closed: bool,
    approval_now: str,
    policy: CorrectionPolicy,
    currency: Currency,
) -> dict[str, Any]:
    """Rows, sums per state and who acts, and the content that a controller signs. Amounts are plain digits.

    Input:   contracts.corrections of one month; `approval_now` is what the records say that have landed by now, of what
             needs the controller (`approved by ...`, or why nobody did).
    Output:  rows by state, corrected month and line; what nobody waits for has no sum. What accumulates is not booked.
    """
    said = [_row(row, is_closed, approval_now, policy, currency) for row in corrections.iter_rows(named=True)]
    rows = sorted(said, key=lambda row: (STATES.index(row["state"]), row["corrects_month"], row["line_id"]))
    sums: dict[tuple[str, str], list[Decimal]] = {}
    for row in rows:
        sums.setdefault((row["state"], row["acts"]), []).append(Decimal(row["amount"]))
    states = [
        {
            "state": state,
            "acts": acts,
            "lines": len(amounts),
            "amount": plain_amount(sum(amounts, Decimal(0)), currency),
        }
        for (state, acts), amounts in sums.items()
    ]
    blocked = any(state == BLOCKED for state, _ in sums)
    return {
        "month": month,
        "currency": currency.code,
        "is_closed": is_closed,
        "threshold": plain_amount(policy.threshold, currency),
        "to_be_signed": approvable_corrections(corrections, month=month).content_sha256 if blocked else "",
        "states": states,
        "rows": rows,
    }


def render_report_csv(report: dict[str, Any]) -> bytes:
    """RFC 4180, a row a correction; amounts are numbers."""
    cells = [
        [Decimal(row[name]) if name in _AMOUNTS else report.get(name, row.get(name, "")) for name in COLUMNS]
        for row in report["rows"]
    ]
    return render_csv(COLUMNS, cells)


def _row(
    row: dict[str, Any], is_closed: bool, approval_now: str, policy: CorrectionPolicy, currency: Currency
) -> dict[str, str]:
    state, acts = _state(row, is_closed, approval_now, plain_amount(policy.threshold, currency), currency.code)
    kept = {name: row[name] for name in COLUMNS if name in row and name not in (*_AMOUNTS, "month", "currency")}
    amounts = {name: plain_amount(row[name], currency) for name in _AMOUNTS}
    return {**kept, **amounts, "state": state, "acts": acts}


def _state(
    row: dict[str, Any], is_closed: bool, approval_now: str, threshold: str, currency_code: str
) -> tuple[str, str]:
    """The state of a correction, and who must act: `nobody` with what it waits for, or a role with what to do."""
    month, approval = row["month"], row["approval"]
    if row["status"] == ACCUMULATED:
        return ACCUMULATED, f"nobody: below {threshold} {currency_code}, waits for more"
    signed = f", {approval}" if approval.startswith(APPROVED) else ""
    if is_closed:
        return BOOKED, f"nobody{signed}"
    if not row["needs_approval"] or signed:
        return PROPOSED, f"nobody{signed}: booked once {month} is closed"
    if approval_now.startswith(APPROVED):
        return BLOCKED, f"platform: {approval_now}, since: chargeback bill {month}"
    return BLOCKED, f"controller: signs what chargeback corrections {month} --draft FILE writes"
