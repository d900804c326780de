"""Checks of journal_entries."""

import polars as pl

from chargeback.contracts.class_terms import class_terms
from chargeback.contracts.corrections import CORRECTIONS
from chargeback.contracts.journal_entries import JOURNAL_ENTRIES
from chargeback.contracts.rate_card import RATE_CARD
from chargeback.contracts.team_charges import TEAM_CHARGES
from chargeback.ledger.corrections import with_booked
from chargeback.ledger.held_entries import PostingTerms
from chargeback.ledger.held_findings import unheld_findings
from chargeback.ledger.journal import balance_findings, journal_findings
from checks.gate import Check, Outcome, Reading, findings_of


def unbalanced_entries(reading: Reading) -> Outcome:
    """Entries whose debits and credits differ."""
    rows = reading.table(JOURNAL_ENTRIES).collect()
    told = balance_findings(rows)
    findings = findings_of([("journal entry", "debits = credits", finding) for finding in told])
    return Outcome(findings, {"entries": rows["entry_key"].n_unique()})


def journal_off_the_statements(reading: Reading) -> Outcome:
    """Teams whose journal and statement lines differ."""
    every = with_booked(reading.table(TEAM_CHARGES).collect(), reading.table(CORRECTIONS).collect())
    told = journal_findings(reading.table(JOURNAL_ENTRIES).collect(), every)
    return Outcome(findings_of([("team", "journal = statement lines", finding) for finding in told]))


def posted_without_terms(reading: Reading) -> Outcome:
    """Entries that leave the company and are not held, although finance has not stated the terms."""
    terms = PostingTerms(reading.settings.journal.company, class_terms(reading.table(RATE_CARD).collect()))
    entries = reading.table(JOURNAL_ENTRIES).collect()
    told = unheld_findings(entries, reading.table(TEAM_CHARGES).collect(), reading.table(CORRECTIONS).collect(), terms)
    held = entries.filter(pl.col("hold") != "")["entry_key"].n_unique()
    return Outcome(findings_of(told), {"held_entries": held})


CHECKS = (
    Check("journal_balances", JOURNAL_ENTRIES, "Every journal entry balances.", unbalanced_entries, stops="run"),
    Check("journal_equals_charges", JOURNAL_ENTRIES, "The journal is the sum of statement lines and corrections.",
          journal_off_the_statements, stops="run"),
    Check("journal_held_for_terms", JOURNAL_ENTRIES, "What leaves the company is held until finance has stated mark-up "
          "and tax code.", posted_without_terms, stops="run"),
)  # fmt: skip
