"""What sends a month, or takes one document of it back: plan, guard and sending, for the asset and for people.

Not here: the guard (release.py), the plan (chargeback/ledger/posting_plan.py), the steps (sending.py).
"""

import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass

from assets.materialisation import Month
from assets.release import refuse_to_send
from assets.sending import Sending, Sent, Terms
from chargeback.contracts.journal_entries import JOURNAL_ENTRIES
from chargeback.contracts.outbox import OUTBOX
from chargeback.contracts.postings import POSTINGS
from chargeback.ledger.outbox import Standing, standings_of
from chargeback.ledger.posting_plan import Planned, plan_of
from chargeback.ledger.tie_out import TieOut, tie_out
from resources.clock import now_utc
from resources.evidence import EvidenceStore
from resources.finance_system import FinanceSystem
from resources.lake import Lake
from resources.people_objects import PeopleObjects
from resources.settings import Settings


@dataclass(frozen=True, slots=True)
class PostingDesk:
    """The adapters of one lake and its finance system. `told` is given a line for each document that was sent."""

    lake: Lake
    evidence: EvidenceStore
    people: PeopleObjects
    settings: Settings
    system: FinanceSystem
    told: Callable[[str], None] = lambda _: None

    def planned(self, month: Month, *, sender: str = "", again: bool = False) -> list[Planned]:
        """What would be sent of a month, whether it may be or not."""
        entries, postings = (
            self.lake.scan(table, [month.partition]).frame.collect() for table in (JOURNAL_ENTRIES, POSTINGS)
        )
        return plan_of(
            entries, postings, self.standings(month), now=now_utc(), sender=sender,
            taken_over_after=self.settings.posting.taken_over_after, again=again,
        )  # fmt: skip

    def post(self, month: Month, *, again: bool = False) -> tuple[list[Planned], Sent]:
        """Send what may be sent. Raises dg.Failure with every reason where nothing may; StoreFailure."""
        self._refuse(month)
        terms = self._terms()
        planned = self.planned(month, sender=terms.sender, again=again)
        return planned, self._sending(terms).send(month.period.month, planned)

    def reverse(self, month: Month, document_key: str, *, reason: str) -> Sent:
        """Take a document back as a whole. Raises dg.Failure as post does; ValueError if it does not stand there."""
        self._refuse(month)
        return self._sending(self._terms()).reverse(month.period.month, document_key, reason=reason)

    def tie_out(self, month: Month) -> TieOut:
        """What the finance system holds of a month beside what we say it holds. Raises FinanceFailure."""
        return tie_out_of(self.standings(month), self.system)

    def standings(self, month: Month) -> dict[str, Standing]:
        """How the documents of a month stand."""
        return standings_of(self.lake.scan(OUTBOX, [month.partition]).frame.collect())

    def _refuse(self, month: Month) -> None:
        refuse_to_send(
            month, lake=self.lake, evidence=self.evidence, people=self.people, settings=self.settings, now=now_utc()
        )

    def _terms(self) -> Terms:
        posting = self.settings.posting
        return Terms(uuid.uuid4().hex, posting.closed_period, posting.taken_over_after)

    def _sending(self, terms: Terms) -> Sending:
        return Sending(self.lake, self.system, terms, clock=now_utc, wait=time.sleep, told=self.told)


def tie_out_of(standings: dict[str, Standing], system: FinanceSystem) -> TieOut:
    """The tie-out of every batch of which something was sent. Raises FinanceFailure."""
    batches = sorted({each.document.batch_key for each in standings.values()})
    return tie_out(standings, [line for batch in batches for line in system.held_lines(batch)])
