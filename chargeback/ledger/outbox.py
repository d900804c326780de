"""What became of documents: the steps that may follow one another, and how a document stands after them.

    sent -> acknowledged -> reversed        sent -> rejected -> sent -> ...

A step is added, never changed. Not here: which documents are sent (posting_plan.py), and sending.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import polars as pl

from chargeback.contracts.outbox import ACKNOWLEDGED, OUTBOX, REJECTED, REVERSED, SENT
from chargeback.ledger.posting_document import PostingDocument, document_key_of, read_document

FOLLOWS = {
    None: (SENT,),
    SENT: (SENT, ACKNOWLEDGED, REJECTED),
    ACKNOWLEDGED: (REVERSED,),
    REJECTED: (SENT,),
    REVERSED: (),
}
"""State -> the states that may come next; None before the first. A `sent` after a `sent` is another sending's."""
LEFT_THE_HOUSE = (SENT, ACKNOWLEDGED)
"""States in which the finance system has it, or may have it."""


@dataclass(frozen=True, slots=True)
class Standing:
    """How a document stands: its latest step."""

    document: PostingDocument
    state: str
    sequence: int
    at: datetime
    sender: str
    system: str
    posting_month: str
    remote_id: str
    reason: str


@dataclass(frozen=True, slots=True)
class Step:
    """One step to be added. `posting_month`, `remote_id` and `reason` as in contracts.outbox."""

    document: PostingDocument
    state: str
    posting_month: str
    remote_id: str = ""
    reason: str = ""


def standings_of(rows: pl.DataFrame) -> dict[str, Standing]:
    """Document key -> how it stands, by contracts.outbox of one month."""
    found = {}
    for row in rows.sort("document_key", "sequence").iter_rows(named=True):
        found[row["document_key"]] = Standing(
            read_document(row["document"]), row["state"], row["sequence"], row["at"], row["sender"], row["system"],
            row["posting_month"], row["remote_id"], row["reason"],
        )  # fmt: skip
    return found


def revision_of(entry_key: str, standings: Mapping[str, Standing]) -> int:
    """Which posting of an entry is the one at hand: the first that was not reversed."""
    revision = 1
    while (standing := standings.get(document_key_of(entry_key, revision))) and standing.state == REVERSED:
        revision += 1
    return revision


def at_hand(entry_key: str, standings: Mapping[str, Standing]) -> Standing | None:
    """How the posting of an entry stands that is at hand; None if it was never sent."""
    return standings.get(document_key_of(entry_key, revision_of(entry_key, standings)))


def taken_back(entry_key: str, entry_sha256: str, standings: Mapping[str, Standing]) -> Standing | None:
    """The last posting of an entry, if it was reversed and the journal still says the same."""
    last = standings.get(document_key_of(entry_key, revision_of(entry_key, standings) - 1))
    return last if last is not None and last.document.entry_sha256 == entry_sha256 else None


def with_steps(rows: pl.DataFrame, steps: Iterable[Step], *, at: datetime, system: str, sender: str) -> pl.DataFrame:
    """contracts.outbox with further steps. Raises ValueError for one that may not follow: that is wrong code."""
    standings = standings_of(rows)
    added: list[dict[str, Any]] = []
    for step in steps:
        key = step.document.key
        before = standings.get(key)
        if step.state not in FOLLOWS[before.state if before else None]:
            raise ValueError(f"{key}: {step.state} cannot follow {before.state if before else 'nothing'}")
        row = _row(step, sequence=before.sequence + 1 if before else 1, at=at, system=system, sender=sender)
        added.append(row)
        standings[key] = Standing(
            step.document, step.state, row["sequence"], at, sender, system, step.posting_month, step.remote_id,
            step.reason,
        )  # fmt: skip
    more = pl.DataFrame(added, schema=OUTBOX.schema, orient="row")
    return pl.concat([rows, more]).sort(OUTBOX.key)


def order_findings(rows: pl.DataFrame) -> list[tuple[str, str, str]]:
    """Steps that could not follow one another, or are not numbered 1, 2, 3: key, expected, observed."""
    found = []
    states: dict[str, tuple[int, str | None]] = {}
    for key, sequence, state in rows.sort(OUTBOX.key).select("document_key", "sequence", "state").iter_rows():
        last, before = states.get(key, (0, None))
        if sequence != last + 1:
            found.append((key, f"step {last + 1}", f"step {sequence}"))
        if state not in FOLLOWS[before]:
            found.append((key, f"{' or '.join(FOLLOWS[before]) or 'no step'} after {before or 'nothing'}", state))
        states[key] = sequence, state
    return found


def single_findings(rows: pl.DataFrame) -> list[tuple[str, str, str]]:
    """Keys with two contents, and entries of which two postings stand at once: key, expected, observed."""
    found = []
    contents = rows.group_by("document_key").agg(pl.col("document_sha256").n_unique()).sort("document_key")
    found += [(key, "one content", f"{count} contents") for key, count in contents.iter_rows() if count > 1]
    standing: dict[str, list[str]] = {}
    for key, each in standings_of(rows).items():
        if each.state in LEFT_THE_HOUSE and not each.document.reverses:
            standing.setdefault(each.document.entry_key, []).append(key)
    found += [
        (entry, "one posting that stands", ", ".join(keys)) for entry, keys in sorted(standing.items()) if len(keys) > 1
    ]
    return found


def _row(step: Step, *, sequence: int, at: datetime, system: str, sender: str) -> dict[str, Any]:
    document = step.document
    row = {
        "month": document.month,
        "company": document.company,
        "team": document.team,
        "entry_key": document.entry_key,
        "document_key": document.key,
        "sequence": sequence,
        "state": step.state,
        "at": at,
        "system": system,
        "sender": sender,
        "entry_sha256": document.entry_sha256,
        "document_sha256": document.sha256,
        "debit_amount": document.debit_amount,
        "currency": document.currency,
        "posting_month": step.posting_month,
        "remote_id": step.remote_id,
        "reason": step.reason,
        "document": document.text(),
    }
    return {name: row[name] for name in OUTBOX.column_names}
