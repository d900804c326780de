"""What every finance system has to answer, and the ways in which it can fail. An adapter is a file beside this one.

None of them is believed to know our keys: before anything is sent it is looked up. Not here: the order of steps
(assets/sending.py), which system it is (posting_systems.py).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from chargeback.ledger.posting_document import PostingDocument
from chargeback.ledger.tie_out import HeldLine


class FinanceFailure(Exception):
    """The finance system did not do what was asked; one line that says why."""


class Unanswered(FinanceFailure):
    """Nobody knows whether it was done: no answer, a cut one, or a fault on the other side. Look it up."""


class Busy(FinanceFailure):
    """It was not done, and may be asked for again after a while."""

    def __init__(self, told: str, *, wait_seconds: float = 1.0) -> None:
        super().__init__(told)
        self.wait_seconds = wait_seconds


class Refused(FinanceFailure):
    """It was not done, and asking again would not help."""


class PeriodShut(Refused):
    """It was not done, since the period that it was to be booked in is closed over there."""


@dataclass(frozen=True, slots=True)
class Held:
    """A document as it stands over there. `document_sha256` is what was written into it; empty if it says none.

    `is_unfinished`: it is a draft, and the settings want it posted.
    """

    key: str
    remote_id: str
    document_sha256: str
    is_unfinished: bool = False


class FinanceSystem(Protocol):
    """One finance system."""

    name: str

    def find(self, key: str) -> Held | None:
        """The document with this key; None if there is none. Raises FinanceFailure; Refused if there are several."""

    def submit(self, document: PostingDocument, *, posting_month: str) -> Held:
        """Write a document, dated on the last day of a month. It was looked up before. Raises FinanceFailure."""

    def finish(self, held: Held) -> Held:
        """Post a document that is a draft still. Raises FinanceFailure."""

    def held_lines(self, batch_key: str) -> Sequence[HeldLine]:
        """Every line that stands there under a key of this batch, drafts too. Raises FinanceFailure."""
