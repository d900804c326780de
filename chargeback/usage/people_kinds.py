"""Which file of people a text is, by its shape: a rate card, ownership, approvals, a keyring, finance's figures.

Not here: reading it, and what schedulers write (extract_kinds.py).
"""

import re

from chargeback.signatures.recognition import signed_kind_of

RATE_CARDS = "rate-cards"
OWNERSHIP = "ownership"
APPROVALS = "approvals"
KEYRINGS = "keyrings"
FINANCE_REFERENCE = "finance-reference"

HEAD_BYTES = 20_000

_OWNERSHIP_COLUMNS = {"kind", "key", "percent", "team"}
_LEDGER_COLUMNS = {"posting_month", "gl_account"}
_REFERENCE_COLUMNS = {"month", "cost_centre", "amount", "source"}
_CARD_NAMES = {"version", "effective_from", "accelerators"}
_APPROVAL_NAMES = {"run", "gpus", "reason"}
_NAME_AT_MARGIN = re.compile(r"^([a-z_]+) *:", re.M)
_NAME_ANYWHERE = re.compile(r"[\"']?\b([a-z_]+)[\"']? *:")


def people_kind_of(content: bytes) -> str | None:
    """The landing source of people that such a file belongs to; None for anything else.

    Two of a rate card's three names are enough, so that a card with a slip of the pen is refused as a card.
    """
    text = content[:HEAD_BYTES].decode("utf-8", errors="replace").removeprefix("\ufeff")
    filled = [line for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    if not filled:
        return None
    signed = signed_kind_of(content)
    if signed:
        return KEYRINGS if signed == "keyring" else APPROVALS
    if is_general_ledger(content) or is_finance_reference(content):
        return FINANCE_REFERENCE
    if _columns(filled[0]) >= _OWNERSHIP_COLUMNS:
        return OWNERSHIP
    if filled[0].lstrip()[0] in "-[" and set(_NAME_ANYWHERE.findall(text)) >= _APPROVAL_NAMES:
        return APPROVALS
    if len(set(_NAME_AT_MARGIN.findall(text)) & _CARD_NAMES) >= 2:
        return RATE_CARDS
    return None


def is_general_ledger(content: bytes) -> bool:
    """Whether a file is an extract of the general ledger: its first line names posting_month and gl_account.

    Finance's other figures in finance-reference/ are not.
    """
    return _first_line(content) >= _LEDGER_COLUMNS


def is_finance_reference(content: bytes) -> bool:
    """Whether a file is finance's own figures of parallel months: month, cost_centre, amount and source."""
    return _first_line(content) >= _REFERENCE_COLUMNS


def _first_line(content: bytes) -> set[str]:
    head = content[:HEAD_BYTES].decode("utf-8", errors="replace").removeprefix("\ufeff")
    return _columns(head.lstrip().partition("\n")[0])


def _columns(header: str) -> set[str]:
    return {name.strip().strip('"').lower() for name in header.split(",")}
