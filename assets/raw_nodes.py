"""The asset raw_nodes."""

import dagster as dg

from assets.landed_records import Told, written
from assets.materialisation import Day, Inputs, day_of
from chargeback.contracts.raw_nodes import RAW_NODES
from resources.lake import Lake
from resources.observations import Observations
from resources.settings import Settings


def raw_nodes_told(observations: Observations, day: Day) -> Told:
    """contracts.raw_nodes of a day, from all that has landed."""
    rows, objects = observations.inventory(day.cluster, day.day, day.interval)
    return Told(RAW_NODES, day, Inputs.of(objects=objects), lambda: rows)


@dg.asset
def raw_nodes(
    context: dg.AssetExecutionContext,
    lake: dg.ResourceParam[Lake],
    observations: dg.ResourceParam[Observations],
    settings: dg.ResourceParam[Settings],
) -> dg.MaterializeResult:
    """One row per node of the inventory in force on the day: the latest listing until its end, else the next one."""
    return written(context, lake, raw_nodes_told(observations, day_of(context, settings)))
