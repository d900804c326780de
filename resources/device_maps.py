"""The map of device numbers that is in force on a day, from all the maps that landed.

A map has no time of its own: it holds from its extraction on, and, if it is the first, before. Not here: the rule
(chargeback/usage/slurm_devices.py).
"""

from itertools import pairwise

import polars as pl

from chargeback.billing_period import Interval
from chargeback.contracts.raw_device_maps import RAW_DEVICE_MAPS
from chargeback.usage.slurm_devices import raw_device_maps_of_day
from resources.observations import Observations
from resources.parsed_object import ParsedObject

SOURCE = "slurm/devices"


def device_maps_in_force(
    observations: Observations, cluster: str, day: str, interval: Interval
) -> tuple[pl.DataFrame, dict[str, str]]:
    """contracts.raw_device_maps of a day, and the objects (key -> sha256) that it comes from."""
    landed = _changes(observations, cluster)
    seen = observations.frame(landed)
    if seen is None:
        return RAW_DEVICE_MAPS.empty(), {}
    rows = raw_device_maps_of_day(seen, cluster=cluster, day=day, interval=interval)
    chosen = set(rows["object"].unique())
    return rows, {parsed.landed.key: parsed.landed.sha256 for parsed in landed if parsed.landed.key in chosen}


def _changes(observations: Observations, cluster: str) -> list[ParsedObject]:
    """The maps without those that repeat the one before: of equal ones in a row the first stands on every day."""
    landed = [each for each in observations.parsed(SOURCE, cluster) if each.said]
    return landed[:1] + [each for before, each in pairwise(landed) if each.said != before.said]
