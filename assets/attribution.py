"""The asset attribution."""

import dagster as dg

from assets.holds import holds
from assets.materialisation import Inputs, day_of, materialise
from chargeback.attribution.hourly import attribute_hours
from chargeback.contracts.attribution import ATTRIBUTION
from chargeback.contracts.holds import HOLDS
from resources.lake import Lake
from resources.settings import Settings


@dg.asset(deps=[holds])
def attribution(
    context: dg.AssetExecutionContext,
    lake: dg.ResourceParam[Lake],
    settings: dg.ResourceParam[Settings],
) -> dg.MaterializeResult:
    """One row per hold, GPU (or host and accelerator where the hold is unbound) and hour: held, and what it did."""
    day = day_of(context, settings)
    held = lake.scan(HOLDS, [day.partition])
    return materialise(
        context,
        lake,
        ATTRIBUTION,
        day.partition,
        inputs=Inputs.of(held),
        rule=lambda: attribute_hours(held.frame.collect(), cluster=day.cluster, day=day.day, interval=day.interval),
    )
