"""Checks of team_charges."""

from chargeback.contracts.rate_card import RATE_CARD
from chargeback.contracts.rated_usage import RATED_USAGE
from chargeback.contracts.team_charges import TEAM_CHARGES
from chargeback.ledger.charge_findings import completeness_findings, recompute_findings
from chargeback.ledger.drift import unattributed_findings
from chargeback.ledger.line_prices import line_price_findings
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


def lines_priced_otherwise(reading: Reading) -> Outcome:
    """Lines whose price, or amount over quantity, is not what the card in force states for them."""
    lines, prices = reading.table(TEAM_CHARGES).collect(), reading.table(RATE_CARD).collect()
    return Outcome(findings_of(line_price_findings(lines, prices)), {"lines": len(lines)})


def owners_unknown(reading: Reading) -> Outcome:
    """Whether more of the held hours than unattributed_limit_percent has no owner."""
    limit = reading.settings.policies.unattributed_limit_percent
    return Outcome(findings_of(unattributed_findings(reading.table(TEAM_CHARGES).collect(), limit_percent=limit)))


CHECKS = (
    Check("charges_recompute", TEAM_CHARGES, "Every line is what its usage and price make it.",
          lines_that_do_not_recompute, stops="run"),
    Check("charges_complete", TEAM_CHARGES, "Every held second stands on a line.", held_time_without_a_line,
          stops="certificate"),
    Check("line_prices_equal_card", TEAM_CHARGES, "The effective price of every line is the card's.",
          lines_priced_otherwise, stops="run"),
    Check("owners_known", TEAM_CHARGES, "No more of the held hours than unattributed_limit_percent has no owner.",
          owners_unknown, stops="nothing"),
)  # fmt: skip
