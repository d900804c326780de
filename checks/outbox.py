"""Checks of outbox."""

from assets.posting_month import tie_out_of
from chargeback.contracts.outbox import OUTBOX
from chargeback.ledger.outbox import order_findings, single_findings, standings_of
from checks.gate import Check, Outcome, Reading, findings_of
from resources.finance_system import FinanceFailure
from resources.open_store import store_at
from resources.posting_systems import finance_system
from resources.setting_kinds import SettingsRefused


def steps_out_of_order(reading: Reading) -> Outcome:
    """Steps that cannot follow one another, or whose numbers have gaps."""
    rows = reading.table(OUTBOX).collect()
    return Outcome(findings_of(order_findings(rows)), {"steps": len(rows)})


def entries_posted_twice(reading: Reading) -> Outcome:
    """Keys with two contents, and journal entries of which two postings stand at once."""
    rows = reading.table(OUTBOX).collect()
    return Outcome(findings_of(single_findings(rows)), {"documents": rows["document_key"].n_unique()})


def books_that_do_not_tie(reading: Reading) -> Outcome:
    """Accounts and documents that the finance system holds otherwise than the outbox says; it is asked now."""
    standings = standings_of(reading.table(OUTBOX).collect())
    if not standings:
        return Outcome(findings_of([]), {"accounts": 0})
    try:
        tied = tie_out_of(standings, finance_system(reading.settings, store_at(reading.settings.location)))
    except (FinanceFailure, SettingsRefused) as failure:
        return Outcome(findings_of([("finance system", "an answer", str(failure))]), {"accounts": 0})
    told = [(each.account, f"{each.ours:f}", f"{each.theirs:f}") for each in tied.accounts if each.difference]
    told += [("document", "as it was sent", finding) for finding in tied.findings]
    return Outcome(findings_of(told), {"accounts": len(tied.accounts)})


CHECKS = (
    Check("outbox_in_order", OUTBOX, "Each document goes from sent to acknowledged or rejected, and nothing is undone.",
          steps_out_of_order, stops="run"),
    Check("outbox_single", OUTBOX, "A key has one content, and an entry one posting that stands.",
          entries_posted_twice, stops="run"),
    Check("outbox_ties_out", OUTBOX, "The finance system holds what was sent, per account to the cent.",
          books_that_do_not_tie, stops="run"),
)  # fmt: skip
