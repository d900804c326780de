"""The asset raw_claims."""

import dagster as dg

from assets.landed_records import fold_snapshots
from chargeback.contracts.raw_claims import RAW_CLAIMS
from chargeback.usage.claim_observations import raw_claims_of_day
from resources.lake import Lake
from resources.observations import Observations
from resources.settings import Settings


@dg.asset
def raw_claims(
    context: dg.AssetExecutionContext,
    lake: dg.ResourceParam[Lake],
    observations: dg.ResourceParam[Observations],
    settings: dg.ResourceParam[Settings],
) -> dg.MaterializeResult:
    """One row per granted device and pod that has it on the day, as known when that day's facts last changed."""
    return fold_snapshots(
        context,
        lake=lake,
        observations=observations,
        settings=settings,
        contract=RAW_CLAIMS,
        source="kubernetes/claims",
        fold=lambda seen, listings, day: raw_claims_of_day(
            seen, listings, cluster=day.cluster, day=day.day, interval=day.interval
        ),
    )
