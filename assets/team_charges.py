"""The asset team_charges."""

import dagster as dg

from assets.materialisation import Inputs, materialise, month_of
from assets.plots import charges_report
from assets.rated_usage import rated_usage
from chargeback.contracts.rated_usage import RATED_USAGE
from chargeback.contracts.team_charges import TEAM_CHARGES
from chargeback.ledger.charges import charge_lines
from resources.lake import Lake
from resources.settings import Settings


@dg.asset(deps=[rated_usage])
def team_charges(
    context: dg.AssetExecutionContext,
    lake: dg.ResourceParam[Lake],
    settings: dg.ResourceParam[Settings],
) -> dg.MaterializeResult:
    """One row per statement line of a month: what it costs, rounded once."""
    month = month_of(context, settings)
    rated = lake.scan(RATED_USAGE, [month.partition])
    return materialise(
        context,
        lake,
        TEAM_CHARGES,
        month.partition,
        inputs=Inputs.of(rated, settings={"currency": settings.currency_code}),
        rule=lambda: charge_lines(rated.frame, currency=settings.currency),
        report=charges_report,
    )
