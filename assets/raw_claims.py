"""The asset raw_claims."""

import dagster as dg

from assets.landed_records import Told, told_by_snapshots, written
from assets.materialisation import Day, day_of
from chargeback.contracts.raw_claims import RAW_CLAIMS
from chargeback.usage.claim_observations import raw_claims_of_day
from resources.lake import Lake
from resources.observations import Observations
from resources.settings import Settings


def raw_claims_told(observations: Observations, day: Day) -> Told:
    """contracts.raw_claims of a day, from all that has landed."""
    return told_by_snapshots(
        observations,
        day,
        contract=RAW_CLAIMS,
        source="kubernetes/claims",
        fold=lambda seen, listings, of: raw_claims_of_day(
            seen, listings, cluster=of.cluster, day=of.day, interval=of.interval
        ),
    )


@dg.asset
def raw_claims(
    context: dg.AssetExecutionContext,
    lake: dg.ResourceParam[Lake],
    observations: dg.ResourceParam[Observations],
    settings: dg.ResourceParam[Settings],
) -> dg.MaterializeResult:
    """One row per granted device and pod that has it on the day, as known when that day's facts last changed."""
    return written(context, lake, raw_claims_told(observations, day_of(context, settings)))
