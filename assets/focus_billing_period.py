"""The asset focus_billing_period."""

import dagster as dg

from assets.enforcement import mode_of
from assets.focus_cost_and_usage import focus_cost_and_usage
from assets.focus_terms import focus_terms_of
from assets.materialisation import Inputs, materialise, month_of
from chargeback.contracts.focus_billing_period import FOCUS_BILLING_PERIOD
from chargeback.ledger.focus_invoices import billing_period
from resources.lake import Lake
from resources.people_objects import PeopleObjects
from resources.settings import Settings


@dg.asset(deps=[focus_cost_and_usage])
def focus_billing_period(
    context: dg.AssetExecutionContext,
    lake: dg.ResourceParam[Lake],
    people: dg.ResourceParam[PeopleObjects],
    settings: dg.ResourceParam[Settings],
) -> dg.MaterializeResult:
    """One row: whether the month may still change, in FOCUS 1.4's words."""
    month = month_of(context, settings)
    terms = focus_terms_of(month, settings, mode_of(month, lake=lake, people=people, settings=settings))
    return materialise(
        context,
        lake,
        FOCUS_BILLING_PERIOD,
        month.partition,
        inputs=Inputs.of(settings={"terms": terms}),
        rule=lambda: billing_period(terms=terms),
    )
