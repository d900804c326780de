"""The asset raw_device_maps."""

import dagster as dg

from assets.materialisation import Inputs, day_of, materialise
from chargeback.contracts.raw_device_maps import RAW_DEVICE_MAPS
from resources.device_maps import device_maps_in_force
from resources.lake import Lake
from resources.observations import Observations
from resources.settings import Settings


@dg.asset
def raw_device_maps(
    context: dg.AssetExecutionContext,
    lake: dg.ResourceParam[Lake],
    observations: dg.ResourceParam[Observations],
    settings: dg.ResourceParam[Settings],
) -> dg.MaterializeResult:
    """One row per host and minor number of the maps in force on the day: the latest until its end, else the next."""
    day = day_of(context, settings)
    rows, objects = device_maps_in_force(observations, day.cluster, day.day, day.interval)
    inputs = Inputs.of(objects=objects)
    return materialise(context, lake, RAW_DEVICE_MAPS, day.partition, inputs=inputs, rule=lambda: rows)
