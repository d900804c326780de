"""The asset runs."""

from collections.abc import Callable

import dagster as dg
import polars as pl

from assets.materialisation import Inputs, day_of, materialise
from assets.raw_bindings import raw_bindings
from assets.raw_claims import raw_claims
from assets.raw_kubernetes_nodes import raw_kubernetes_nodes
from assets.raw_nodes import raw_nodes
from assets.raw_pods import raw_pods
from assets.raw_sacct import raw_sacct
from assets.raw_slices import raw_slices
from assets.raw_workloads import raw_workloads
from chargeback.contracts.raw_bindings import RAW_BINDINGS
from chargeback.contracts.raw_claims import RAW_CLAIMS
from chargeback.contracts.raw_kubernetes_nodes import RAW_KUBERNETES_NODES
from chargeback.contracts.raw_nodes import RAW_NODES
from chargeback.contracts.raw_pods import RAW_PODS
from chargeback.contracts.raw_sacct import RAW_SACCT
from chargeback.contracts.raw_slices import RAW_SLICES
from chargeback.contracts.raw_workloads import RAW_WORKLOADS
from chargeback.contracts.runs import RUNS
from chargeback.usage.kubernetes_runs import kubernetes_runs_of_day
from chargeback.usage.slurm_runs import runs_of_day
from resources.lake import Lake
from resources.people_objects import PeopleObjects
from resources.settings import Settings

READ = {
    "slurm": (RAW_SACCT, RAW_NODES, RAW_BINDINGS),
    "kubernetes": (RAW_PODS, RAW_WORKLOADS, RAW_CLAIMS, RAW_SLICES, RAW_KUBERNETES_NODES),
}
"""The tables of each scheduler, in the order in which its rule takes them."""

RULES: dict[str, Callable[..., pl.DataFrame]] = {"slurm": runs_of_day, "kubernetes": kubernetes_runs_of_day}


@dg.asset(
    deps=[raw_sacct, raw_nodes, raw_bindings, raw_pods, raw_workloads, raw_claims, raw_slices, raw_kubernetes_nodes]
)
def runs(
    context: dg.AssetExecutionContext,
    lake: dg.ResourceParam[Lake],
    people: dg.ResourceParam[PeopleObjects],
    settings: dg.ResourceParam[Settings],
) -> dg.MaterializeResult:
    """One row per run that overlaps the day: a Slurm job's run, a Kubernetes pod."""
    day = day_of(context, settings)
    read = [lake.scan(contract, [day.partition]) for contract in READ[day.scheduler]]
    approvals, approval_objects = people.gpu_count_approvals(day.cluster)
    cluster = settings.cluster(day.cluster)
    chosen = {"tiers": sorted(cluster.tiers.items()), "classes": sorted(cluster.classes.items())}
    return materialise(
        context,
        lake,
        RUNS,
        day.partition,
        inputs=Inputs.of(*read, objects=approval_objects, settings=chosen),
        rule=lambda: RULES[day.scheduler](
            *(scanned.frame.collect() for scanned in read),
            cluster=day.cluster,
            day=day.day,
            interval=day.interval,
            tiers=cluster.tiers,
            classes=cluster.classes,
            approvals=approvals,
        ),
    )
