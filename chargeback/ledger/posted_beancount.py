"""A document as a transaction that `bean-check` accepts, in a file of its own, which opens its accounts elsewhere.

Beancount opens an account once in a ledger, so each account has a file of its own too, always with the same bytes, and
one file includes them all.
"""

import re
from decimal import Decimal

from chargeback.billing_period import last_day_of
from chargeback.ledger.plain_numbers import plain_amount
from chargeback.ledger.posting_document import PostingDocument
from chargeback.ledger.posting_files import FiledLine, FileTerms, Unreadable

EXTENSION = "beancount"
ROOTS = ("Assets", "Liabilities", "Equity", "Income", "Expenses")
OPENED = "1970-01-01"
_KEY = re.compile(r'^  document_key: "(?P<key>[^"]+)"$', re.M)
_HASH = re.compile(r'^  document_sha256: "(?P<sha256>[0-9a-f]{64})"$', re.M)
_POSTING = re.compile(
    r'^  [A-Z][A-Za-z0-9:-]+  (?P<amount>-?[0-9.]+) [A-Z]{3}\n    account: "(?P<account>[^"]*)"$', re.M
)
_END = "; end of document"


def account_name(ours: str, terms: FileTerms) -> str:
    """An account as it stands in such a file, in its metadata."""
    return _quoted(terms.account(ours))


def opened_accounts(document: PostingDocument, terms: FileTerms) -> dict[str, bytes]:
    """Account -> the bytes of the file that opens it."""
    names = {_account(document.company, terms.account(line.account), line.cost_centre) for line in document.lines}
    return {name: f"{OPENED} open {name} {terms.currency.code}\n".encode() for name in sorted(names)}


def ledger_file(terms: FileTerms) -> bytes:
    """The file that `bean-check` is given."""
    code = terms.currency.code
    return f'option "operating_currency" "{code}"\ninclude "accounts/*.beancount"\ninclude "*/*/*.beancount"\n'.encode()


def render(document: PostingDocument, *, posting_month: str, terms: FileTerms) -> bytes:
    """One transaction; key, hash and each line's own account stand in its metadata."""
    if _quoted(document.key) != document.key:
        raise ValueError("Beancount cannot bear quotes or backslashes in a key: rename the company")
    text = [
        f'{last_day_of(posting_month)} * "{_quoted(document.title)}"',
        f'  document_key: "{document.key}"',
        f'  document_sha256: "{document.sha256}"',
    ]
    for line in document.lines:
        sign = "-" if line.side == "credit" else ""
        theirs = terms.account(line.account)
        name = _account(document.company, theirs, line.cost_centre)
        text.append(f"  {name}  {sign}{plain_amount(line.amount, terms.currency)} {terms.currency.code}")
        text.append(f'    account: "{_quoted(theirs)}"')
        text.append(f'    text: "{_quoted(line.description)}"')
    return ("\n".join([*text, _END]) + "\n").encode()


def read(content: bytes) -> tuple[str, str, list[FiledLine]]:
    """Key, hash and lines of a file. Raises Unreadable if it is cut or was changed."""
    text = content.decode(errors="replace")
    key, digest = _KEY.search(text), _HASH.search(text)
    if key is None or digest is None or not text.endswith(f"{_END}\n"):
        raise Unreadable("it is cut, or not one of ours")
    lines = [FiledLine(found["account"], Decimal(found["amount"])) for found in _POSTING.finditer(text)]
    if not lines or sum((line.signed for line in lines), Decimal(0)):
        raise Unreadable("it does not balance any more")
    return key["key"], digest["sha256"], lines


def _account(company: str, account: str, cost_centre: str) -> str:
    """`Expenses:GPU:C1:CC-1`. An account that is under none of Beancount's five roots is put under Equity."""
    parts = [_component(part) for part in (*account.split(":"), company, cost_centre)]
    return ":".join(parts if parts[0] in ROOTS else ("Equity", *parts))


def _component(text: str) -> str:
    """One part of a name: letters, digits and dashes, beginning with a capital or a digit."""
    plain = re.sub(r"[^A-Za-z0-9-]+", "-", text).strip("-") or "None"
    return plain[0].upper() + plain[1:]


def _quoted(text: str) -> str:
    """Text within quotes: without quotes, backslashes and line ends."""
    return re.sub(r'[\s"\\]+', " ", text).strip()
