"""The asset raw_claims."""

import dagster as dg

from assets.materialisation import Inputs, day_of, materialise
from chargeback.contracts.raw_claims import RAW_CLAIMS
from resources.lake import Lake
from resources.settings import Settings


@dg.asset
def raw_claims(
    context: dg.AssetExecutionContext,
    lake: dg.ResourceParam[Lake],
    settings: dg.ResourceParam[Settings],
) -> dg.MaterializeResult:
    """Stub."""
    day = day_of(context, settings)
    return materialise(context, lake, RAW_CLAIMS, day.partition, inputs=Inputs.of(), rule=RAW_CLAIMS.empty)
