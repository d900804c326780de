"""The asset raw_pods."""

import dagster as dg

from assets.landed_records import Told, told_by_snapshots, written
from assets.materialisation import Day, day_of
from chargeback.contracts.raw_pods import RAW_PODS
from chargeback.usage.pod_observations import raw_pods_of_day
from resources.lake import Lake
from resources.observations import Observations
from resources.settings import Settings


def raw_pods_told(observations: Observations, day: Day) -> Told:
    """contracts.raw_pods of a day, from all that has landed."""
    return told_by_snapshots(
        observations,
        day,
        contract=RAW_PODS,
        source="kubernetes/pods",
        fold=lambda seen, listings, of: raw_pods_of_day(
            seen, listings, cluster=of.cluster, day=of.day, interval=of.interval
        ),
    )


@dg.asset
def raw_pods(
    context: dg.AssetExecutionContext,
    lake: dg.ResourceParam[Lake],
    observations: dg.ResourceParam[Observations],
    settings: dg.ResourceParam[Settings],
) -> dg.MaterializeResult:
    """One row per pod that waited or was bound on the day, as known when that day's facts last changed."""
    return written(context, lake, raw_pods_told(observations, day_of(context, settings)))
