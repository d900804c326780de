"""The last day of a month, which the first extract of records taken after it touches even if it says nothing new.

The gate wants to see such an extract among a month's landed objects (month_complete, checks/rated_usage.py), and
landed_objects of a day lists what had landed when the day was made. Not here: what it changes (touched_days.py).
"""

from datetime import date, timedelta

import polars as pl

from assets.materialisation import Day
from chargeback.contracts.landed_objects import LANDED_OBJECTS
from checks.rated_usage import RECORDS
from orchestration.touching import Asking, Touching
from resources.parsed_object import ParsedObject

SOURCES_OF_RECORDS = frozenset(source for _, source, _ in RECORDS.values())


def touch_last_days_of_months(found: Touching, asking: Asking) -> None:
    """Add the open last days that were made before any extract after them was there, with the objects that are one."""
    if asking.source not in SOURCES_OF_RECORDS:
        return
    for day in (asking.day(name) for name in asking.days if _is_last_of_month(name)):
        taken_after = [each for each in asking.parsed if each.extracted_at >= day.interval.end]
        if taken_after and _lacks_an_extract_after(day, asking):
            after = {each.landed.key for each in taken_after if _has_records_of(day, each, asking)}
            if after:
                found.touch_day(day.partition.key, after)


def _is_last_of_month(day: str) -> bool:
    return (date.fromisoformat(day) + timedelta(days=1)).day == 1


def _has_records_of(day: Day, parsed: ParsedObject, asking: Asking) -> bool:
    """Whether landed_objects of the day would list an object."""
    if not parsed.overlaps(day.interval):
        return False
    records = asking.observations.frame([parsed], within=day.interval)
    return records is not None and len(records) > 0


def _lacks_an_extract_after(day: Day, asking: Asking) -> bool:
    lake = asking.workspace.lake
    if lake.state(LANDED_OBJECTS, day.partition) is None:  # never made: whatever has arrived of it touches it
        return False
    listed = lake.scan(LANDED_OBJECTS, [day.partition]).frame
    after = listed.filter(pl.col("source") == asking.source, pl.col("extracted_at") >= day.interval.end)
    return after.limit(1).collect().is_empty()
