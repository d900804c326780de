"""The asset raw_device_maps."""

import dagster as dg

from assets.landed_records import Told, written
from assets.materialisation import Day, Inputs, day_of
from chargeback.contracts.raw_device_maps import RAW_DEVICE_MAPS
from resources.device_maps import device_maps_in_force
from resources.lake import Lake
from resources.observations import Observations
from resources.settings import Settings


def raw_device_maps_told(observations: Observations, day: Day) -> Told:
    """contracts.raw_device_maps of a day, from all that has landed."""
    rows, objects = device_maps_in_force(observations, day.cluster, day.day, day.interval)
    return Told(RAW_DEVICE_MAPS, day, Inputs.of(objects=objects), lambda: rows)


@dg.asset
def raw_device_maps(
    context: dg.AssetExecutionContext,
    lake: dg.ResourceParam[Lake],
    observations: dg.ResourceParam[Observations],
    settings: dg.ResourceParam[Settings],
) -> dg.MaterializeResult:
    """One row per host and minor number of the maps in force on the day: the latest until its end, else the next."""
    return written(context, lake, raw_device_maps_told(observations, day_of(context, settings)))
