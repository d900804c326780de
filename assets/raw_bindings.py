"""The asset raw_bindings."""

import dagster as dg

from assets.landed_records import Told, told_by_records, written
from assets.materialisation import Day, day_of
from chargeback.contracts.raw_bindings import RAW_BINDINGS
from chargeback.usage.slurm_job_details import raw_bindings_of_day
from resources.lake import Lake
from resources.observations import Observations
from resources.settings import Settings


def raw_bindings_told(observations: Observations, day: Day) -> Told:
    """contracts.raw_bindings of a day, from all that has landed."""
    return told_by_records(
        observations,
        day,
        contract=RAW_BINDINGS,
        source="slurm/bindings",
        fold=lambda seen, of: raw_bindings_of_day(seen, cluster=of.cluster, day=of.day, interval=of.interval),
    )


@dg.asset
def raw_bindings(
    context: dg.AssetExecutionContext,
    lake: dg.ResourceParam[Lake],
    observations: dg.ResourceParam[Observations],
    settings: dg.ResourceParam[Settings],
) -> dg.MaterializeResult:
    """One row per job run and host that was shown with GPUs, on each day that the run touched."""
    return written(context, lake, raw_bindings_told(observations, day_of(context, settings)))
