"""The asset raw_samples."""

import dagster as dg

from assets.landed_telemetry import telemetry_inputs, telemetry_objects, telemetry_tables
from assets.materialisation import day_of, materialise
from assets.raw_devices import raw_devices
from chargeback.contracts.raw_devices import RAW_DEVICES
from chargeback.contracts.raw_samples import RAW_SAMPLES
from resources.lake import Lake
from resources.observations import Observations
from resources.settings import Settings


@dg.asset(deps=[raw_devices])
def raw_samples(
    context: dg.AssetExecutionContext,
    lake: dg.ResourceParam[Lake],
    observations: dg.ResourceParam[Observations],
    settings: dg.ResourceParam[Settings],
) -> dg.MaterializeResult:
    """One row per device and instant with a valid value. Devices are numbered as in the raw_devices that stands."""
    day = day_of(context, settings)
    devices = lake.scan(RAW_DEVICES, [day.partition])
    objects = telemetry_objects(observations, day)
    return materialise(
        context,
        lake,
        RAW_SAMPLES,
        day.partition,
        inputs=telemetry_inputs(objects, settings, day, devices),
        rule=lambda: telemetry_tables(observations, objects, settings, day)[1],
    )
