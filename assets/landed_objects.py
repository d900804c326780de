"""The asset landed_objects."""

import dagster as dg
import polars as pl

from assets.landed_records import shas_of
from assets.materialisation import Inputs, day_of, materialise
from chargeback.contracts.landed_objects import LANDED_OBJECTS
from resources.lake import Lake
from resources.observations import DAILY_SOURCES, Observations
from resources.settings import Settings


@dg.asset
def landed_objects(
    context: dg.AssetExecutionContext,
    lake: dg.ResourceParam[Lake],
    observations: dg.ResourceParam[Observations],
    settings: dg.ResourceParam[Settings],
) -> dg.MaterializeResult:
    """One row per landing object and day that one of its records overlaps, with how much of it could be read."""
    day = day_of(context, settings)
    objects = [
        parsed for source in DAILY_SOURCES for parsed in observations.of_interval(source, day.cluster, day.interval)
    ]

    def rule() -> pl.DataFrame:
        rows = []
        for parsed in objects:
            seen = observations.frame([parsed], within=day.interval)
            row = {
                "cluster": day.cluster,
                "day": day.day,
                "object": parsed.landed.key,
                "source": parsed.landed.source,
                "sha256": parsed.landed.sha256,
                "bytes": parsed.landed.size,
                "extracted_at": parsed.landed.extracted_at,
                "records": parsed.records,
                "records_of_day": 0 if seen is None else len(seen),
                "steps_ignored": parsed.steps_ignored,
                "quarantined": len(parsed.quarantined),
            }
            rows.append(row)
        touching = [row for row in rows if row["records_of_day"]]
        return pl.DataFrame(touching, schema=LANDED_OBJECTS.schema)

    inputs = Inputs.of(objects=shas_of(objects))
    return materialise(context, lake, LANDED_OBJECTS, day.partition, inputs=inputs, rule=rule)
