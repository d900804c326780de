"""The asset unallocated_activity."""

import dagster as dg
import polars as pl

from assets.bindings import bindings
from assets.holds import holds
from assets.inventories import INVENTORY_TABLES, inventory_of_tables
from assets.materialisation import Inputs, day_of, materialise
from assets.raw_devices import raw_devices
from assets.raw_kubernetes_nodes import raw_kubernetes_nodes
from assets.raw_nodes import raw_nodes
from assets.raw_samples import raw_samples
from assets.raw_slices import raw_slices
from chargeback.attribution.samples_over_time import PPM_PER_PERCENT, READINGS
from chargeback.attribution.unallocated import unallocated_activity_of_day
from chargeback.contracts.bindings import BINDINGS
from chargeback.contracts.holds import HOLDS
from chargeback.contracts.raw_devices import RAW_DEVICES
from chargeback.contracts.raw_samples import RAW_SAMPLES
from chargeback.contracts.unallocated_activity import UNALLOCATED_ACTIVITY
from chargeback.usage.set_members import members_of
from chargeback.usage.telemetry_hosts import as_scheduled
from resources.lake import Lake
from resources.settings import Settings


@dg.asset(deps=[holds, bindings, raw_samples, raw_devices, raw_nodes, raw_kubernetes_nodes, raw_slices])
def unallocated_activity(
    context: dg.AssetExecutionContext,
    lake: dg.ResourceParam[Lake],
    settings: dg.ResourceParam[Settings],
) -> dg.MaterializeResult:
    """One row per GPU or slice and hour in which it was active and held by nobody: an exception, nobody's charge."""
    day = day_of(context, settings)
    held, bound, samples, devices = (
        lake.scan(contract, [day.partition]) for contract in (HOLDS, BINDINGS, RAW_SAMPLES, RAW_DEVICES)
    )
    nodes = [lake.scan(contract, [day.partition]) for contract in INVENTORY_TABLES]
    active_above_ppm = settings.policies.active_above_percent * PPM_PER_PERCENT
    staleness_seconds = settings.staleness_seconds(day.cluster)

    def unheld() -> pl.DataFrame:
        holds_of_day = held.frame.collect()
        inventory = inventory_of_tables((scanned.frame for scanned in nodes), settings)
        return unallocated_activity_of_day(
            holds_of_day,
            bound.frame.collect(),
            samples.frame.select(READINGS).collect(),
            as_scheduled(devices.frame.collect(), holds_of_day["host"], inventory["host"]),
            inventory=inventory,
            members=members_of(holds_of_day["host"]),
            cluster=day.cluster,
            day=day.day,
            interval=day.interval,
            active_above_ppm=active_above_ppm,
            staleness_seconds=staleness_seconds,
        )

    chosen = {
        "accelerators": sorted(settings.accelerators.items()),
        "active_above_ppm": active_above_ppm,
        "staleness_seconds": staleness_seconds,
    }
    inputs = Inputs.of(held, bound, samples, devices, *nodes, settings=chosen)
    return materialise(context, lake, UNALLOCATED_ACTIVITY, day.partition, inputs=inputs, rule=unheld)
