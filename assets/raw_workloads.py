"""The asset raw_workloads."""

import dagster as dg

from assets.materialisation import Inputs, day_of, materialise
from chargeback.contracts.raw_workloads import RAW_WORKLOADS
from resources.lake import Lake
from resources.settings import Settings


@dg.asset
def raw_workloads(
    context: dg.AssetExecutionContext,
    lake: dg.ResourceParam[Lake],
    settings: dg.ResourceParam[Settings],
) -> dg.MaterializeResult:
    """Stub."""
    day = day_of(context, settings)
    return materialise(context, lake, RAW_WORKLOADS, day.partition, inputs=Inputs.of(), rule=RAW_WORKLOADS.empty)
