"""The journal as plain text that `hledger check --strict` accepts: an auditor can read and add it up without us."""

import re
from datetime import date, timedelta

import polars as pl

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
        text += [
            "",
            f"{_last_day(head['month'])} {'!' if head['hold'] else mark} ({_inline(key)}) {_inline(_title(head))}",
        ]
        text += [f"    ; entry_sha256: {entry_hash(entry)}"]
        text += [f"    ; held: {_inline(head['hold'])}"] if head["hold"] else []
        for line in entry.iter_rows(named=True):
            sign = "-" if line["side"] == "credit" else ""
            amount = f"{sign}{plain_amount(line['amount'], currency)} {currency.code}"
            text.append(f"    {_account(line)}  {amount}  ; {_inline(line['description'])}")
    return ("\n".join(text) + "\n").encode()


def _account(line: dict[str, str]) -> str:
    """company:account:cost centre, in characters that hledger reads as one name."""
    return ":".join(_part(line[name]) for name in ("company", "account", "cost_centre"))


def _part(text: str) -> str:
    return re.sub(r"[^\w.\- ]+", "_", re.sub(r"\s+", " ", text)).strip() or "none"


def _inline(text: str) -> str:
    """Text that cannot end a line, open a comment or close the code."""
    return re.sub(r"[\s;()|]+", " ", text).strip()


def _title(head: dict[str, str]) -> str:
    return f"GPU {head['kind']} {head['month']}, {head['team']}"


def _last_day(month: str) -> str:
    first = date.fromisoformat(f"{month}-01")
    return ((first + timedelta(days=31)).replace(day=1) - timedelta(days=1)).isoformat()
