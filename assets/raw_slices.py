"""The asset raw_slices."""

import dagster as dg

from assets.landed_records import Told, told_by_snapshots, written
from assets.materialisation import Day, day_of
from chargeback.contracts.raw_slices import RAW_SLICES
from chargeback.usage.slice_observations import raw_slices_of_day
from resources.lake import Lake
from resources.observations import Observations
from resources.settings import Settings


def raw_slices_told(observations: Observations, day: Day) -> Told:
    """contracts.raw_slices of a day, from all that has landed."""
    return told_by_snapshots(
        observations,
        day,
        contract=RAW_SLICES,
        source="kubernetes/claims",
        fold=lambda seen, listings, of: raw_slices_of_day(
            seen, listings, cluster=of.cluster, day=of.day, interval=of.interval
        ),
    )


@dg.asset
def raw_slices(
    context: dg.AssetExecutionContext,
    lake: dg.ResourceParam[Lake],
    observations: dg.ResourceParam[Observations],
    settings: dg.ResourceParam[Settings],
) -> dg.MaterializeResult:
    """One row per device of the ResourceSlices in force on the day."""
    return written(context, lake, raw_slices_told(observations, day_of(context, settings)))
