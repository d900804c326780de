"""The worked month in FOCUS's words, for tests."""

from collections.abc import Mapping

import polars as pl

from chargeback.ledger.charges import charge_lines
from chargeback.ledger.focus_rows import focus_rows
from chargeback.ledger.focus_terms import FocusTerms
from chargeback.pricing.credits import NO_CREDITS, CreditPolicies
from chargeback.pricing.prices_of_month import prices_of_month
from tests.chargeback.ledger.worked_statements import worked_statements
from tests.chargeback.worked_month import EUR, MARCH, SUSPENDED, rated_usage, the_card


def terms(mode: str = "enforced") -> FocusTerms:
    """The worked month's terms."""
    return FocusTerms(
        period=MARCH, currency="EUR", mode=mode, provider="GPU platform", host_provider="Example Corp",
        region="ams1", region_name="Amsterdam 1", billing_account="C1", billing_account_name="C1",
        payment_terms="Net 30", schedulers={"slurm-a": "slurm"},
    )  # fmt: skip


def focus_month(
    mode: str = "enforced",
    corrections: pl.DataFrame | None = None,
    credit_policies: CreditPolicies = NO_CREDITS,
    suspended: Mapping[str, int] = SUSPENDED,
) -> pl.DataFrame:
    """Its contracts.focus_cost_and_usage."""
    prices = prices_of_month(the_card(), period=MARCH)
    rated = rated_usage(credit_policies=credit_policies, suspended=suspended)
    lines = charge_lines(rated, currency=EUR)
    statements = worked_statements(rated=rated, lines=lines)
    return focus_rows(rated, lines, prices, statements, terms=terms(mode), corrections=corrections)
