"""The outbox: one row per journal entry and what became of it. A repeat is harmless; a changed entry is not.

Not here: sending. In a parallel month every row is withheld.
"""

from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import polars as pl

from chargeback.contracts.postings import POSTINGS
from chargeback.ledger.journal import by_entry, entry_hash

REPLACEABLE = ("withheld", "prepared")
"""States before anything left the house; from `sent` on a posting is never replaced."""


@dataclass(frozen=True, slots=True)
class PostingsRefused:
    """Why the outbox is not written, one line a reason."""

    reasons: tuple[str, ...]


def postings_of(
    entries: pl.DataFrame, existing: pl.DataFrame | None, *, mode: str, certificate_hash: str
) -> pl.DataFrame | PostingsRefused:
    """contracts.postings of a month, in order of entry key.

    Input:   contracts.journal_entries; the month's rows that stand in the outbox, if any; `mode` is parallel or
             enforced.
    Output:  entries not sent yet: withheld (in parallel, and those that are held) or prepared, resting on this
             certificate. Entries sent with the same content keep their row as it is: a repeat changes nothing.
    Refused: an entry that was sent with other content, or that was sent and is not in the journal any more.
    Source:  design.md 5.11.
    """
    sent = {} if existing is None else {
        row["entry_key"]: row for row in existing.iter_rows(named=True) if row["state"] not in REPLACEABLE
    }  # fmt: skip
    state = "withheld" if mode == "parallel" else "prepared"
    rows: list[dict[str, Any]] = []
    reasons: list[str] = []
    for key, entry in by_entry(entries).items():
        row = _posting(entry, state=state, certificate_hash=certificate_hash)
        earlier = sent.pop(key, None)
        if earlier is not None and earlier["entry_sha256"] != row["entry_sha256"]:
            reasons.append(
                f"posting {key} is {earlier['state']} with {earlier['debit_amount']:f} {earlier['currency']} "
                f"({earlier['entry_sha256'][:12]}), the journal now says {row['debit_amount']:f} "
                f"({row['entry_sha256'][:12]}): reverse it and post anew"
            )
        rows.append(earlier or row)
    reasons += [
        f"posting {key} is {row['state']} and not in the journal any more: reverse it" for key, row in sent.items()
    ]
    if reasons:
        return PostingsRefused(tuple(reasons))
    return pl.DataFrame(rows, schema=POSTINGS.schema, orient="row").sort("entry_key")


def unsigned_cards(prices: pl.DataFrame, *, mode: str) -> list[tuple[str, str, str]]:
    """Findings (card, expected, observed) against cards that may not price what is sent; none in a parallel month.

    Input:   contracts.rate_card of one month.
    Source:  docs/decisions/0021. Asked by the gate, and again by the sending.
    """
    if mode == "parallel":
        return []
    cards = prices.filter(~pl.col("is_signed")).select("card_version", "signature").unique().sort("card_version")
    found = [(f"rate card {version}", "a signature that counts", signature) for version, signature in cards.iter_rows()]
    return found if found or len(prices) else [("rate card", "a signed card", "no card")]


def _posting(entry: pl.DataFrame, *, state: str, certificate_hash: str) -> dict[str, Any]:
    head = entry.row(0, named=True)
    row = {
        **head,
        "state": "withheld" if head["hold"] else state,
        "debit_amount": sum(entry.filter(pl.col("side") == "debit")["amount"], Decimal(0)),
        "entry_sha256": entry_hash(entry),
        "certificate_hash": certificate_hash,
    }
    return {name: row[name] for name in POSTINGS.column_names}
