"""The asset raw_pods."""

import dagster as dg

from assets.materialisation import Inputs, day_of, materialise
from chargeback.contracts.raw_pods import RAW_PODS
from resources.lake import Lake
from resources.settings import Settings


@dg.asset
def raw_pods(
    context: dg.AssetExecutionContext,
    lake: dg.ResourceParam[Lake],
    settings: dg.ResourceParam[Settings],
) -> dg.MaterializeResult:
    """Stub."""
    day = day_of(context, settings)
    return materialise(context, lake, RAW_PODS, day.partition, inputs=Inputs.of(), rule=RAW_PODS.empty)
