"""The asset raw_nodes."""

import dagster as dg

from assets.materialisation import Inputs, day_of, materialise
from chargeback.contracts.raw_nodes import RAW_NODES
from resources.lake import Lake
from resources.observations import Observations
from resources.settings import Settings


@dg.asset
def raw_nodes(
    context: dg.AssetExecutionContext,
    lake: dg.ResourceParam[Lake],
    observations: dg.ResourceParam[Observations],
    settings: dg.ResourceParam[Settings],
) -> dg.MaterializeResult:
    """One row per node of the inventory in force on the day: the latest listing until its end, else the next one."""
    day = day_of(context, settings)
    rows, objects = observations.inventory(day.cluster, day.day, day.interval)
    return materialise(context, lake, RAW_NODES, day.partition, inputs=Inputs.of(objects=objects), rule=lambda: rows)
