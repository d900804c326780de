"""Checks of focus_billing_period."""

from chargeback.contracts.focus_billing_period import FOCUS_BILLING_PERIOD
from chargeback.contracts.focus_cost_and_usage import FOCUS_COST_AND_USAGE
from checks.gate import Check, Outcome, Reading, findings_of

SHARED = ("BillingPeriodStart", "BillingPeriodEnd", "InvoiceIssuerName")


def periods_off_the_rows(reading: Reading) -> Outcome:
    """A month that is not one period, or another than its cost rows name."""
    periods = reading.table(FOCUS_BILLING_PERIOD).select(SHARED).collect().rows()
    used = reading.table(FOCUS_COST_AND_USAGE).select(SHARED).unique().sort(SHARED).collect().rows()
    told = [("billing periods", "one a month", str(len(periods)))] if len(periods) != 1 else []
    told += [("focus_cost_and_usage", f"one of {periods}", str(row)) for row in used if row not in periods]
    return Outcome(findings_of(told), {"periods": len(periods)})


CHECKS = (
    Check("focus_period_conforms", FOCUS_BILLING_PERIOD, "The month is one billing period, the one its rows name.",
          periods_off_the_rows, stops="run"),
)  # fmt: skip
