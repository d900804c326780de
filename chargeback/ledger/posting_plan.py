"""What a sending would do with each journal entry of a month: send it, look it up, leave it, or refuse.

The plan is what `--dry-run` shows and what the sending follows; it reads nothing outside. Not here: sending.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

import polars as pl

from chargeback.contracts.outbox import ACKNOWLEDGED, SENT
from chargeback.ledger.journal import by_entry
from chargeback.ledger.outbox import LEFT_THE_HOUSE, Standing, at_hand, revision_of, taken_back
from chargeback.ledger.plain_numbers import plain_price
from chargeback.ledger.posting_document import PostingDocument, document_of, imbalance_of

SEND, LOOK_UP, STANDS, WAITS, WITHHELD, REFUSED = ACTIONS = (
    "send", "look up", "stands", "waits", "withheld", "refused",
)  # fmt: skip
"""`look up`: it may have left; asked for by its key before anything else. `waits`: another sending has it in hand."""


@dataclass(frozen=True, slots=True)
class Planned:
    """What happens to one entry, and why where it is not sent."""

    document: PostingDocument
    action: str
    reason: str = ""


def plan_of(
    entries: pl.DataFrame,
    postings: pl.DataFrame,
    standings: Mapping[str, Standing],
    *,
    now: datetime,
    sender: str,
    taken_over_after: timedelta,
    again: bool = False,
) -> list[Planned]:
    """One row per entry, in order of entry key; then what stands in the finance system and in no journal any more;
    then reversals without an answer.

    Input:   contracts.journal_entries and postings of one month; how its documents stand; this sending, and after
             what time it goes on with what another one began; `again`: send what was reversed, too.
    Source:  design.md 5.11; docs/decisions/0033.
    """
    intended = {row["entry_key"]: row for row in postings.iter_rows(named=True)}
    journal = by_entry(entries)
    planned = []
    for key, entry in journal.items():
        document = document_of(entry, revision=revision_of(key, standings))
        standing = at_hand(key, standings)
        if standing is not None and standing.state in LEFT_THE_HOUSE:
            is_mine = standing.sender == sender or now - standing.at >= taken_over_after
            planned.append(_of_what_left(document, standing, is_mine=is_mine))
        else:
            back = None if again else taken_back(key, document.entry_sha256, standings)
            planned.append(_of_what_is_here(document, intended.get(key), back))
    stornos = [
        _of_what_left(each.document, each, is_mine=each.sender == sender or now - each.at >= taken_over_after)
        for _, each in sorted(standings.items())
        if each.document.reverses and each.state == SENT
    ]
    return [*planned, *_of_no_entry(journal, standings), *stornos]


def _of_what_left(document: PostingDocument, standing: Standing, *, is_mine: bool) -> Planned:
    if standing.document.entry_sha256 != document.entry_sha256:
        return Planned(
            document,
            REFUSED,
            f"{standing.state} with {plain_price(standing.document.debit_amount)} {document.currency} "
            f"({standing.document.entry_sha256[:12]}), the journal now says {plain_price(document.debit_amount)} "
            f"({document.entry_sha256[:12]}): reverse it and post anew",
        )
    if standing.state == ACKNOWLEDGED:
        return Planned(standing.document, STANDS, standing.remote_id)
    if not is_mine:
        return Planned(standing.document, WAITS, f"another sending has it in hand since {standing.at:%Y-%m-%dT%H:%MZ}")
    return Planned(standing.document, LOOK_UP, f"{SENT} at {standing.at:%Y-%m-%dT%H:%MZ}, without an answer")


def _of_what_is_here(
    document: PostingDocument, intended: Mapping[str, str] | None, taken_back_as: Standing | None
) -> Planned:
    if intended is None or intended["entry_sha256"] != document.entry_sha256:
        return Planned(document, REFUSED, "postings are of another journal: materialise postings again")
    if intended["hold"]:
        return Planned(document, WITHHELD, intended["hold"])
    if intended["state"] == WITHHELD:
        return Planned(document, WITHHELD, "the month runs in parallel")
    if taken_back_as is not None:
        why = f"reversed ({taken_back_as.reason}), and the journal still says the same: --again posts it anew"
        return Planned(document, WITHHELD, why)
    if difference := imbalance_of(document):
        return Planned(
            document, REFUSED, f"debits less credits are {plain_price(difference)} {document.currency}, not 0"
        )
    return Planned(document, SEND)


def _of_no_entry(journal: Mapping[str, object], standings: Mapping[str, Standing]) -> Iterator[Planned]:
    for key, standing in sorted(standings.items()):
        document = standing.document
        if standing.state in LEFT_THE_HOUSE and not document.reverses and document.entry_key not in journal:
            yield Planned(document, REFUSED, f"{standing.state} and not in the journal any more: reverse {key}")
