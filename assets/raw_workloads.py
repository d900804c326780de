"""The asset raw_workloads."""

import dagster as dg

from assets.landed_records import fold_snapshots
from chargeback.contracts.raw_workloads import RAW_WORKLOADS
from chargeback.usage.workload_observations import raw_workloads_of_day
from resources.lake import Lake
from resources.observations import Observations
from resources.settings import Settings


@dg.asset
def raw_workloads(
    context: dg.AssetExecutionContext,
    lake: dg.ResourceParam[Lake],
    observations: dg.ResourceParam[Observations],
    settings: dg.ResourceParam[Settings],
) -> dg.MaterializeResult:
    """One row per workload object that existed on the day, as known when that day's facts last changed."""
    return fold_snapshots(
        context,
        lake=lake,
        observations=observations,
        settings=settings,
        contract=RAW_WORKLOADS,
        source="kubernetes/workloads",
        fold=lambda seen, listings, day: raw_workloads_of_day(
            seen, listings, cluster=day.cluster, day=day.day, interval=day.interval
        ),
    )
