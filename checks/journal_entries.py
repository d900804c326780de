"""Checks of journal_entries."""

from chargeback.contracts.corrections import CORRECTIONS
from chargeback.contracts.journal_entries import JOURNAL_ENTRIES
from chargeback.contracts.team_charges import TEAM_CHARGES
from chargeback.ledger.corrections import with_booked
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


CHECKS = (
    Check("journal_balances", JOURNAL_ENTRIES, "Every journal entry balances.", unbalanced_entries, stops="run"),
    Check("journal_equals_charges", JOURNAL_ENTRIES, "The journal is the sum of statement lines and corrections.",
          journal_off_the_statements, stops="run"),
)  # fmt: skip
