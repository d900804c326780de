"""The asset raw_events."""

import dagster as dg

from assets.landed_records import Told, told_by_records, written
from assets.materialisation import Day, day_of
from chargeback.contracts.raw_events import RAW_EVENTS
from chargeback.usage.slurm_events import raw_events_of_day
from resources.lake import Lake
from resources.observations import Observations
from resources.settings import Settings


def raw_events_told(observations: Observations, day: Day) -> Told:
    """contracts.raw_events of a day, from all that has landed."""
    return told_by_records(
        observations,
        day,
        contract=RAW_EVENTS,
        source="slurm/events",
        revised=("NodeName", "TimeStart", "State"),
        fold=lambda seen, of: raw_events_of_day(seen, cluster=of.cluster, day=of.day, interval=of.interval),
    )


@dg.asset
def raw_events(
    context: dg.AssetExecutionContext,
    lake: dg.ResourceParam[Lake],
    observations: dg.ResourceParam[Observations],
    settings: dg.ResourceParam[Settings],
) -> dg.MaterializeResult:
    """One row per node event that overlaps the day."""
    return written(context, lake, raw_events_told(observations, day_of(context, settings)))
