"""The asset raw_sacct."""

import dagster as dg

from assets.landed_records import Told, told_by_records, written
from assets.materialisation import Day, day_of
from chargeback.contracts.raw_sacct import RAW_SACCT
from chargeback.usage.sacct_observations import raw_sacct_of_day
from resources.lake import Lake
from resources.observations import Observations
from resources.settings import Settings


def raw_sacct_told(observations: Observations, day: Day) -> Told:
    """contracts.raw_sacct of a day, from all that has landed."""
    gpu_partitions = observations.gpu_partitions(day.cluster)
    return told_by_records(
        observations,
        day,
        contract=RAW_SACCT,
        source="slurm/sacct",
        revised=("JobIDRaw", "Start"),
        fold=lambda seen, of: raw_sacct_of_day(
            seen, cluster=of.cluster, day=of.day, interval=of.interval, gpu_partitions=gpu_partitions
        ),
        known={"gpu_partitions": sorted(gpu_partitions)},
    )


@dg.asset
def raw_sacct(
    context: dg.AssetExecutionContext,
    lake: dg.ResourceParam[Lake],
    observations: dg.ResourceParam[Observations],
    settings: dg.ResourceParam[Settings],
) -> dg.MaterializeResult:
    """One row per Slurm job run that overlaps the day, as known when that day's facts last changed."""
    return written(context, lake, raw_sacct_told(observations, day_of(context, settings)))
