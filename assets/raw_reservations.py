"""The asset raw_reservations."""

import dagster as dg

from assets.landed_records import fold_landed
from chargeback.contracts.raw_reservations import RAW_RESERVATIONS
from chargeback.usage.slurm_reservations import raw_reservations_of_day
from resources.lake import Lake
from resources.observations import Observations
from resources.settings import Settings


@dg.asset
def raw_reservations(
    context: dg.AssetExecutionContext,
    lake: dg.ResourceParam[Lake],
    observations: dg.ResourceParam[Observations],
    settings: dg.ResourceParam[Settings],
) -> dg.MaterializeResult:
    """One row per reservation that overlaps the day."""
    return fold_landed(
        context,
        lake=lake,
        observations=observations,
        settings=settings,
        contract=RAW_RESERVATIONS,
        source="slurm/reservations",
        fold=lambda seen, day: raw_reservations_of_day(seen, cluster=day.cluster, day=day.day, interval=day.interval),
    )
