"""The asset bindings."""

import dagster as dg

from assets.holds import holds
from assets.inventories import INVENTORY_TABLES, inventory_of_tables
from assets.materialisation import Inputs, day_of, materialise
from assets.raw_bindings import raw_bindings
from assets.raw_claims import raw_claims
from assets.raw_device_maps import raw_device_maps
from assets.raw_devices import raw_devices
from assets.raw_kubernetes_nodes import raw_kubernetes_nodes
from assets.raw_nodes import raw_nodes
from assets.raw_pods import raw_pods
from assets.raw_slices import raw_slices
from assets.runs import runs
from chargeback.contracts.bindings import BINDINGS
from chargeback.contracts.holds import HOLDS
from chargeback.contracts.raw_bindings import RAW_BINDINGS
from chargeback.contracts.raw_claims import RAW_CLAIMS
from chargeback.contracts.raw_device_maps import RAW_DEVICE_MAPS
from chargeback.contracts.raw_devices import RAW_DEVICES
from chargeback.contracts.raw_pods import RAW_PODS
from chargeback.contracts.raw_slices import RAW_SLICES
from chargeback.contracts.runs import RUNS
from chargeback.usage.bindings import bindings_of_day
from resources.lake import Lake
from resources.settings import Settings

EVIDENCE_TABLES = (RAW_BINDINGS, RAW_DEVICE_MAPS, RAW_PODS, RAW_CLAIMS, RAW_SLICES, RAW_DEVICES)
"""In the order in which bindings_of_day takes them, after holds and runs; those of another scheduler are empty."""


@dg.asset(
    deps=[
        holds, runs, raw_bindings, raw_device_maps, raw_pods, raw_claims, raw_slices, raw_devices, raw_nodes,
        raw_kubernetes_nodes,
    ]
)  # fmt: skip
def bindings(
    context: dg.AssetExecutionContext,
    lake: dg.ResourceParam[Lake],
    settings: dg.ResourceParam[Settings],
) -> dg.MaterializeResult:
    """One row per hold and GPU or slice that evidence says it had, for as long as the hold lasts."""
    day = day_of(context, settings)
    aliases = settings.accelerators
    read = [lake.scan(contract, [day.partition]) for contract in (HOLDS, RUNS, *EVIDENCE_TABLES)]
    nodes = [lake.scan(contract, [day.partition]) for contract in INVENTORY_TABLES]
    return materialise(
        context,
        lake,
        BINDINGS,
        day.partition,
        inputs=Inputs.of(*read, *nodes, settings={"accelerators": sorted(aliases.items())}),
        rule=lambda: bindings_of_day(
            *[scanned.frame.collect() for scanned in read]
            + [inventory_of_tables((scanned.frame for scanned in nodes), settings)],
            cluster=day.cluster,
            day=day.day,
            interval=day.interval,
            aliases=aliases,
        ),
    )
