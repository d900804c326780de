"""The asset raw_devices."""

import dagster as dg

from assets.materialisation import Inputs, day_of, materialise
from chargeback.contracts.raw_devices import RAW_DEVICES
from resources.lake import Lake
from resources.settings import Settings


@dg.asset
def raw_devices(
    context: dg.AssetExecutionContext,
    lake: dg.ResourceParam[Lake],
    settings: dg.ResourceParam[Settings],
) -> dg.MaterializeResult:
    """Stub."""
    day = day_of(context, settings)
    return materialise(context, lake, RAW_DEVICES, day.partition, inputs=Inputs.of(), rule=RAW_DEVICES.empty)
