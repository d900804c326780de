"""The asset raw_events."""

import dagster as dg

from assets.landed_records import fold_landed
from chargeback.contracts.raw_events import RAW_EVENTS
from chargeback.usage.slurm_events import raw_events_of_day
from resources.lake import Lake
from resources.observations import Observations
from resources.settings import Settings


@dg.asset
def raw_events(
    context: dg.AssetExecutionContext,
    lake: dg.ResourceParam[Lake],
    observations: dg.ResourceParam[Observations],
    settings: dg.ResourceParam[Settings],
) -> dg.MaterializeResult:
    """One row per node event that overlaps the day."""
    return fold_landed(
        context,
        lake=lake,
        observations=observations,
        settings=settings,
        contract=RAW_EVENTS,
        source="slurm/events",
        fold=lambda seen, day: raw_events_of_day(seen, cluster=day.cluster, day=day.day, interval=day.interval),
    )
