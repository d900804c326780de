"""Checks of recovery."""

from chargeback.contracts.journal_entries import JOURNAL_ENTRIES
from chargeback.contracts.recovery import RECOVERY
from chargeback.contracts.team_charges import TEAM_CHARGES
from chargeback.ledger.recovery import plans_of
from chargeback.ledger.recovery_findings import identity_findings, ledger_findings, recovered_findings
from chargeback.pricing.planned_costs import planned_costs
from checks.gate import Check, Outcome, Reading, findings_of
from checks.rate_card import cards_that_price
from resources.people_objects import PeopleObjects


def pools_that_do_not_add_up(reading: Reading) -> Outcome:
    """Accelerators whose pool is not the sum of its terms, or whose rounding hides more than rounding."""
    rows = reading.table(RECOVERY).collect()
    told = identity_findings(rows, reading.settings.currency)
    return Outcome(findings_of(told), {"accelerators": len(rows)})


def recovered_off_the_journal(reading: Reading) -> Outcome:
    """Accelerators that recovered another amount than their lines charge, and a total that the journal has not."""
    told = recovered_findings(*(reading.table(table).collect() for table in (RECOVERY, TEAM_CHARGES, JOURNAL_ENTRIES)))
    return Outcome(findings_of(told))


def unusable_ledger_rows(reading: Reading) -> Outcome:
    """Rows of the month's general ledger that are quarantined or in no pool, and planned components nobody posted."""
    rows = reading.table(RECOVERY).collect()
    cards = [card for _, card in cards_that_price(reading) if card is not None]
    planned = planned_costs(build_up for card in cards for build_up in card.build_ups)
    currency = reading.settings.currency
    month = dict(reading.partition.values)["month"]
    ledger, objects = PeopleObjects(reading.landing).general_ledger(month, currency)
    told = ledger_findings(ledger, plans_of(planned), currency)
    quarantined = int(rows["quarantined_rows"].max() or 0) if len(rows) else 0  # type: ignore[arg-type]
    return Outcome(findings_of(told), {"extracts": len(objects), "quarantined_rows": quarantined})


CHECKS = (
    Check("recovery_adds_up", RECOVERY, "Every pool is recovered, or its rest is accounted for, to the cent.",
          pools_that_do_not_add_up, stops="run"),
    Check("recovered_equals_journal", RECOVERY, "What was recovered is what lines charge and the journal books.",
          recovered_off_the_journal, stops="run"),
    Check("general_ledger_read", RECOVERY, "Every row of the month's general ledger is in a pool.",
          unusable_ledger_rows, stops="nothing"),
)  # fmt: skip
