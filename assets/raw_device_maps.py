"""The asset raw_device_maps."""

import dagster as dg

from assets.materialisation import Inputs, day_of, materialise
from chargeback.contracts.raw_device_maps import RAW_DEVICE_MAPS
from resources.lake import Lake
from resources.settings import Settings


@dg.asset
def raw_device_maps(
    context: dg.AssetExecutionContext,
    lake: dg.ResourceParam[Lake],
    settings: dg.ResourceParam[Settings],
) -> dg.MaterializeResult:
    """Stub."""
    day = day_of(context, settings)
    return materialise(context, lake, RAW_DEVICE_MAPS, day.partition, inputs=Inputs.of(), rule=RAW_DEVICE_MAPS.empty)
