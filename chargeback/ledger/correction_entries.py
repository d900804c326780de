"""Journal entries of corrections: the difference alone, or the line reversed and posted anew, as finance prefers.

One entry per company, team and corrected month; of the reversal style two. Each balances in itself, and both styles
leave the same net. Not here: entries of the month's own lines (journal.py).
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Any

import polars as pl

from chargeback.contracts.journal_entries import CORRECTION, JOURNAL_ENTRIES, REVERSED
from chargeback.contracts.names import CREDIT_KINDS, UNATTRIBUTED
from chargeback.ledger.correction_policy import REVERSAL
from chargeback.ledger.corrections import booked_of
from chargeback.ledger.held_entries import PostingTerms
from chargeback.ledger.journal import JournalAccounts, batch_key_of, entry_key_of

Target = tuple[bool, str, str, str, str]
"""Whether what is corrected is a credit; cost centre, accelerator, tier and customer class of the team's side."""


def correction_entries(
    corrections: pl.DataFrame,
    *,
    month: str,
    accounts: JournalAccounts,
    style: str,
    terms: PostingTerms | None = None,
) -> pl.DataFrame:
    """contracts.journal_entries of what a month books for closed ones, in order of entry key and line number.

    Input:   contracts.corrections of the month; what is accumulated is left out; the terms of its card.
    Output:  a team's side debits its expense account with what it pays more and credits it with what it pays less;
             the other side is the recovery account, of a corrected credit the credit account. Nothing posted is edited:
             `reversal` takes back all that was said of a line, in an entry of its own, and posts the new one.
    Source:  design.md 5.11; docs/decisions/0025.
    """
    booked = booked_of(corrections)
    terms = terms or PostingTerms(accounts.platform_company)
    entries = [(REVERSED, "stood_amount", -1), (CORRECTION, "fresh_amount", 1)]
    if style != REVERSAL:
        entries = [(CORRECTION, "amount", 1)]
    rows: list[dict[str, Any]] = []
    for kind, column, sign in entries:
        sums: dict[tuple[str, str, str, str], dict[Target, Decimal]] = defaultdict(dict)
        for line in booked.iter_rows(named=True):
            company = line["company"] or accounts.platform_company
            target = (
                line["kind"] in CREDIT_KINDS,
                line["cost_centre"] or accounts.platform_cost_centre,
                line["accelerator"],
                line["tier"],
                line["customer_class"],
            )
            amounts = sums[(company, line["team"], line["corrects_month"], line["currency"])]
            amounts[target] = amounts.get(target, Decimal(0)) + sign * line[column]
        for entry in sorted(sums):
            rows += _entry(entry, sums[entry], kind=kind, month=month, accounts=accounts, terms=terms)
    return pl.DataFrame(rows, schema=JOURNAL_ENTRIES.schema, orient="row").sort("entry_key", "line_number")


def _entry(
    entry: tuple[str, str, str, str],
    amounts: Mapping[Target, Decimal],
    *,
    kind: str,
    month: str,
    accounts: JournalAccounts,
    terms: PostingTerms,
) -> list[dict[str, Any]]:
    company, team, corrected, currency = entry
    common = {
        "month": month, "company": company, "batch_key": batch_key_of(company, month),
        "entry_key": entry_key_of(company, month, team, f"{kind}-{corrected}"), "team": team, "kind": kind,
        "currency": currency, "partner_company": terms.partner_of(company),
        "hold": terms.hold_of(company, (target[4] for target in amounts)),
    }  # fmt: skip
    what = f"GPU {kind} of {corrected} in {month}, {team}"
    own = accounts.suspense if team == UNATTRIBUTED else accounts.expense
    rows = [
        {
            **_row(own, cost_centre, accelerator, tier, amount, f"{what}: {accelerator}, {tier}"),
            "tax_code": terms.tax_code_of(customer_class),
        }
        for (_, cost_centre, accelerator, tier, customer_class), amount in sorted(amounts.items())
    ]
    between = "" if company == accounts.platform_company else f", with {accounts.platform_company}"
    for is_credit, account in ((False, accounts.recovery), (True, accounts.credits)):
        other = -_sum(amount for target, amount in amounts.items() if target[0] == is_credit)
        rows.append(
            _row(account, accounts.platform_cost_centre, "", "", other, f"{what}: the platform's side{between}")
        )
    kept = [row for row in rows if row["amount"]]
    numbered = [{**common, **row, "line_number": number} for number, row in enumerate(kept, start=1)]
    return [{name: row[name] for name in JOURNAL_ENTRIES.column_names} for row in numbered]


def _row(
    account: str, cost_centre: str, accelerator: str, tier: str, debited: Decimal, description: str
) -> dict[str, Any]:
    return {
        "side": "debit" if debited > 0 else "credit",
        "account": account,
        "cost_centre": cost_centre,
        "accelerator": accelerator,
        "tier": tier,
        "tax_code": "",
        "amount": abs(debited),
        "description": description,
    }


def _sum(amounts: Iterable[Decimal]) -> Decimal:
    return sum(amounts, Decimal(0))
