"""Which landed objects a month rests on, asked of landing itself when the month is made.

A day's landed_objects lists what had landed when that day's facts last changed: an extract that merely repeats them is
in no day that a sensor requested, and in every day that a bill ran. What a statement says of its month must not follow
from which of them moved it. Not here: what the objects say (observations.py).
"""

from assets.materialisation import Month
from chargeback.billing_period import Interval, day_interval
from resources.observations import Observations
from resources.parsed_object import ParsedObject
from resources.parsers import daily_sources_of
from resources.settings import Settings


def objects_of_month(observations: Observations, month: Month, settings: Settings) -> list[ParsedObject]:
    """Every landed object of which a record overlaps a billed day of the month, by cluster, source and extraction."""
    if not month.days:
        return []
    first_day = dict(month.days[0].values)["day"]
    interval = Interval(day_interval(first_day, settings.zone).start, month.period.interval.end)
    listed = observations.as_listed_once()
    return [
        parsed
        for cluster, scheduler in sorted(month.schedulers.items())
        for source in daily_sources_of(scheduler)
        for parsed in listed.of_interval(source, cluster, interval)
        if _has_record_in(parsed, interval, listed)
    ]


def _has_record_in(parsed: ParsedObject, interval: Interval, observations: Observations) -> bool:
    """Its first record begins in the interval, or its last one ends there; only of others the records are read."""
    first, last = parsed.overlaps_from, parsed.overlaps_until
    if first is None or last is None or not parsed.is_readable:
        return False
    if interval.start <= first < interval.end or interval.start < last < interval.end:
        return True
    if last <= interval.start or first >= interval.end:
        return False
    records = observations.frame([parsed], within=interval)
    return records is not None and len(records) > 0
