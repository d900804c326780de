"""The asset raw_samples."""

import dagster as dg

from assets.materialisation import Inputs, day_of, materialise
from chargeback.contracts.raw_samples import RAW_SAMPLES
from resources.lake import Lake
from resources.settings import Settings


@dg.asset
def raw_samples(
    context: dg.AssetExecutionContext,
    lake: dg.ResourceParam[Lake],
    settings: dg.ResourceParam[Settings],
) -> dg.MaterializeResult:
    """Stub."""
    day = day_of(context, settings)
    return materialise(context, lake, RAW_SAMPLES, day.partition, inputs=Inputs.of(), rule=RAW_SAMPLES.empty)
