"""The asset raw_nodes."""

import dagster as dg

from assets.landed_records import Told, shas_of, written
from assets.materialisation import Day, Inputs, day_of
from chargeback.contracts.raw_nodes import RAW_NODES
from resources.lake import Lake
from resources.observations import Observations
from resources.settings import Settings


def raw_nodes_told(observations: Observations, day: Day) -> Told:
    """contracts.raw_nodes of a day, from all that has landed."""
    in_force = observations.inventory_in_force(day.cluster, day.interval)
    inputs = Inputs.of(objects=shas_of([in_force] if in_force else []))
    return Told(RAW_NODES, day, inputs, lambda: observations.inventory(day.cluster, day.day, day.interval)[0])


@dg.asset
def raw_nodes(
    context: dg.AssetExecutionContext,
    lake: dg.ResourceParam[Lake],
    observations: dg.ResourceParam[Observations],
    settings: dg.ResourceParam[Settings],
) -> dg.MaterializeResult:
    """One row per node of the inventory in force on the day: the latest listing until its end, else the next one."""
    return written(context, lake, raw_nodes_told(observations, day_of(context, settings)))
