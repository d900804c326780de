"""The asset bindings."""

import dagster as dg

from assets.materialisation import Inputs, day_of, materialise
from chargeback.contracts.bindings import BINDINGS
from resources.lake import Lake
from resources.settings import Settings


@dg.asset
def bindings(
    context: dg.AssetExecutionContext,
    lake: dg.ResourceParam[Lake],
    settings: dg.ResourceParam[Settings],
) -> dg.MaterializeResult:
    """Stub."""
    day = day_of(context, settings)
    return materialise(context, lake, BINDINGS, day.partition, inputs=Inputs.of(), rule=BINDINGS.empty)
