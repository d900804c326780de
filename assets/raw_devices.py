"""The asset raw_devices."""

import dagster as dg

from assets.landed_telemetry import telemetry_inputs, telemetry_objects, telemetry_tables
from assets.materialisation import day_of, materialise
from chargeback.contracts.raw_devices import RAW_DEVICES
from resources.lake import Lake
from resources.observations import Observations
from resources.settings import Settings


@dg.asset
def raw_devices(
    context: dg.AssetExecutionContext,
    lake: dg.ResourceParam[Lake],
    observations: dg.ResourceParam[Observations],
    settings: dg.ResourceParam[Settings],
) -> dg.MaterializeResult:
    """One row per device and stretch in which telemetry saw it with the same workload labels."""
    day = day_of(context, settings)
    objects = telemetry_objects(observations, day)
    return materialise(
        context,
        lake,
        RAW_DEVICES,
        day.partition,
        inputs=telemetry_inputs(objects, settings, day),
        rule=lambda: telemetry_tables(observations, objects, settings, day)[0],
    )
