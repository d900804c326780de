"""The asset holds."""

from collections.abc import Callable

import dagster as dg
import polars as pl

from assets.materialisation import Inputs, day_of, materialise
from assets.raw_bindings import raw_bindings
from assets.raw_claims import raw_claims
from assets.raw_kubernetes_nodes import raw_kubernetes_nodes
from assets.raw_nodes import raw_nodes
from assets.raw_pods import raw_pods
from assets.raw_slices import raw_slices
from assets.runs import runs
from chargeback.contracts.holds import HOLDS
from chargeback.contracts.raw_bindings import RAW_BINDINGS
from chargeback.contracts.raw_claims import RAW_CLAIMS
from chargeback.contracts.raw_kubernetes_nodes import RAW_KUBERNETES_NODES
from chargeback.contracts.raw_nodes import RAW_NODES
from chargeback.contracts.raw_pods import RAW_PODS
from chargeback.contracts.raw_slices import RAW_SLICES
from chargeback.contracts.runs import RUNS
from chargeback.usage.kubernetes_holds import kubernetes_holds_of_day
from chargeback.usage.slurm_holds import holds_of_day
from resources.lake import Lake
from resources.settings import Settings

READ = {
    "slurm": (RUNS, RAW_NODES, RAW_BINDINGS),
    "kubernetes": (RUNS, RAW_PODS, RAW_CLAIMS, RAW_SLICES, RAW_KUBERNETES_NODES),
}
"""The tables of each scheduler, in the order in which its rule takes them."""

RULES: dict[str, Callable[..., pl.DataFrame]] = {"slurm": holds_of_day, "kubernetes": kubernetes_holds_of_day}


@dg.asset(deps=[runs, raw_nodes, raw_bindings, raw_pods, raw_claims, raw_slices, raw_kubernetes_nodes])
def holds(
    context: dg.AssetExecutionContext,
    lake: dg.ResourceParam[Lake],
    settings: dg.ResourceParam[Settings],
) -> dg.MaterializeResult:
    """One row per run, host, accelerator and kind of sharing, cut to the day: the unit of charging, busy or not."""
    day = day_of(context, settings)
    read = [lake.scan(contract, [day.partition]) for contract in READ[day.scheduler]]
    aliases = settings.accelerators
    return materialise(
        context,
        lake,
        HOLDS,
        day.partition,
        inputs=Inputs.of(*read, settings={"accelerators": sorted(aliases.items())}),
        rule=lambda: RULES[day.scheduler](
            *(scanned.frame.collect() for scanned in read),
            cluster=day.cluster,
            day=day.day,
            interval=day.interval,
            aliases=aliases,
        ),
    )
