"""Checks of postings."""

from chargeback.contracts.journal_entries import JOURNAL_ENTRIES
from chargeback.contracts.postings import POSTINGS
from chargeback.ledger.journal import by_entry, entry_hash
from checks.gate import Check, Outcome, Reading, findings_of


def postings_off_the_journal(reading: Reading) -> Outcome:
    """Journal entries without exactly one posting of the same content, and postings without an entry."""
    entries = {key: entry_hash(entry) for key, entry in by_entry(reading.table(JOURNAL_ENTRIES).collect()).items()}
    rows = reading.table(POSTINGS).select("entry_key", "entry_sha256").collect()
    posted: dict[str, str] = dict(rows.iter_rows())
    told = [
        (key, entries.get(key, "no entry"), posted.get(key, "no posting"))
        for key in sorted({*entries, *posted})
        if entries.get(key) != posted.get(key)
    ]
    return Outcome(findings_of(told), {"postings": len(rows)})


CHECKS = (
    Check("postings_single", POSTINGS, "Every journal entry has exactly one posting of the same content.",
          postings_off_the_journal, stops="run"),
)  # fmt: skip
