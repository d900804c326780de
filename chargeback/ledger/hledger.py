"""The journal as plain text that `hledger check --strict` accepts: an auditor can read and add it up without us."""

import polars as pl

from chargeback.billing_period import last_day_of
from chargeback.ledger.hledger_text import account_text, inline_text
from chargeback.ledger.journal import by_entry, entry_hash
from chargeback.ledger.plain_numbers import plain_amount
from chargeback.money import Currency


def render_hledger(entries: pl.DataFrame, currency: Currency, *, mode: str = "parallel") -> bytes:
    """All entries of a month, dated on its last day, with every account and the commodity declared.

    An entry is pending (`!`) while its month runs in parallel or it is held, cleared (`*`) under enforcement; its code
    is the entry key. Deterministic: equal entries, equal bytes.
    """
    decimals = "0" * currency.minor_units
    accounts = sorted({_account(line) for line in entries.iter_rows(named=True)})
    text = [
        "; GPU Chargeback: journal entries; amounts are sums of statement lines, each rounded once",
        f"commodity 1000.{decimals} {currency.code}",
        *(f"account {account}" for account in accounts),
    ]
    if mode == "parallel":
        text.insert(1, "; parallel month: withheld, nothing in it may be posted")
    mark = "!" if mode == "parallel" else "*"
    for key, entry in by_entry(entries).items():
        head = entry.row(0, named=True)
        state = "!" if head["hold"] else mark
        text += ["", f"{last_day_of(head['month'])} {state} ({inline_text(key)}) {inline_text(_title(head))}"]
        text += [f"    ; entry_sha256: {entry_hash(entry)}"]
        text += [f"    ; held: {inline_text(head['hold'])}"] if head["hold"] else []
        for line in entry.iter_rows(named=True):
            sign = "-" if line["side"] == "credit" else ""
            amount = f"{sign}{plain_amount(line['amount'], currency)} {currency.code}"
            text.append(f"    {_account(line)}  {amount}  ; {inline_text(line['description'])}")
    return ("\n".join(text) + "\n").encode()


def _account(line: dict[str, str]) -> str:
    return account_text(line["company"], line["account"], line["cost_centre"])


def _title(head: dict[str, str]) -> str:
    return f"GPU {head['kind']} {head['month']}, {head['team']}"
