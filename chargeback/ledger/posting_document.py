"""A document for the finance system: one journal entry under its own key, or the reversal of one as a whole.

Its hash is of everything that is booked and of its key, not of the period that it is booked in: where that is shut it
may be another. Not here: formats of one system (journal_csv.py, fbdi.py, hledger.py, beancount.py, resources/).
"""

import hashlib
import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass, fields, replace
from decimal import Decimal
from typing import Any

import polars as pl

from chargeback.contracts.journal_entries import JOURNAL_ENTRIES
from chargeback.ledger.journal import entry_hash

FIRST_REVISION = ":r1"
STORNO = ":storno"
OTHER_SIDE = {"debit": "credit", "credit": "debit"}


@dataclass(frozen=True, slots=True)
class DocumentLine:
    """One line; its amount is positive and its side is said. Meanings as in contracts.journal_entries."""

    line_number: int
    side: str
    account: str
    cost_centre: str
    accelerator: str
    tier: str
    tax_code: str
    amount: Decimal
    description: str

    @property
    def signed(self) -> Decimal:
        """Debits positive, credits negative."""
        return self.amount if self.side == "debit" else -self.amount


@dataclass(frozen=True, slots=True)
class PostingDocument:
    """What is sent. `key` is what the finance system is asked for; `reverses` the key of what a storno takes back."""

    key: str
    entry_key: str
    entry_sha256: str
    month: str
    company: str
    batch_key: str
    team: str
    kind: str
    currency: str
    partner_company: str
    lines: tuple[DocumentLine, ...]
    reverses: str = ""

    @property
    def debit_amount(self) -> Decimal:
        """Sum of debits: the control total of the document."""
        return sum((line.amount for line in self.lines if line.side == "debit"), Decimal(0))

    @property
    def title(self) -> str:
        """What it is, in one line that keeps the month that it is about."""
        what = f"GPU {self.kind} {self.month}, {self.team}"
        return f"Reversal of {self.reverses}: {what}" if self.reverses else what

    @property
    def sha256(self) -> str:
        """Hash of its canonical JSON."""
        return hashlib.sha256(self.text().encode()).hexdigest()

    def text(self) -> str:
        """Canonical JSON: sorted keys, amounts as text without idle zeros."""
        stated = asdict(self)
        for line in stated["lines"]:
            line["amount"] = plain_text(line["amount"])
        return json.dumps(stated, sort_keys=True, ensure_ascii=False, separators=(",", ":"))

    def storno(self) -> "PostingDocument":
        """The document that takes all of this one back: same accounts, sides exchanged."""
        lines = tuple(
            replace(line, side=OTHER_SIDE[line.side], description=f"Reversal: {line.description}")
            for line in self.lines
        )
        return replace(self, key=f"{self.key}{STORNO}", reverses=self.key, lines=lines)


def document_of(entry: pl.DataFrame, *, revision: int) -> PostingDocument:
    """The document of one journal entry.

    Input:   the rows of contracts.journal_entries with one entry key; which posting of that entry it is: 1, and one
             more for each that was reversed.
    """
    head = entry.row(0, named=True)
    names = [each.name for each in fields(DocumentLine)]
    lines = tuple(DocumentLine(**row) for row in entry.sort("line_number").select(names).iter_rows(named=True))
    return PostingDocument(
        key=document_key_of(head["entry_key"], revision),
        entry_key=head["entry_key"],
        entry_sha256=entry_hash(entry),
        lines=lines,
        **{name: head[name] for name in ("month", "company", "batch_key", "team", "kind", "currency",
                                         "partner_company")},
    )  # fmt: skip


def document_key_of(entry_key: str, revision: int) -> str:
    """`gpu-cb:C1:2026-10:vision:allocation:r2`: the entry's key, its first revision replaced."""
    return f"{entry_key.removesuffix(FIRST_REVISION)}:r{revision}"


def read_document(text: str) -> PostingDocument:
    """A document from its canonical JSON, as the outbox keeps it. Raises ValueError, KeyError or TypeError if none."""
    stated: dict[str, Any] = json.loads(text)
    lines = tuple(DocumentLine(**{**line, "amount": Decimal(line["amount"])}) for line in stated["lines"])
    return PostingDocument(**{**stated, "lines": lines})


def as_entries(documents: Iterable[PostingDocument], *, posting_month: str | None = None) -> pl.DataFrame:
    """Documents as rows of contracts.journal_entries, under their own keys, for formats that are made of those."""
    names = [each.name for each in fields(DocumentLine)]
    rows = [
        {
            **{name: getattr(line, name) for name in names},
            "month": posting_month or document.month,
            "company": document.company,
            "batch_key": document.batch_key,
            "entry_key": document.key,
            "team": document.team,
            "kind": document.kind,
            "currency": document.currency,
            "partner_company": document.partner_company,
            "hold": "",
        }
        for document in documents
        for line in document.lines
    ]
    return pl.DataFrame(rows, schema=JOURNAL_ENTRIES.schema, orient="row").sort("entry_key", "line_number")


def imbalance_of(document: PostingDocument) -> Decimal:
    """Debits less credits: 0, or it must never leave the house, whatever the other side would accept."""
    return sum((line.signed for line in document.lines), Decimal(0))


def plain_text(amount: Decimal) -> str:
    """`12.5`, `100`, never an exponent."""
    text = f"{amount:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text
