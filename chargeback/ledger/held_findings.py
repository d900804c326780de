"""Which journal entries would be posted although finance has not stated on what terms: found from the lines again.

Not here: the rule (held_entries.py).
"""

import polars as pl

from chargeback.contracts.journal_entries import CORRECTION_KINDS
from chargeback.ledger.corrections import booked_of
from chargeback.ledger.held_entries import PostingTerms
from chargeback.ledger.journal import entry_key_of


def unheld_findings(
    entries: pl.DataFrame, lines: pl.DataFrame, corrections: pl.DataFrame, terms: PostingTerms
) -> list[tuple[str, str, str]]:
    """Entries that are not held, or not flagged with their partner, though they must be: key, expected, observed.

    Input:   contracts.journal_entries, team_charges and corrections of one month; the terms of its card.
    """
    why = _why_held(lines, corrections, terms)
    heads = entries.unique("entry_key", maintain_order=True).sort("entry_key")
    found = []
    for entry in heads.iter_rows(named=True):
        key, expected = entry["entry_key"], why.get(entry["entry_key"], "")
        if expected and not entry["hold"]:
            found.append((key, f"held: {expected}", "not held"))
        partner = terms.partner_of(entry["company"])
        if entry["partner_company"] != partner:
            found.append((key, f"owed to {partner or 'nobody'}", f"owed to {entry['partner_company'] or 'nobody'}"))
    return found


def _why_held(lines: pl.DataFrame, corrections: pl.DataFrame, terms: PostingTerms) -> dict[str, str]:
    """Entry key -> the first reason why one of its lines is held."""
    of_lines = lines.select("month", "company", "team", "customer_class", "kind")
    booked = booked_of(corrections)
    of_corrections = [
        booked.select(
            "month", "company", "team", "customer_class", kind=pl.format("{}-{}", pl.lit(kind), "corrects_month")
        )
        for kind in CORRECTION_KINDS
    ]
    found: dict[str, str] = {}
    for month, company, team, customer_class, kind in pl.concat([of_lines, *of_corrections]).unique().sort(
        pl.all()).iter_rows():  # fmt: skip
        reason = terms.why_held(company, customer_class)
        if reason:
            found.setdefault(entry_key_of(company or terms.platform_company, month, team, kind), reason)
    return found
