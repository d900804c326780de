"""How the raw tables are made: observations of landing objects that touch the day, folded to one row a record.

What would stand in a (cluster, day) now is `Told`: an asset writes it, and whoever asks what an object touches compares
it. Not here: the folds themselves (chargeback/usage/), and the tables, one file each.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import dagster as dg
import polars as pl

from assets.materialisation import Day, Inputs, materialise
from chargeback.billing_period import day_interval
from chargeback.contracts.contract import Contract
from chargeback.contracts.partition import Partition
from chargeback.usage.snapshots import listings_of
from resources.lake import Lake
from resources.observations import Observations
from resources.parsed_object import ParsedObject
from resources.settings import Settings

Fold = Callable[[pl.DataFrame, Day], pl.DataFrame]

SnapshotFold = Callable[[pl.DataFrame, pl.DataFrame, Day], pl.DataFrame]
"""Of observations and full listings of one day."""


@dataclass(frozen=True, slots=True)
class Told:
    """What landing says of one (cluster, day) of a raw table: what that follows from, and the rows when asked for."""

    contract: Contract
    day: Day
    inputs: Inputs
    rows: Callable[[], pl.DataFrame]
    fold: Fold | None = None
    revised: tuple[str, ...] = ()
    """Of records with a beginning and an end: their fold, and what identifies one of them, its beginning included."""


Teller = Callable[[Observations, Day], Told]
"""What would stand in a raw table on a day, from all that has landed."""


def day_called(cluster: str, day: str, settings: Settings) -> Day:
    """A (cluster, day) by name. Raises SettingsRefused for a cluster that the settings do not know."""
    known = settings.cluster(cluster)
    interval = day_interval(day, settings.zone)
    return Day(known.name, day, interval, Partition.of_day(cluster, day), known.scheduler, known.timezone)


def written(context: dg.AssetExecutionContext, lake: Lake, told: Told) -> dg.MaterializeResult:
    """Write what landing tells of the day, unless it stands there already."""
    return materialise(context, lake, told.contract, told.day.partition, inputs=told.inputs, rule=told.rows)


def told_by_records(
    observations: Observations,
    day: Day,
    *,
    contract: Contract,
    source: str,
    fold: Fold,
    revised: tuple[str, ...] = (),
    known: Mapping[str, object] | None = None,
) -> Told:
    """The day's records of one source; `known` are facts beyond the day that the fold uses.

    `revised`: what identifies a record, where a later extract may say that it ended before the day.
    """
    objects = observations.of_interval(source, day.cluster, day.interval)

    def rows() -> pl.DataFrame:
        seen = observations.frame(objects, within=day.interval, revised=revised)
        return contract.empty() if seen is None else fold(seen, day)

    inputs = Inputs.of(objects=shas_of(objects), settings={**day.read_as, **(known or {})})
    return Told(contract, day, inputs, rows, fold, revised)


def told_by_snapshots(
    observations: Observations, day: Day, *, contract: Contract, source: str, fold: SnapshotFold
) -> Told:
    """The day's records of a source of snapshots; the objects are also those that say what was gone."""
    objects = observations.of_interval(source, day.cluster, day.interval)

    def rows() -> pl.DataFrame:
        seen = observations.frame(objects)
        return contract.empty() if seen is None else fold(seen, listings_of(objects), day)

    return Told(contract, day, Inputs.of(objects=shas_of(objects)), rows)


def shas_of(objects: Sequence[ParsedObject]) -> dict[str, str]:
    """Object key -> sha256, as inputs are recorded."""
    return {parsed.landed.key: parsed.landed.sha256 for parsed in objects}
