"""How raw_devices and raw_samples are made: what the telemetry objects of a day and just before it say, folded once.

Not here: the fold (chargeback/usage/telemetry_of_day.py), and the two tables, one file each.
"""

from collections.abc import Sequence
from datetime import timedelta

import polars as pl

from assets.landed_records import shas_of
from assets.materialisation import Day, Inputs
from chargeback.billing_period import Interval
from chargeback.contracts.raw_devices import RAW_DEVICES
from chargeback.contracts.raw_samples import RAW_SAMPLES
from chargeback.usage.telemetry_of_day import telemetry_of_day
from resources.lake_records import Scanned
from resources.observations import Observations
from resources.parsed_object import ParsedObject
from resources.settings import Settings

SOURCE = "dcgm"


def telemetry_objects(observations: Observations, day: Day) -> list[ParsedObject]:
    """The objects of which a sample can hold on the day."""
    return observations.of_interval(SOURCE, day.cluster, day.interval)


def telemetry_inputs(objects: Sequence[ParsedObject], settings: Settings, day: Day, *read: Scanned) -> Inputs:
    """What the two tables follow from."""
    staleness = settings.staleness_seconds(day.cluster)
    return Inputs.of(*read, objects=shas_of(objects), settings={"staleness_seconds": staleness})


def telemetry_tables(
    observations: Observations, objects: Sequence[ParsedObject], settings: Settings, day: Day
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """contracts.raw_devices and contracts.raw_samples of the day."""
    staleness = settings.staleness_seconds(day.cluster)
    reaches = Interval(day.interval.start - timedelta(seconds=staleness), day.interval.end)
    seen = observations.frame(objects, within=reaches)
    if seen is None:
        return RAW_DEVICES.empty(), RAW_SAMPLES.empty()
    return telemetry_of_day(seen, cluster=day.cluster, day=day.day, interval=day.interval, staleness_seconds=staleness)
