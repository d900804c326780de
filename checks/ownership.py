"""Checks of ownership."""

from chargeback.contracts.ownership import OWNERSHIP
from chargeback.pricing.ownership import ownership_findings
from checks.gate import Check, Outcome, Reading, findings_of


def ambiguous_owners(reading: Reading) -> Outcome:
    """Keys that are given away more than once on a day."""
    rows = reading.table(OWNERSHIP).collect()
    told = [("ownership", "at most 100 per cent of a key on any day", finding) for finding in ownership_findings(rows)]
    return Outcome(findings_of(told), {"rows": len(rows)})


CHECKS = (
    Check("ownership_unambiguous", OWNERSHIP, "Nobody's usage is given away twice.", ambiguous_owners, stops="run"),
)  # fmt: skip
