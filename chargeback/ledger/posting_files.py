"""What the formats of files for finance systems have in common. One format is a file: posted_csv, posted_fbdi, ..."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Protocol

from chargeback.ledger.posting_document import PostingDocument
from chargeback.money import Currency


class Unreadable(ValueError):
    """A file in the drop is not one that we wrote, or not any more."""


@dataclass(frozen=True, slots=True)
class FileTerms:
    """What a file says besides the document, as Posting of resources/posting_settings.py explains."""

    currency: Currency
    source: str = "GPU Chargeback"
    category: str = "GPU"
    ledger: str = ""
    accounts: Mapping[str, str] = field(default_factory=dict)

    def account(self, ours: str) -> str:
        """An account in the finance system's words."""
        return self.accounts.get(ours, ours)


@dataclass(frozen=True, slots=True)
class FiledLine:
    """A line as a file says it: the account in the finance system's words, debits positive."""

    account: str
    signed: Decimal


class FileFormat(Protocol):
    """One format: deterministic bytes, and what they say when they are read again."""

    EXTENSION: str

    def account_name(self, ours: str, terms: FileTerms) -> str:
        """An account as it stands in such a file."""

    def render(self, document: PostingDocument, *, posting_month: str, terms: FileTerms) -> bytes:
        """The bytes of one document."""

    def read(self, content: bytes) -> tuple[str, str, list[FiledLine]]:
        """Key, hash and lines of a file. Raises Unreadable if it is cut or was changed."""
