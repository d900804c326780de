"""The asset maps."""

import dagster as dg

from assets.materialisation import Inputs, materialise, month_of
from assets.refusal import refused_as_failure
from chargeback.contracts.maps import MAPS
from resources.lake import Lake
from resources.people_objects import PeopleObjects
from resources.settings import Settings


@dg.asset
def maps(
    context: dg.AssetExecutionContext,
    lake: dg.ResourceParam[Lake],
    people: dg.ResourceParam[PeopleObjects],
    settings: dg.ResourceParam[Settings],
) -> dg.MaterializeResult:
    """One row per map that the settings fill: tiers, accelerators, calendar; signed by finance for the month or not."""
    month = month_of(context, settings)
    with refused_as_failure():
        rows, objects = people.maps(month.period, settings.maps)
    chosen = {
        "timezone": settings.timezone,
        "trust_root": settings.signing.trust_root,
        "maps": {each.name: each.content for each in settings.maps},
    }
    return materialise(
        context, lake, MAPS, month.partition, inputs=Inputs.of(objects=objects, settings=chosen), rule=lambda: rows
    )
