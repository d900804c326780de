"""The asset quarantine."""

import dagster as dg
import polars as pl

from assets.landed_records import Told, shas_of, written
from assets.materialisation import Day, Inputs, day_of
from chargeback.contracts.quarantine import QUARANTINE
from resources.lake import Lake
from resources.observations import Observations
from resources.parsers import daily_sources_of
from resources.settings import Settings


def quarantine_told(observations: Observations, day: Day) -> Told:
    """contracts.quarantine of a day, from all that has landed."""
    unread = [
        (parsed, records)
        for source in daily_sources_of(day.scheduler)
        for parsed, records in observations.quarantined(source, day.cluster, day.day)
    ]
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
        for parsed, records in unread
        for record in records
    ]
    inputs = Inputs.of(objects=shas_of([parsed for parsed, _ in unread]), settings=day.read_as)
    return Told(QUARANTINE, day, inputs, lambda: pl.DataFrame(rows, schema=QUARANTINE.schema))


@dg.asset
def quarantine(
    context: dg.AssetExecutionContext,
    lake: dg.ResourceParam[Lake],
    observations: dg.ResourceParam[Observations],
    settings: dg.ResourceParam[Settings],
) -> dg.MaterializeResult:
    """One row per record that could not be read, on the day it speaks of; else where it blocks what it may touch."""
    return written(context, lake, quarantine_told(observations, day_of(context, settings)))
