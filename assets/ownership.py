"""The asset ownership."""

import dagster as dg

from assets.materialisation import Inputs, materialise, month_of
from assets.refusal import refused_as_failure
from chargeback.contracts.ownership import OWNERSHIP
from resources.lake import Lake
from resources.people_objects import PeopleObjects
from resources.settings import Settings


@dg.asset
def ownership(
    context: dg.AssetExecutionContext,
    lake: dg.ResourceParam[Lake],
    people: dg.ResourceParam[PeopleObjects],
    settings: dg.ResourceParam[Settings],
) -> dg.MaterializeResult:
    """One row per account (or user), owner and stretch of days of the month, with the part that the owner bears."""
    month = month_of(context, settings)
    with refused_as_failure():
        rows, objects = people.ownership(month.period)
    return materialise(context, lake, OWNERSHIP, month.partition, inputs=Inputs.of(objects=objects), rule=lambda: rows)
