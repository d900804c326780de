"""The asset raw_nodes."""

import dagster as dg

from assets.landed_records import shas_of
from assets.materialisation import Inputs, day_of, materialise
from chargeback.contracts.raw_nodes import RAW_NODES
from chargeback.usage.slurm_nodes import listing_in_force, raw_nodes_of_day
from resources.lake import Lake
from resources.observations import Observations
from resources.settings import Settings


@dg.asset
def raw_nodes(
    context: dg.AssetExecutionContext,
    lake: dg.ResourceParam[Lake],
    observations: dg.ResourceParam[Observations],
    settings: dg.ResourceParam[Settings],
) -> dg.MaterializeResult:
    """One row per node of the inventory in force on the day: the latest listing until its end, else the first after it."""
    day = day_of(context, settings)
    listings = {
        parsed.landed.extracted_at: parsed
        for parsed in observations.parsed("slurm/nodes", day.cluster)
        if parsed.records > len(parsed.quarantined)
    }
    chosen = listing_in_force(sorted(listings), interval=day.interval)
    objects = [listings[chosen]] if chosen else []
    seen = observations.frame(objects)
    return materialise(
        context,
        lake,
        RAW_NODES,
        day.partition,
        inputs=Inputs.of(objects=shas_of(objects)),
        rule=lambda: (
            RAW_NODES.empty()
            if seen is None
            else raw_nodes_of_day(seen, cluster=day.cluster, day=day.day, interval=day.interval)
        ),
    )
