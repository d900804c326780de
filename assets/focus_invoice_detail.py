"""The asset focus_invoice_detail."""

import dagster as dg

from assets.corrections import corrections
from assets.enforcement import mode_of
from assets.focus_terms import focus_terms_of
from assets.materialisation import Inputs, materialise, month_of
from assets.statements import statements
from assets.team_charges import team_charges
from chargeback.contracts.corrections import CORRECTIONS
from chargeback.contracts.focus_invoice_detail import FOCUS_INVOICE_DETAIL
from chargeback.contracts.statements import STATEMENTS
from chargeback.contracts.team_charges import TEAM_CHARGES
from chargeback.ledger.focus_corrections import booked_for_focus
from chargeback.ledger.focus_invoices import invoice_details
from resources.lake import Lake
from resources.people_objects import PeopleObjects
from resources.settings import Settings


@dg.asset(deps=[team_charges, corrections, statements])
def focus_invoice_detail(
    context: dg.AssetExecutionContext,
    lake: dg.ResourceParam[Lake],
    people: dg.ResourceParam[PeopleObjects],
    settings: dg.ResourceParam[Settings],
) -> dg.MaterializeResult:
    """One row per statement line, as a line of its invoice, in FOCUS 1.4's words."""
    month = month_of(context, settings)
    terms = focus_terms_of(month, settings, mode_of(month, lake=lake, people=people, settings=settings))
    lines, corrected, stated = (
        lake.scan(table, [month.partition]) for table in (TEAM_CHARGES, CORRECTIONS, STATEMENTS)
    )
    return materialise(
        context,
        lake,
        FOCUS_INVOICE_DETAIL,
        month.partition,
        inputs=Inputs.of(lines, corrected, stated, settings={"terms": terms}),
        rule=lambda: invoice_details(
            lines.frame.collect(),
            stated.frame.select("team", "statement_id").collect(),
            terms=terms,
            corrections=booked_for_focus(corrected.frame.collect()),
        ),
    )
