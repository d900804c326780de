"""The asset rated_usage."""

import dagster as dg

from assets.attribution import attribution
from assets.capacity import capacity
from assets.landed_objects import landed_objects
from assets.materialisation import Inputs, materialise, month_of
from assets.ownership import ownership
from assets.plots import rated_report
from assets.quarantine import quarantine
from assets.rate_card import rate_card
from assets.rating_terms import RatingTerms
from assets.runs import runs
from chargeback.contracts.attribution import ATTRIBUTION
from chargeback.contracts.capacity import CAPACITY
from chargeback.contracts.ownership import OWNERSHIP
from chargeback.contracts.rate_card import RATE_CARD
from chargeback.contracts.rated_usage import RATED_USAGE
from chargeback.contracts.runs import RUNS
from resources.lake import Lake
from resources.settings import Settings


@dg.asset(deps=[attribution, runs, capacity, landed_objects, quarantine, ownership, rate_card])
def rated_usage(
    context: dg.AssetExecutionContext,
    lake: dg.ResourceParam[Lake],
    settings: dg.ResourceParam[Settings],
) -> dg.MaterializeResult:
    """One row per run, host, accelerator or slice, tier, owner and day: exact quantities, nothing rounded."""
    month = month_of(context, settings)
    hours, read_runs, states = (lake.scan(table, month.days) for table in (ATTRIBUTION, RUNS, CAPACITY))
    owners = lake.scan(OWNERSHIP, [month.partition])
    prices = lake.scan(RATE_CARD, [month.partition])
    terms = RatingTerms.of(month.period, settings, prices.frame.collect())
    return materialise(
        context,
        lake,
        RATED_USAGE,
        month.partition,
        inputs=Inputs.of(hours, read_runs, states, owners, prices, settings=terms.recorded()),
        rule=lambda: terms.rated(hours.frame, read_runs.frame, states.frame, owners.frame.collect()),
        report=rated_report,
    )
