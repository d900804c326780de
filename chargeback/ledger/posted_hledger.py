"""A document as a transaction that `hledger check --strict` accepts, in a file of its own.

Not here: the month's whole journal, for people to read (hledger.py).
"""

import re
from decimal import Decimal

from chargeback.billing_period import last_day_of
from chargeback.ledger.hledger_text import account_text, inline_text, part_text
from chargeback.ledger.plain_numbers import plain_amount
from chargeback.ledger.posting_document import PostingDocument
from chargeback.ledger.posting_files import FiledLine, FileTerms, Unreadable

EXTENSION = "journal"
_HEAD = re.compile(r"^\d{4}-\d\d-\d\d \* \((?P<key>[^)]+)\) ", re.M)
_HASH = re.compile(r"^    ; document_sha256: (?P<sha256>[0-9a-f]{64})$", re.M)
_POSTING = re.compile(r"^    [^:;\n]+:(?P<account>[^:\n]+):[^:\n]+?  (?P<amount>-?[0-9.]+) \S+  ; ", re.M)
_END = "; end of document"


def account_name(ours: str, terms: FileTerms) -> str:
    """An account as it stands in such a file."""
    return part_text(terms.account(ours))


def render(document: PostingDocument, *, posting_month: str, terms: FileTerms) -> bytes:
    """One transaction with its accounts and its commodity declared; its code is the document's key."""
    if re.search(r"[();\s]", document.key.replace(" ", "")):
        raise ValueError("hledger cannot bear parentheses or semicolons in a key: rename the company")
    code = terms.currency.code
    names = {
        line: account_text(document.company, terms.account(line.account), line.cost_centre) for line in document.lines
    }
    text = [
        f"commodity 1000.{'0' * terms.currency.minor_units} {code}",
        *(f"account {name}" for name in sorted(set(names.values()))),
        "",
        f"{last_day_of(posting_month)} * ({document.key}) {inline_text(document.title)}",
        f"    ; document_sha256: {document.sha256}",
    ]
    for line, name in names.items():
        sign = "-" if line.side == "credit" else ""
        amount = f"{sign}{plain_amount(line.amount, terms.currency)} {code}"
        text.append(f"    {name}  {amount}  ; {inline_text(line.description)}")
    return ("\n".join([*text, _END]) + "\n").encode()


def read(content: bytes) -> tuple[str, str, list[FiledLine]]:
    """Key, hash and lines of a file. Raises Unreadable if it is cut or was changed."""
    text = content.decode(errors="replace")
    head, digest = _HEAD.search(text), _HASH.search(text)
    if head is None or digest is None or not text.endswith(f"{_END}\n"):
        raise Unreadable("it is cut, or not one of ours")
    lines = [FiledLine(found["account"], Decimal(found["amount"])) for found in _POSTING.finditer(text)]
    if not lines or sum((line.signed for line in lines), Decimal(0)):
        raise Unreadable("it does not balance any more")
    return head["key"], digest["sha256"], lines
