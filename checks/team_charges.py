"""Checks of team_charges."""

from chargeback.contracts.rated_usage import RATED_USAGE
from chargeback.contracts.team_charges import TEAM_CHARGES
from chargeback.ledger.charge_findings import completeness_findings, recompute_findings
from checks.gate import Check, Outcome, Reading, findings_of


def lines_that_do_not_recompute(reading: Reading) -> Outcome:
    """Lines whose quantity or amount does not follow from rated usage, computed by another route."""
    lines, rated = reading.table(TEAM_CHARGES).collect(), reading.table(RATED_USAGE).collect()
    told = recompute_findings(lines, rated, currency=reading.settings.currency)
    return Outcome(findings_of([("line", "what rated usage makes it", finding) for finding in told]))


def held_time_without_a_line(reading: Reading) -> Outcome:
    """GPU-seconds that were held and stand on no line."""
    lines, rated = reading.table(TEAM_CHARGES).collect(), reading.table(RATED_USAGE).collect()
    told = completeness_findings(lines, rated)
    return Outcome(findings_of([("accelerator", "every held second on a line", finding) for finding in told]))


CHECKS = (
    Check("charges_recompute", TEAM_CHARGES, "Every line is what its usage and price make it.",
          lines_that_do_not_recompute, stops="run"),
    Check("charges_complete", TEAM_CHARGES, "Every held second stands on a line.", held_time_without_a_line,
          stops="certificate"),
)  # fmt: skip
