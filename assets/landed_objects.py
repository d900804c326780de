"""The asset landed_objects."""

import dagster as dg
import polars as pl

from assets.landed_records import shas_of
from assets.materialisation import Inputs, day_of, materialise
from chargeback.contracts.landed_objects import LANDED_OBJECTS
from resources.lake import Lake
from resources.object_store import ObjectStore
from resources.observations import Observations
from resources.parsers import daily_sources_of
from resources.settings import Settings


@dg.asset
def landed_objects(
    context: dg.AssetExecutionContext,
    lake: dg.ResourceParam[Lake],
    observations: dg.ResourceParam[Observations],
    store: dg.ResourceParam[ObjectStore],
    settings: dg.ResourceParam[Settings],
) -> dg.MaterializeResult:
    """One row per landing object and day that one of its records overlaps, with how much of it could be read."""
    day = day_of(context, settings)
    objects = [
        parsed
        for source in daily_sources_of(day.scheduler)
        for parsed in observations.of_interval(source, day.cluster, day.interval)
    ]

    gone = _removed(lake.scan(LANDED_OBJECTS, [day.partition]).frame.collect(), store)

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
        return pl.concat([pl.DataFrame(touching, schema=LANDED_OBJECTS.schema), gone])

    missing = {"gone": gone["object"].to_list()} if len(gone) else {}
    inputs = Inputs.of(objects=shas_of(objects), settings={**day.read_as, **missing})
    return materialise(context, lake, LANDED_OBJECTS, day.partition, inputs=inputs, rule=rule)


def _removed(stood: pl.DataFrame, store: ObjectStore) -> pl.DataFrame:
    """What stood here and is not in landing any more: landing is for good, so it stays, and a check finds it."""
    keys = [key for key in stood["object"].unique().sort() if not store.exists(key)]
    return stood.filter(pl.col("object").is_in(keys)).sort("object")
