"""The asset rate_card."""

import dagster as dg

from assets.materialisation import Inputs, materialise, month_of
from assets.refusal import refused_as_failure
from chargeback.contracts.rate_card import RATE_CARD
from chargeback.pricing.prices_of_month import prices_of_month
from resources.lake import Lake
from resources.people_objects import PeopleObjects
from resources.settings import Settings


@dg.asset
def rate_card(
    context: dg.AssetExecutionContext,
    lake: dg.ResourceParam[Lake],
    people: dg.ResourceParam[PeopleObjects],
    settings: dg.ResourceParam[Settings],
) -> dg.MaterializeResult:
    """One row per accelerator (or slice) and tier that the card in force in the month prices."""
    month = month_of(context, settings)
    with refused_as_failure():
        card, objects = people.rate_card(month.period, currency=settings.currency_code)
    return materialise(
        context,
        lake,
        RATE_CARD,
        month.partition,
        inputs=Inputs.of(
            objects=objects,
            settings={
                "timezone": settings.timezone,
                "currency": settings.currency_code,
                "trust_root": settings.signing.trust_root,
            },
        ),
        rule=lambda: prices_of_month(card, period=month.period),
    )
