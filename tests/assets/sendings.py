"""Sendings for tests: a month's journal, a lake that is nothing but an outbox, and every finance system there is.

A clock that tests move, and waits that take no time.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

import polars as pl
import pytest

from assets.sending import Sending, Sent, Terms
from chargeback.contracts.outbox import OUTBOX
from chargeback.contracts.partition import Partition
from chargeback.ledger.journal import JournalAccounts, journal_entries
from chargeback.ledger.outbox import Standing, standings_of
from chargeback.ledger.posting_files import FileTerms
from chargeback.ledger.posting_plan import Planned, plan_of
from chargeback.ledger.postings import postings_of
from chargeback.ledger.tie_out import TieOut, tie_out
from chargeback.money import Currency
from resources.finance_system import FinanceSystem
from resources.lake import Lake
from resources.open_store import store_at
from resources.posting_erpnext import ErpNext
from resources.posting_files import PostingFiles
from resources.posting_netsuite import NetSuite
from resources.posting_settings import FILE_SYSTEMS, Posting
from resources.storage_location import StorageLocation
from tests.chargeback.ledger.test_journal import lines_of
from tests.services.finance_http import KNOWN, Books, finance_server

MONTH = "2026-03"
BATCH = f"gpu-cb:C1:{MONTH}"
ACCOUNTS = JournalAccounts("Expenses:GPU", "Income:GPU", "Assets:Suspense", "C1", "9000", "Expenses:Credits")
OURS = ("Expenses:GPU", "Income:GPU", "Assets:Suspense", "Expenses:Credits")
LINES = (("A", "C1", "4711", "1.00"), ("B_%", "C1", "4712", "2.05"), ("C", "C1", "4713", "1196.15"))
SYSTEMS = (*FILE_SYSTEMS, "netsuite", "erpnext")
SERVED = ("netsuite", "erpnext")
TAKEN_OVER_AFTER = timedelta(minutes=15)


@dataclass
class Clock:
    """An instant that moves when a test says so, and a second with each wait."""

    now: datetime = datetime(2026, 4, 5, 9, tzinfo=UTC)
    waits: list[float] = field(default_factory=list)

    def __call__(self) -> datetime:
        """Now."""
        return self.now

    def wait(self, seconds: float) -> None:
        """A wait that takes no time."""
        self.waits.append(seconds)
        self.now += timedelta(seconds=seconds)


@dataclass
class House:
    """A lake with an outbox, a finance system, and what is to be posted."""

    lake: Lake
    system: FinanceSystem
    books: Books
    entries: pl.DataFrame
    clock: Clock = field(default_factory=Clock)
    closed_period: str = "fail"

    def sending(self, sender: str = "first", system: FinanceSystem | None = None) -> Sending:
        """A sending by somebody."""
        terms = Terms(sender, self.closed_period, TAKEN_OVER_AFTER)
        return Sending(self.lake, system or self.system, terms, clock=self.clock, wait=self.clock.wait)

    def postings(self) -> pl.DataFrame:
        """What is meant to be posted now."""
        postings = postings_of(self.entries, self.standings(), mode="enforced", certificate_hash="c1")
        assert isinstance(postings, pl.DataFrame), postings
        return postings

    def planned(
        self, sender: str = "first", *, postings: pl.DataFrame | None = None, again: bool = False
    ) -> list[Planned]:
        """What somebody would send."""
        return plan_of(
            self.entries, self.postings() if postings is None else postings, self.standings(), now=self.clock(),
            sender=sender, taken_over_after=TAKEN_OVER_AFTER, again=again,
        )  # fmt: skip

    def post(self, sender: str = "first", system: FinanceSystem | None = None, *, again: bool = False) -> Sent:
        """Send the month."""
        return self.sending(sender, system).send(MONTH, self.planned(sender, again=again))

    def reverse(self, key: str, sender: str = "first") -> Sent:
        """Take a document back."""
        return self.sending(sender).reverse(MONTH, key, reason="wrong account")

    def rows(self) -> pl.DataFrame:
        """The outbox."""
        return self.lake.scan(OUTBOX, [Partition.of_month(MONTH)]).frame.collect().sort(OUTBOX.key)

    def standings(self) -> dict[str, Standing]:
        """How the documents stand."""
        return standings_of(self.rows())

    def states(self) -> dict[str, str]:
        """Document key, without what all have in common -> its state."""
        return {key.removeprefix(f"{BATCH}:"): each.state for key, each in sorted(self.standings().items())}

    def tied(self) -> TieOut:
        """The tie-out."""
        return tie_out(self.standings(), self.system.held_lines(BATCH))


def journal_of(*lines: tuple[str, str, str, str]) -> pl.DataFrame:
    """Journal entries of rows (team, company, cost centre, amount)."""
    return journal_entries(lines_of(*lines), month=MONTH, accounts=ACCOUNTS)


@contextmanager
def house(name: str, folder: Path, *, draft: bool = False, timeout_seconds: int = 1) -> Iterator[House]:
    """A house whose finance system is the one of that name."""
    location = StorageLocation(str(folder / "lake"))
    lake, books, entries = Lake(location), Books(), journal_of(*LINES)
    if name in FILE_SYSTEMS:
        terms = FileTerms(Currency("EUR"))
        yield House(lake, PostingFiles(store_at(location), name, terms, accounts=OURS), books, entries)
        return
    with pytest.MonkeyPatch.context() as environment, finance_server(name, books) as url:
        environment.setenv("CHARGEBACK_POSTING_PASSWORD", KNOWN)
        posting = Posting(
            system=name, draft=draft, url=url, user="key", timeout_seconds=timeout_seconds,
            accounts={"Expenses:GPU": "7100", "Income:GPU": "8100"},
        )  # fmt: skip
        yield House(lake, NetSuite(posting) if name == "netsuite" else ErpNext(posting), books, entries)
