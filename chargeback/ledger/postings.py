"""What is meant to be posted: one row per journal entry, withheld or prepared, and how it stands if it was sent.

A repeat is harmless; a changed entry is not. Not here: sending (assets/sending.py), what became of it (outbox.py).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import polars as pl

from chargeback.contracts.outbox import REJECTED, REVERSED
from chargeback.contracts.postings import POSTINGS
from chargeback.ledger.journal import by_entry, entry_hash
from chargeback.ledger.outbox import LEFT_THE_HOUSE, Standing, at_hand, taken_back
from chargeback.ledger.plain_numbers import plain_price

PREPARED, WITHHELD = "prepared", "withheld"


@dataclass(frozen=True, slots=True)
class PostingsRefused:
    """Why postings are not written, one line a reason."""

    reasons: tuple[str, ...]


def postings_of(
    entries: pl.DataFrame, standings: Mapping[str, Standing], *, mode: str, certificate_hash: str
) -> pl.DataFrame | PostingsRefused:
    """contracts.postings of a month, in order of entry key.

    Input:   contracts.journal_entries; how the month's documents stand in the outbox; `mode` is parallel or enforced.
    Output:  withheld (in parallel, and those that are held) or prepared, resting on this certificate; of an entry that
             left the house, how it stands. What was rejected or reversed may be replaced: it does not stand there.
    Refused: an entry that was sent with other content, or that was sent and is not in the journal any more.
    Source:  design.md 5.11; docs/decisions/0033.
    """
    prepared = WITHHELD if mode == "parallel" else PREPARED
    rows: list[dict[str, Any]] = []
    reasons: list[str] = []
    journal = by_entry(entries)
    for key, entry in journal.items():
        row = _posting(entry, state=prepared, certificate_hash=certificate_hash)
        standing = at_hand(key, standings)
        is_same = standing is not None and standing.document.entry_sha256 == row["entry_sha256"]
        if standing is not None and standing.state in LEFT_THE_HOUSE:
            row["state"] = standing.state
            if not is_same:
                before = f"{plain_price(standing.document.debit_amount)} {row['currency']}"
                reasons.append(
                    f"posting {key} is {standing.state} with {before} "
                    f"({standing.document.entry_sha256[:12]}), the journal now says {plain_price(row['debit_amount'])} "
                    f"({row['entry_sha256'][:12]}): reverse it and post anew"
                )
        elif standing is not None and standing.state == REJECTED and is_same and row["state"] == PREPARED:
            row["state"] = REJECTED
        elif row["state"] == PREPARED and taken_back(key, row["entry_sha256"], standings):
            row["state"] = REVERSED
        rows.append(row)
    reasons += [
        f"posting {each.document.entry_key} is {each.state} and not in the journal any more: reverse it"
        for _, each in sorted(standings.items())
        if each.state in LEFT_THE_HOUSE and not each.document.reverses and each.document.entry_key not in journal
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
        "state": WITHHELD if head["hold"] else state,
        "debit_amount": sum(entry.filter(pl.col("side") == "debit")["amount"], Decimal(0)),
        "entry_sha256": entry_hash(entry),
        "certificate_hash": certificate_hash,
    }
    return {name: row[name] for name in POSTINGS.column_names}
