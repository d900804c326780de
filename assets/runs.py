"""The asset runs."""

import dagster as dg

from assets.materialisation import Inputs, day_of, materialise
from assets.raw_bindings import raw_bindings
from assets.raw_nodes import raw_nodes
from assets.raw_sacct import raw_sacct
from chargeback.contracts.raw_bindings import RAW_BINDINGS
from chargeback.contracts.raw_nodes import RAW_NODES
from chargeback.contracts.raw_sacct import RAW_SACCT
from chargeback.contracts.runs import RUNS
from chargeback.usage.slurm_runs import runs_of_day
from resources.lake import Lake
from resources.people_objects import PeopleObjects
from resources.settings import Settings


@dg.asset(deps=[raw_sacct, raw_nodes, raw_bindings])
def runs(
    context: dg.AssetExecutionContext,
    lake: dg.ResourceParam[Lake],
    people: dg.ResourceParam[PeopleObjects],
    settings: dg.ResourceParam[Settings],
) -> dg.MaterializeResult:
    """One row per run that overlaps the day."""
    day = day_of(context, settings)
    sacct = lake.scan(RAW_SACCT, [day.partition])
    nodes = lake.scan(RAW_NODES, [day.partition])
    bindings = lake.scan(RAW_BINDINGS, [day.partition])
    approvals, approval_objects = people.gpu_count_approvals(day.cluster)
    tiers = settings.cluster(day.cluster).tiers
    return materialise(
        context,
        lake,
        RUNS,
        day.partition,
        inputs=Inputs.of(sacct, nodes, bindings, objects=approval_objects, settings={"tiers": sorted(tiers.items())}),
        rule=lambda: runs_of_day(
            sacct.frame.collect(),
            nodes.frame.collect(),
            bindings.frame.collect(),
            cluster=day.cluster,
            day=day.day,
            interval=day.interval,
            tiers=tiers,
            approvals=approvals,
        ),
    )
