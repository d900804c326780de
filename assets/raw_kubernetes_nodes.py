"""The asset raw_kubernetes_nodes."""

import dagster as dg

from assets.landed_records import Told, told_by_snapshots, written
from assets.materialisation import Day, day_of
from chargeback.contracts.raw_kubernetes_nodes import RAW_KUBERNETES_NODES
from chargeback.usage.node_observations import raw_kubernetes_nodes_of_day
from resources.lake import Lake
from resources.observations import Observations
from resources.settings import Settings


def raw_kubernetes_nodes_told(observations: Observations, day: Day) -> Told:
    """contracts.raw_kubernetes_nodes of a day, from all that has landed."""
    return told_by_snapshots(
        observations,
        day,
        contract=RAW_KUBERNETES_NODES,
        source="kubernetes/nodes",
        fold=lambda seen, listings, of: raw_kubernetes_nodes_of_day(
            seen, listings, cluster=of.cluster, day=of.day, interval=of.interval
        ),
    )


@dg.asset
def raw_kubernetes_nodes(
    context: dg.AssetExecutionContext,
    lake: dg.ResourceParam[Lake],
    observations: dg.ResourceParam[Observations],
    settings: dg.ResourceParam[Settings],
) -> dg.MaterializeResult:
    """One row per node and stretch of the day in which its record says the same."""
    return written(context, lake, raw_kubernetes_nodes_told(observations, day_of(context, settings)))
