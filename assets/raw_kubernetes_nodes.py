"""The asset raw_kubernetes_nodes."""

import dagster as dg

from assets.materialisation import Inputs, day_of, materialise
from chargeback.contracts.raw_kubernetes_nodes import RAW_KUBERNETES_NODES
from resources.lake import Lake
from resources.settings import Settings


@dg.asset
def raw_kubernetes_nodes(
    context: dg.AssetExecutionContext,
    lake: dg.ResourceParam[Lake],
    settings: dg.ResourceParam[Settings],
) -> dg.MaterializeResult:
    """Stub."""
    day = day_of(context, settings)
    return materialise(
        context, lake, RAW_KUBERNETES_NODES, day.partition, inputs=Inputs.of(), rule=RAW_KUBERNETES_NODES.empty
    )
