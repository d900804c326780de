"""The asset raw_pods."""

import dagster as dg

from assets.landed_records import fold_snapshots
from chargeback.contracts.raw_pods import RAW_PODS
from chargeback.usage.pod_observations import raw_pods_of_day
from resources.lake import Lake
from resources.observations import Observations
from resources.settings import Settings


@dg.asset
def raw_pods(
    context: dg.AssetExecutionContext,
    lake: dg.ResourceParam[Lake],
    observations: dg.ResourceParam[Observations],
    settings: dg.ResourceParam[Settings],
) -> dg.MaterializeResult:
    """One row per pod that waited or was bound on the day, as known when that day's facts last changed."""
    return fold_snapshots(
        context,
        lake=lake,
        observations=observations,
        settings=settings,
        contract=RAW_PODS,
        source="kubernetes/pods",
        fold=lambda seen, listings, day: raw_pods_of_day(
            seen, listings, cluster=day.cluster, day=day.day, interval=day.interval
        ),
    )
