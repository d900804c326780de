"""The asset raw_slices."""

import dagster as dg

from assets.materialisation import Inputs, day_of, materialise
from chargeback.contracts.raw_slices import RAW_SLICES
from resources.lake import Lake
from resources.settings import Settings


@dg.asset
def raw_slices(
    context: dg.AssetExecutionContext,
    lake: dg.ResourceParam[Lake],
    settings: dg.ResourceParam[Settings],
) -> dg.MaterializeResult:
    """Stub."""
    day = day_of(context, settings)
    return materialise(context, lake, RAW_SLICES, day.partition, inputs=Inputs.of(), rule=RAW_SLICES.empty)
