"""The asset focus_cost_and_usage."""

import dagster as dg

from assets.corrections import corrections
from assets.enforcement import mode_of
from assets.focus_terms import focus_terms_of
from assets.journal_entries import journal_entries
from assets.materialisation import Inputs, materialise, month_of
from assets.rate_card import rate_card
from assets.rated_usage import rated_usage
from assets.statements import statements
from assets.team_charges import team_charges
from chargeback.contracts.corrections import CORRECTIONS
from chargeback.contracts.focus_cost_and_usage import FOCUS_COST_AND_USAGE
from chargeback.contracts.rate_card import RATE_CARD
from chargeback.contracts.rated_usage import RATED_USAGE
from chargeback.contracts.statements import STATEMENTS
from chargeback.contracts.team_charges import TEAM_CHARGES
from chargeback.ledger.focus_corrections import booked_for_focus
from chargeback.ledger.focus_rows import focus_rows
from resources.lake import Lake
from resources.people_objects import PeopleObjects
from resources.settings import Settings


@dg.asset(
    deps=[rated_usage, team_charges, corrections, rate_card, statements, journal_entries]
)  # its check reads the journal
def focus_cost_and_usage(
    context: dg.AssetExecutionContext,
    lake: dg.ResourceParam[Lake],
    people: dg.ResourceParam[PeopleObjects],
    settings: dg.ResourceParam[Settings],
) -> dg.MaterializeResult:
    """One row per job-day slice and owner in FOCUS 1.3's words, and one Adjustment per invoice: ties to the cent."""
    month = month_of(context, settings)
    terms = focus_terms_of(month, settings, mode_of(month, lake=lake, people=people, settings=settings))
    rated, lines, corrected, prices, stated = (
        lake.scan(table, [month.partition]) for table in (RATED_USAGE, TEAM_CHARGES, CORRECTIONS, RATE_CARD, STATEMENTS)
    )
    return materialise(
        context,
        lake,
        FOCUS_COST_AND_USAGE,
        month.partition,
        inputs=Inputs.of(rated, lines, corrected, prices, stated, settings={"terms": terms}),
        rule=lambda: focus_rows(
            rated.frame,
            lines.frame.collect(),
            prices.frame.collect(),
            stated.frame.select("team", "statement_id", "total_amount").collect(),
            terms=terms,
            corrections=booked_for_focus(corrected.frame.collect()),
        ),
    )
