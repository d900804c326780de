"""The asset recovery."""

import dagster as dg

from assets.capacity import capacity
from assets.journal_entries import journal_entries
from assets.materialisation import Inputs, materialise, month_of
from assets.rate_card import rate_card
from assets.rated_usage import rated_usage
from assets.refusal import refused_as_failure
from assets.team_charges import team_charges
from chargeback.contracts.capacity import CAPACITY
from chargeback.contracts.rate_card import RATE_CARD
from chargeback.contracts.rated_usage import RATED_USAGE
from chargeback.contracts.recovery import RECOVERY
from chargeback.contracts.team_charges import TEAM_CHARGES
from chargeback.ledger.capacity_totals import capacity_totals
from chargeback.ledger.recovery import recovery_rows
from chargeback.ledger.recovery_hours import weeks_by_accelerator
from chargeback.pricing.planned_costs import planned_costs
from resources.lake import Lake
from resources.people_objects import PeopleObjects
from resources.settings import Settings


@dg.asset(deps=[team_charges, journal_entries, rated_usage, capacity, rate_card])
def recovery(
    context: dg.AssetExecutionContext,
    lake: dg.ResourceParam[Lake],
    people: dg.ResourceParam[PeopleObjects],
    settings: dg.ResourceParam[Settings],
) -> dg.MaterializeResult:
    """One row per accelerator: what it cost, what was recovered of that, and where the rest went."""
    month = month_of(context, settings)
    lines, prices, rated = (lake.scan(table, [month.partition]) for table in (TEAM_CHARGES, RATE_CARD, RATED_USAGE))
    hours = lake.scan(CAPACITY, month.days_of(CAPACITY))
    with refused_as_failure():
        card, card_objects = people.rate_card(month.period, currency=settings.currency_code)
    ledger, ledger_objects = people.general_ledger(month.period.month, settings.currency)
    return materialise(
        context,
        lake,
        RECOVERY,
        month.partition,
        inputs=Inputs.of(
            lines, prices, rated, hours,
            objects={**card_objects, **ledger_objects}, settings={"currency": settings.currency_code},
        ),
        rule=lambda: recovery_rows(
            lines.frame.collect(),
            prices.frame.collect(),
            planned_costs(card.build_ups),
            ledger,
            capacity_totals(hours.frame),
            weeks_by_accelerator(hours.frame, rated.frame),
            month=month.period.month,
            currency=settings.currency,
        ),
    )  # fmt: skip
