"""The asset holds."""

import dagster as dg

from assets.materialisation import Inputs, day_of, materialise
from assets.raw_bindings import raw_bindings
from assets.raw_nodes import raw_nodes
from assets.runs import runs
from chargeback.contracts.holds import HOLDS
from chargeback.contracts.raw_bindings import RAW_BINDINGS
from chargeback.contracts.raw_nodes import RAW_NODES
from chargeback.contracts.runs import RUNS
from chargeback.usage.slurm_holds import holds_of_day
from resources.lake import Lake
from resources.settings import Settings


@dg.asset(deps=[runs, raw_nodes, raw_bindings])
def holds(
    context: dg.AssetExecutionContext,
    lake: dg.ResourceParam[Lake],
    settings: dg.ResourceParam[Settings],
) -> dg.MaterializeResult:
    """One row per run, host, accelerator and kind of sharing, cut to the day: the unit of charging, busy or not."""
    day = day_of(context, settings)
    read = lake.scan(RUNS, [day.partition])
    nodes = lake.scan(RAW_NODES, [day.partition])
    bindings = lake.scan(RAW_BINDINGS, [day.partition])
    aliases = settings.accelerators
    return materialise(
        context,
        lake,
        HOLDS,
        day.partition,
        inputs=Inputs.of(read, nodes, bindings, settings={"accelerators": sorted(aliases.items())}),
        rule=lambda: holds_of_day(
            read.frame.collect(),
            nodes.frame.collect(),
            bindings.frame.collect(),
            cluster=day.cluster,
            day=day.day,
            interval=day.interval,
            aliases=aliases,
        ),
    )
