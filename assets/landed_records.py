"""How the raw tables are made: observations of landing objects that touch the day, folded to one row a record.

Not here: the folds themselves (chargeback/usage/), and the tables, one file each.
"""

from collections.abc import Callable, Mapping, Sequence

import dagster as dg
import polars as pl

from assets.materialisation import Day, Inputs, day_of, materialise
from chargeback.contracts.contract import Contract
from chargeback.usage.snapshots import listings_of
from resources.lake import Lake
from resources.observations import Observations, ParsedObject
from resources.settings import Settings

Fold = Callable[[pl.DataFrame, Day], pl.DataFrame]

SnapshotFold = Callable[[pl.DataFrame, pl.DataFrame, Day], pl.DataFrame]
"""Of observations and full listings of one day."""


def fold_landed(
    context: dg.AssetExecutionContext,
    *,
    lake: Lake,
    observations: Observations,
    settings: Settings,
    contract: Contract,
    source: str,
    fold: Fold,
    known: Mapping[str, object] | None = None,
) -> dg.MaterializeResult:
    """Write the day's records of one source; `known` are facts beyond the day that the fold uses."""
    day = day_of(context, settings)
    objects = observations.of_interval(source, day.cluster, day.interval)

    def rule() -> pl.DataFrame:
        seen = observations.frame(objects, within=day.interval)
        return contract.empty() if seen is None else fold(seen, day)

    inputs = Inputs.of(objects=shas_of(objects), settings=known)
    return materialise(context, lake, contract, day.partition, inputs=inputs, rule=rule)


def fold_snapshots(
    context: dg.AssetExecutionContext,
    *,
    lake: Lake,
    observations: Observations,
    settings: Settings,
    contract: Contract,
    source: str,
    fold: SnapshotFold,
) -> dg.MaterializeResult:
    """Write the day's records of a source of snapshots; the objects are also those that say what was gone."""
    day = day_of(context, settings)
    objects = observations.of_interval(source, day.cluster, day.interval)

    def rule() -> pl.DataFrame:
        seen = observations.frame(objects)
        return contract.empty() if seen is None else fold(seen, listings_of(objects), day)

    inputs = Inputs.of(objects=shas_of(objects))
    return materialise(context, lake, contract, day.partition, inputs=inputs, rule=rule)


def shas_of(objects: Sequence[ParsedObject]) -> dict[str, str]:
    """Object key -> sha256, as inputs are recorded."""
    return {parsed.landed.key: parsed.landed.sha256 for parsed in objects}
