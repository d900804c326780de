"""Names and texts as a plain-text ledger reads them: nothing in them ends a line, opens a comment or closes a code."""

import re


def account_text(company: str, account: str, cost_centre: str) -> str:
    """`C1:Expenses_GPU:CC-1`: three parts, in characters that hledger reads as one name."""
    return ":".join(map(part_text, (company, account, cost_centre)))


def part_text(text: str) -> str:
    """One part of an account's name; `none` if nothing is left of it."""
    return re.sub(r"[^\w.\- ]+", "_", re.sub(r"\s+", " ", text)).strip() or "none"


def inline_text(text: str) -> str:
    """Text for a description or a comment."""
    return re.sub(r"[\s;()|]+", " ", text).strip()
