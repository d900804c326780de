"""The asset raw_reservations."""

import dagster as dg

from assets.landed_records import Told, told_by_records, written
from assets.materialisation import Day, day_of
from chargeback.contracts.raw_reservations import RAW_RESERVATIONS
from chargeback.usage.slurm_reservations import raw_reservations_of_day
from resources.lake import Lake
from resources.observations import Observations
from resources.settings import Settings


def raw_reservations_told(observations: Observations, day: Day) -> Told:
    """contracts.raw_reservations of a day, from all that has landed."""
    return told_by_records(
        observations,
        day,
        contract=RAW_RESERVATIONS,
        source="slurm/reservations",
        revised=("Name", "TimeStart"),
        fold=lambda seen, of: raw_reservations_of_day(seen, cluster=of.cluster, day=of.day, interval=of.interval),
    )


@dg.asset
def raw_reservations(
    context: dg.AssetExecutionContext,
    lake: dg.ResourceParam[Lake],
    observations: dg.ResourceParam[Observations],
    settings: dg.ResourceParam[Settings],
) -> dg.MaterializeResult:
    """One row per reservation that overlaps the day."""
    return written(context, lake, raw_reservations_told(observations, day_of(context, settings)))
