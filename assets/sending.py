"""Sends what a plan says to a finance system, so that every document stands there once whatever is cut short.

Each document: the intent is committed (`sent`), the key is looked up over there, only then it is submitted, and what
became of it is committed. Whoever comes after a crash finds the intent and looks the key up before anything else.
While a sending has a document in hand, no other one touches it. Source: docs/decisions/0033.
Not here: what may be sent at all (release.py, chargeback/ledger/posting_plan.py), the adapters (resources/).
"""

import hashlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

import polars as pl

from chargeback.billing_period import next_month
from chargeback.contracts.outbox import ACKNOWLEDGED, OUTBOX, REJECTED, REVERSED, SENT
from chargeback.contracts.partition import Partition
from chargeback.ledger.outbox import FOLLOWS, Standing, Step, standings_of, with_steps
from chargeback.ledger.posting_document import PostingDocument
from chargeback.ledger.posting_plan import LOOK_UP, SEND, Planned
from resources.code_version import code_version
from resources.finance_system import Busy, FinanceSystem, Held, PeriodShut, Refused, Unanswered
from resources.lake import Lake
from resources.lake_records import PartitionContended, Provenance
from resources.posting_settings import NEXT_OPEN_PERIOD

CLAIMED_AT_ONCE = 50
ANSWERS_AT_ONCE = 10
ATTEMPTS = 5
LONGEST_WAIT_SECONDS = 60.0
MOST_SHUT_PERIODS = 12
MOST_CONTENDED = 20
SILENT_AFTER = 3


@dataclass(frozen=True, slots=True)
class Terms:
    """How it is sent: as Posting of resources/posting_settings.py says, and who sends. `sender` is new each time."""

    sender: str
    closed_period: str
    taken_over_after: timedelta


@dataclass(slots=True)
class Sent:
    """What a sending came to, by document key; of what did not end well, why."""

    acknowledged: dict[str, str] = field(default_factory=dict)
    rejected: dict[str, str] = field(default_factory=dict)
    unanswered: dict[str, str] = field(default_factory=dict)

    @property
    def is_well(self) -> bool:
        """Whether everything that was sent stands over there."""
        return not self.rejected and not self.unanswered


class Sending:
    """One sending into one finance system. `clock` and `wait` are the only time that it knows."""

    def __init__(
        self,
        lake: Lake,
        system: FinanceSystem,
        terms: Terms,
        *,
        clock: Callable[[], datetime],
        wait: Callable[[float], None],
        told: Callable[[str], None] = lambda _: None,
    ) -> None:
        self._lake = lake
        self._system = system
        self._terms = terms
        self._clock = clock
        self._wait = wait
        self._told = told

    def send(self, month: str, planned: Sequence[Planned]) -> Sent:
        """Send what is to be sent and look up what may have left, in order of the plan.

        Raises  PartitionContended if others keep writing to the outbox; StoreFailure. Both leave every document where
                the next sending finds it.
        """
        wanted = [each.document for each in planned if each.action in (SEND, LOOK_UP)]
        return self._send(month, wanted)

    def reverse(self, month: str, document_key: str, *, reason: str) -> Sent:
        """Send the storno of a document that stands over there; then it counts as reversed.

        Raises  ValueError if it does not stand there.
        """
        standing = self._standings(month).get(document_key)
        if standing is None or standing.state != ACKNOWLEDGED:
            raise ValueError(f"{document_key} is {standing.state if standing else 'in no outbox'}: nothing to reverse")
        return self._send(month, [standing.document.storno()], reason=reason)

    def _send(self, month: str, documents: Sequence[PostingDocument], *, reason: str = "") -> Sent:
        sent = Sent()
        for first in range(0, len(documents), CLAIMED_AT_ONCE):
            claimed = self._claim(month, documents[first : first + CLAIMED_AT_ONCE], reason=reason)
            answered: list[Step] = []
            for document, since in claimed:
                if self._is_silent(sent):
                    sent.unanswered[document.key] = "not tried: the finance system does not answer"
                    continue
                answered += self._send_one(month, document, since, sent)
                if len(answered) >= ANSWERS_AT_ONCE:
                    self._commit(month, answered)
                    answered = []
            self._commit(month, answered)
            if self._is_silent(sent):
                break
        return sent

    def _is_silent(self, sent: Sent) -> bool:
        """Whether nothing but silence came so far: then a month is not waited through document by document."""
        return len(sent.unanswered) >= SILENT_AFTER and not sent.acknowledged and not sent.rejected

    def _send_one(self, month: str, document: PostingDocument, since: datetime, sent: Sent) -> list[Step]:
        """Send one document that is claimed; the steps that follow, to be committed."""
        if self._clock() - since > self._terms.taken_over_after / 2:
            renewed = self._claim(month, [document])
            if not renewed:
                return []
        step = self._delivered(document)
        if isinstance(step, str):
            sent.unanswered[document.key] = step
            self._told(f"unanswered   {document.key}: {step}")
            return []
        steps = [step]
        if step.state == ACKNOWLEDGED and document.reverses:
            standings = self._standings(month)
            original, why = standings[document.reverses], standings[document.key].reason
            steps.append(Step(original.document, REVERSED, original.posting_month, original.remote_id, why))
        (sent.acknowledged if step.state == ACKNOWLEDGED else sent.rejected)[document.key] = (
            step.remote_id if step.state == ACKNOWLEDGED else step.reason
        )
        self._told(f"{step.state:12} {document.key}: {step.remote_id or step.reason}")
        return steps

    def _delivered(self, document: PostingDocument) -> Step | str:
        """The step that follows; or why nobody knows what became of it."""
        posting_month, shut, why = document.month, 0, ""
        attempt = 0
        while attempt < ATTEMPTS:
            try:
                held = self._system.find(document.key)
                if held is None:
                    held = self._system.submit(document, posting_month=posting_month)
                if held.is_unfinished and held.document_sha256 == document.sha256:
                    held = self._system.finish(held)
                return _answered(document, held, posting_month)
            except PeriodShut as refusal:
                if self._terms.closed_period != NEXT_OPEN_PERIOD or shut == MOST_SHUT_PERIODS:
                    return Step(document, REJECTED, posting_month, reason=str(refusal))
                shut, posting_month = shut + 1, next_month(posting_month)
            except Refused as refusal:
                return Step(document, REJECTED, posting_month, reason=str(refusal))
            except Busy as refusal:
                why, attempt = str(refusal), attempt + 1
                self._wait(min(refusal.wait_seconds, LONGEST_WAIT_SECONDS))
            except Unanswered as failure:
                why, attempt = str(failure), attempt + 1
                self._wait(min(2.0**attempt, LONGEST_WAIT_SECONDS))
        return why

    def _claim(
        self, month: str, documents: Iterable[PostingDocument], *, reason: str = ""
    ) -> list[tuple[PostingDocument, datetime]]:
        """Commit the intent for those that nobody else has in hand; since when each of them is ours."""
        wanted = {document.key: document for document in documents}
        at = self._clock()

        def steps(standings: dict[str, Standing]) -> list[Step]:
            return [
                Step(document, SENT, document.month, reason=reason or _reason_of(standings.get(key)))
                for key, document in wanted.items()
                if self._may_claim(standings.get(key), at)
            ]

        return [(step.document, at) for step in self._committed(month, steps)]

    def _may_claim(self, standing: Standing | None, at: datetime) -> bool:
        if standing is None or standing.state == REJECTED:
            return True
        is_mine = standing.sender == self._terms.sender or at - standing.at >= self._terms.taken_over_after
        return standing.state == SENT and is_mine

    def _commit(self, month: str, steps: Sequence[Step]) -> None:
        """Commit what became of documents; what another sending has said of one meanwhile is left."""

        def still_open(standings: dict[str, Standing]) -> list[Step]:
            states = {key: each.state for key, each in standings.items()}
            return [step for step in steps if step.state in FOLLOWS[states.get(step.document.key)]]

        self._committed(month, still_open)

    def _committed(self, month: str, steps_of: Callable[[dict[str, Standing]], list[Step]]) -> list[Step]:
        """Add steps to the outbox as it is now, and again as it is then where others added to it meanwhile."""
        partition = Partition.of_month(month)
        for _ in range(MOST_CONTENDED):
            scanned = self._lake.scan(OUTBOX, [partition])
            rows = scanned.frame.collect().sort(OUTBOX.key)
            steps = steps_of(standings_of(rows))
            if not steps:
                return []
            at = self._clock()
            added = with_steps(rows, steps, at=at, system=self._system.name, sender=self._terms.sender)
            before = next(iter(scanned.contents.values()), None)
            try:
                self._lake.replace(OUTBOX, partition, added, self._provenance(before, added), only_after=before)
            except PartitionContended:
                continue
            return steps
        raise PartitionContended(f"outbox {month}: {MOST_CONTENDED} commits were overtaken: post again")

    def _provenance(self, before: str | None, added: pl.DataFrame) -> Provenance:
        told = hashlib.sha256("".join(f"{key} {each}\n" for key, each in _latest(added)).encode()).hexdigest()
        inputs = {"outbox before": before or "nothing", "sender": self._terms.sender, "steps": told}
        return Provenance(run_id=self._terms.sender, code_version=code_version(), inputs=inputs)

    def _standings(self, month: str) -> dict[str, Standing]:
        return standings_of(self._lake.scan(OUTBOX, [Partition.of_month(month)]).frame.collect())


def _reason_of(standing: Standing | None) -> str:
    """Why a document is sent that was claimed before: a storno says it from its first step on."""
    return standing.reason if standing is not None and standing.state == SENT else ""


def _answered(document: PostingDocument, held: Held, posting_month: str) -> Step:
    """What a document that stands over there means: ours, or another one under our key, which nobody may touch."""
    if held.document_sha256 == document.sha256:
        return Step(document, ACKNOWLEDGED, posting_month, remote_id=held.remote_id)
    return Step(
        document,
        REJECTED,
        posting_month,
        reason=f"{held.remote_id} stands there under this key with other content ({held.document_sha256[:12] or 'none'}"
        f", ours is {document.sha256[:12]}): finance has to take it out first",
    )


def _latest(rows: pl.DataFrame) -> list[tuple[str, str]]:
    told = rows.select("document_key", pl.format("{} {} {}", "sequence", "state", "at"))
    return list(told.iter_rows())
