"""The asset quarantine."""

import dagster as dg
import polars as pl

from assets.materialisation import Inputs, day_of, materialise
from chargeback.contracts.quarantine import QUARANTINE
from resources.lake import Lake
from resources.observations import Observations
from resources.parsers import daily_sources_of
from resources.settings import Settings


@dg.asset
def quarantine(
    context: dg.AssetExecutionContext,
    lake: dg.ResourceParam[Lake],
    observations: dg.ResourceParam[Observations],
    settings: dg.ResourceParam[Settings],
) -> dg.MaterializeResult:
    """One row per record that could not be read, on the day it speaks of; else where it blocks what it may touch."""
    day = day_of(context, settings)
    sources = daily_sources_of(day.scheduler)
    parsed_objects = [parsed for source in sources for parsed in observations.parsed(source, day.cluster)]
    rows = [
        {
            "cluster": day.cluster,
            "day": day.day,
            "source": parsed.landed.source,
            "object": parsed.landed.key,
            "line": record.line,
            "reason": record.reason,
            "excerpt": record.excerpt,
        }
        for parsed in parsed_objects
        for record in parsed.quarantined
        if day.day in parsed.days_of_quarantined(record, settings)
    ]
    shas = {parsed.landed.key: parsed.landed.sha256 for parsed in parsed_objects if parsed.landed.key in _keys(rows)}
    return materialise(
        context,
        lake,
        QUARANTINE,
        day.partition,
        inputs=Inputs.of(objects=shas),
        rule=lambda: pl.DataFrame(rows, schema=QUARANTINE.schema),
    )


def _keys(rows: list[dict[str, object]]) -> set[object]:
    return {row["object"] for row in rows}
