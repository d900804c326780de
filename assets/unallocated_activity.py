"""The asset unallocated_activity."""

import dagster as dg

from assets.materialisation import Inputs, day_of, materialise
from chargeback.contracts.unallocated_activity import UNALLOCATED_ACTIVITY
from resources.lake import Lake
from resources.settings import Settings


@dg.asset
def unallocated_activity(
    context: dg.AssetExecutionContext,
    lake: dg.ResourceParam[Lake],
    settings: dg.ResourceParam[Settings],
) -> dg.MaterializeResult:
    """Stub."""
    day = day_of(context, settings)
    return materialise(
        context, lake, UNALLOCATED_ACTIVITY, day.partition, inputs=Inputs.of(), rule=UNALLOCATED_ACTIVITY.empty
    )
