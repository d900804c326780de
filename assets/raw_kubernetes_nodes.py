"""The asset raw_kubernetes_nodes."""

import dagster as dg

from assets.landed_records import fold_snapshots
from chargeback.contracts.raw_kubernetes_nodes import RAW_KUBERNETES_NODES
from chargeback.usage.node_observations import raw_kubernetes_nodes_of_day
from resources.lake import Lake
from resources.observations import Observations
from resources.settings import Settings


@dg.asset
def raw_kubernetes_nodes(
    context: dg.AssetExecutionContext,
    lake: dg.ResourceParam[Lake],
    observations: dg.ResourceParam[Observations],
    settings: dg.ResourceParam[Settings],
) -> dg.MaterializeResult:
    """One row per node and stretch of the day in which its record says the same."""
    return fold_snapshots(
        context,
        lake=lake,
        observations=observations,
        settings=settings,
        contract=RAW_KUBERNETES_NODES,
        source="kubernetes/nodes",
        fold=lambda seen, listings, day: raw_kubernetes_nodes_of_day(
            seen, listings, cluster=day.cluster, day=day.day, interval=day.interval
        ),
    )
