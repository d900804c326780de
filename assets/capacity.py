"""The asset capacity."""

from collections.abc import Callable

import dagster as dg
import polars as pl

from assets.holds import holds
from assets.materialisation import Inputs, day_of, materialise
from assets.plots import capacity_report
from assets.raw_events import raw_events
from assets.raw_kubernetes_nodes import raw_kubernetes_nodes
from assets.raw_nodes import raw_nodes
from assets.raw_reservations import raw_reservations
from assets.raw_slices import raw_slices
from assets.runs import runs
from chargeback.contracts.capacity import CAPACITY
from chargeback.contracts.holds import HOLDS
from chargeback.contracts.raw_events import RAW_EVENTS
from chargeback.contracts.raw_kubernetes_nodes import RAW_KUBERNETES_NODES
from chargeback.contracts.raw_nodes import RAW_NODES
from chargeback.contracts.raw_reservations import RAW_RESERVATIONS
from chargeback.contracts.raw_slices import RAW_SLICES
from chargeback.contracts.runs import RUNS
from chargeback.usage.capacity import capacity_of_day, kubernetes_capacity_of_day
from resources.lake import Lake
from resources.settings import Settings

READ = {
    "slurm": (RAW_NODES, RAW_EVENTS, RAW_RESERVATIONS, RUNS, HOLDS),
    "kubernetes": (RAW_KUBERNETES_NODES, RAW_SLICES, RUNS, HOLDS),
}
"""The tables of each scheduler, in the order in which its rule takes them."""

RULES: dict[str, Callable[..., pl.DataFrame]] = {"slurm": capacity_of_day, "kubernetes": kubernetes_capacity_of_day}


@dg.asset(deps=[raw_nodes, raw_events, raw_reservations, raw_kubernetes_nodes, raw_slices, runs, holds])
def capacity(
    context: dg.AssetExecutionContext,
    lake: dg.ResourceParam[Lake],
    settings: dg.ResourceParam[Settings],
) -> dg.MaterializeResult:
    """One row per host, accelerator and hour: every second of every GPU of the inventory in exactly one state."""
    day = day_of(context, settings)
    read = [lake.scan(contract, [day.partition]) for contract in READ[day.scheduler]]
    aliases = settings.accelerators
    return materialise(
        context,
        lake,
        CAPACITY,
        day.partition,
        inputs=Inputs.of(*read, settings={"accelerators": sorted(aliases.items())}),
        rule=lambda: RULES[day.scheduler](
            *(scanned.frame.collect() for scanned in read),
            cluster=day.cluster,
            day=day.day,
            interval=day.interval,
            aliases=aliases,
        ),
        report=capacity_report,
    )
