"""The asset raw_slices."""

import dagster as dg

from assets.landed_records import fold_snapshots
from chargeback.contracts.raw_slices import RAW_SLICES
from chargeback.usage.slice_observations import raw_slices_of_day
from resources.lake import Lake
from resources.observations import Observations
from resources.settings import Settings


@dg.asset
def raw_slices(
    context: dg.AssetExecutionContext,
    lake: dg.ResourceParam[Lake],
    observations: dg.ResourceParam[Observations],
    settings: dg.ResourceParam[Settings],
) -> dg.MaterializeResult:
    """One row per device of the ResourceSlices in force on the day."""
    return fold_snapshots(
        context,
        lake=lake,
        observations=observations,
        settings=settings,
        contract=RAW_SLICES,
        source="kubernetes/claims",
        fold=lambda seen, listings, day: raw_slices_of_day(
            seen, listings, cluster=day.cluster, day=day.day, interval=day.interval
        ),
    )
