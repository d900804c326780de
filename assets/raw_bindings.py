"""The asset raw_bindings."""

import dagster as dg

from assets.landed_records import fold_landed
from chargeback.contracts.raw_bindings import RAW_BINDINGS
from chargeback.usage.slurm_job_details import raw_bindings_of_day
from resources.lake import Lake
from resources.observations import Observations
from resources.settings import Settings


@dg.asset
def raw_bindings(
    context: dg.AssetExecutionContext,
    lake: dg.ResourceParam[Lake],
    observations: dg.ResourceParam[Observations],
    settings: dg.ResourceParam[Settings],
) -> dg.MaterializeResult:
    """One row per job run and host that was shown with GPUs, on each day that the run touched."""
    return fold_landed(
        context,
        lake=lake,
        observations=observations,
        settings=settings,
        contract=RAW_BINDINGS,
        source="slurm/bindings",
        fold=lambda seen, day: raw_bindings_of_day(seen, cluster=day.cluster, day=day.day, interval=day.interval),
    )
