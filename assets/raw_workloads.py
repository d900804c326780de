"""The asset raw_workloads."""

import dagster as dg

from assets.landed_records import Told, told_by_snapshots, written
from assets.materialisation import Day, day_of
from chargeback.contracts.raw_workloads import RAW_WORKLOADS
from chargeback.usage.workload_observations import raw_workloads_of_day
from resources.lake import Lake
from resources.observations import Observations
from resources.settings import Settings


def raw_workloads_told(observations: Observations, day: Day) -> Told:
    """contracts.raw_workloads of a day, from all that has landed."""
    return told_by_snapshots(
        observations,
        day,
        contract=RAW_WORKLOADS,
        source="kubernetes/workloads",
        fold=lambda seen, listings, of: raw_workloads_of_day(
            seen, listings, cluster=of.cluster, day=of.day, interval=of.interval
        ),
    )


@dg.asset
def raw_workloads(
    context: dg.AssetExecutionContext,
    lake: dg.ResourceParam[Lake],
    observations: dg.ResourceParam[Observations],
    settings: dg.ResourceParam[Settings],
) -> dg.MaterializeResult:
    """One row per workload object that existed on the day, as known when that day's facts last changed."""
    return written(context, lake, raw_workloads_told(observations, day_of(context, settings)))
