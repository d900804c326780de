"""The asset raw_sacct."""

import dagster as dg

from assets.landed_records import fold_landed
from assets.materialisation import day_of
from chargeback.contracts.raw_sacct import RAW_SACCT
from chargeback.usage.sacct_observations import raw_sacct_of_day
from resources.lake import Lake
from resources.observations import Observations
from resources.settings import Settings


@dg.asset
def raw_sacct(
    context: dg.AssetExecutionContext,
    lake: dg.ResourceParam[Lake],
    observations: dg.ResourceParam[Observations],
    settings: dg.ResourceParam[Settings],
) -> dg.MaterializeResult:
    """One row per Slurm job run that overlaps the day, as known when that day's facts last changed."""
    parsed = observations.parsed("slurm/sacct", day_of(context, settings).cluster)
    gpu_partitions = frozenset(name for landed in parsed for name in landed.gpu_partitions)
    return fold_landed(
        context,
        lake=lake,
        observations=observations,
        settings=settings,
        contract=RAW_SACCT,
        source="slurm/sacct",
        fold=lambda seen, day: raw_sacct_of_day(
            seen, cluster=day.cluster, day=day.day, interval=day.interval, gpu_partitions=gpu_partitions
        ),
        known={"gpu_partitions": sorted(gpu_partitions)},
    )
