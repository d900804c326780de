"""Journal entries: one batch per company and month, one entry per team and kind, debits equal to the credit.

Amounts are sums of rounded lines; they are positive and the side is explicit. Nothing posted is ever edited.
Not here: rendering for a finance system (journal_csv.py, hledger.py), what became of an entry (postings.py).
"""

import hashlib
import json
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import polars as pl

from chargeback.contracts.journal_entries import JOURNAL_ENTRIES
from chargeback.contracts.names import CREDIT_KINDS, UNATTRIBUTED, slug_of
from chargeback.ledger.held_entries import PostingTerms
from chargeback.ledger.team_sides import on_teams

REVISION = "r1"

Target = tuple[str, str, str, str]
"""Cost centre, accelerator, tier and customer class of the team's side."""
ENTRY_COLUMNS = ("month", "company", "batch_key", "entry_key", "team", "kind", "currency")


@dataclass(frozen=True, slots=True)
class JournalAccounts:
    """Accounts in the finance system, and the platform's own books, which carry the suspense and bear the credits."""

    expense: str
    recovery: str
    suspense: str
    platform_company: str
    platform_cost_centre: str
    credits: str


def journal_entries(
    lines: pl.DataFrame, *, month: str, accounts: JournalAccounts, terms: PostingTerms | None = None
) -> pl.DataFrame:
    """contracts.journal_entries of a month, in order of entry key and line number.

    Input:   contracts.team_charges of the month; on what terms they are posted (None: no class has any).
    Output:  per company, team and kind: one debit of the expense account per cost centre, accelerator and tier, and one
             credit of the recovery account in the same company, so that every batch balances in itself. `unattributed`
             debits the suspense account in the platform's company. What is forgiven is a contra entry: it credits the
             accounts that the charge debited and debits the credit account on the platform's cost centre, which bears
             it. Lines of zero are left out, and so is an entry of nothing but zeros. An entry with a line that may not
             be posted yet is held as a whole, and says why.
    Source:  design.md 5.11, 5.13; aggregated, never per job.
    """
    terms = terms or PostingTerms(accounts.platform_company)
    sides: dict[tuple[str, str, str, str], dict[Target, Decimal]] = defaultdict(dict)
    for line in lines.iter_rows(named=True):
        company = line["company"] or accounts.platform_company
        cost_centre = line["cost_centre"] or accounts.platform_cost_centre
        amounts = sides[(company, line["team"], line["kind"], line["currency"])]
        target = (cost_centre, line["accelerator"], line["tier"], line["customer_class"])
        amount = -line["amount"] if line["kind"] in CREDIT_KINDS else line["amount"]
        amounts[target] = amounts.get(target, Decimal(0)) + amount
    rows = [
        row
        for entry in sorted(sides)
        for row in _entry(entry, sides[entry], month=month, accounts=accounts, terms=terms)
    ]
    return pl.DataFrame(rows, schema=JOURNAL_ENTRIES.schema, orient="row").sort("entry_key", "line_number")


def batch_key_of(company: str, month: str) -> str:
    """`gpu-cb:C1:2026-10`."""
    return f"gpu-cb:{company}:{month}"


def entry_key_of(company: str, month: str, team: str, kind: str) -> str:
    """`gpu-cb:C1:2026-10:vision:allocation:r1`: made of what the entry is about, so that a repeat has the same key."""
    return f"{batch_key_of(company, month)}:{slug_of(team)}:{kind}:{REVISION}"


def entry_hash(entry: pl.DataFrame) -> str:
    """sha256 of one entry's lines: equal content, equal hash, whatever the order of the rows."""
    rows = [{name: _plain(value) for name, value in row.items()} for row in entry.iter_rows(named=True)]
    rows.sort(key=lambda row: int(row["line_number"]))
    return hashlib.sha256(json.dumps(rows, sort_keys=True, ensure_ascii=False).encode()).hexdigest()


def by_entry(entries: pl.DataFrame) -> dict[str, pl.DataFrame]:
    """The lines of each entry, by entry key, in order of the keys."""
    parts = entries.sort("entry_key", "line_number").partition_by("entry_key", as_dict=True, maintain_order=True)
    return {str(key): part for (key,), part in parts.items()}


def balance_findings(entries: pl.DataFrame) -> list[str]:
    """Say which entries do not balance, and by how much."""
    findings = []
    for entry in by_entry(entries).values():
        head = entry.row(0, named=True)
        debited, credited = (_sum(entry.filter(pl.col("side") == side)["amount"]) for side in ("debit", "credit"))
        if debited != credited:
            code = head["currency"]
            findings.append(
                f"journal entry {head['month']}/{slug_of(head['team'])}/{head['kind']} does not balance: debits "
                f"{_short(debited)} {code}, credits {_short(credited)} {code}, difference "
                f"{_short(debited - credited)} {code}"
            )
    return findings


def journal_findings(entries: pl.DataFrame, lines: pl.DataFrame) -> list[str]:
    """Say for which teams the journal, debits less credits of theirs, and what is charged differ.

    `lines`: team and amount of statement lines and, where a month books any, of corrections.
    """
    booked = _by_team(on_teams(entries))
    charged = _by_team(lines)
    return [
        f"team {team}: the journal charges {_short(booked[team])}, the statement says {_short(charged[team])}, "
        f"difference {_short(booked[team] - charged[team])}: materialise journal_entries again"
        for team in sorted(set(booked) | set(charged))
        if booked[team] != charged[team]
    ]


def _entry(
    entry: tuple[str, str, str, str],
    amounts: Mapping[Target, Decimal],
    *,
    month: str,
    accounts: JournalAccounts,
    terms: PostingTerms,
) -> list[dict[str, Any]]:
    company, team, kind, currency = entry
    common = {
        "month": month, "company": company, "batch_key": batch_key_of(company, month),
        "entry_key": entry_key_of(company, month, team, kind), "team": team, "kind": kind, "currency": currency,
        "partner_company": terms.partner_of(company), "hold": terms.hold_of(company, (each[3] for each in amounts)),
    }  # fmt: skip
    is_credit = kind in CREDIT_KINDS
    rows: list[dict[str, Any]] = [
        {
            "side": "credit" if is_credit else "debit",
            "account": accounts.suspense if team == UNATTRIBUTED else accounts.expense,
            "cost_centre": cost_centre,
            "accelerator": accelerator,
            "tier": tier,
            "tax_code": terms.tax_code_of(customer_class),
            "amount": amount,
            "description": f"GPU {kind} {month}, {team}: {accelerator}, {tier}",
        }
        for (cost_centre, accelerator, tier, customer_class), amount in sorted(amounts.items())
        if amount
    ]
    if not rows:
        return []
    what, owed = ("borne by the platform", "by") if is_credit else ("recovered", "to")
    between = "" if company == accounts.platform_company else f", owed {owed} {accounts.platform_company}"
    rows.append(
        {
            "side": "debit" if is_credit else "credit",
            "account": accounts.credits if is_credit else accounts.recovery,
            "cost_centre": accounts.platform_cost_centre,
            "accelerator": "",
            "tier": "",
            "tax_code": "",
            "amount": _sum(amounts.values()),
            "description": f"GPU {kind} {month}, {team}: {what}{between}",
        }
    )
    numbered = [{**common, **row, "line_number": number} for number, row in enumerate(rows, start=1)]
    return [{name: row[name] for name in JOURNAL_ENTRIES.column_names} for row in numbered]


def _by_team(rows: pl.DataFrame) -> dict[str, Decimal]:
    totals: dict[str, Decimal] = defaultdict(Decimal)
    for team, amount in rows.select("team", "amount").iter_rows():
        totals[team] += amount
    return totals


def _sum(amounts: Iterable[Decimal]) -> Decimal:
    return sum(amounts, Decimal(0))


def _short(amount: Decimal) -> str:
    """Two decimals, or as many more as the amount has."""
    whole, _, decimals = f"{amount:f}".partition(".")
    return f"{whole}.{decimals.rstrip('0').ljust(2, '0')}"


def _plain(value: object) -> str:
    return _short(value) if isinstance(value, Decimal) else str(value)
