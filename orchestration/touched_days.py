"""Which days the objects of one source and cluster touch: what landing tells of a day now, against what stands there.

The raw tables' own folds decide. Only days that a record of the objects can speak of are looked at.
"""

from collections.abc import Iterable, Mapping, Sequence

import polars as pl

from assets.landed_records import Teller, Told, day_called
from assets.raw_tables import TELLERS
from chargeback.billing_period import day_interval
from chargeback.contracts.contract import Contract
from chargeback.contracts.partition import Partition
from chargeback.contracts.quarantine import QUARANTINE
from chargeback.contracts.raw_sacct import RAW_SACCT
from chargeback.contracts.raw_samples import RAW_SAMPLES
from chargeback.usage.observations import PLACE
from orchestration.touching import Touching, is_taken
from orchestration.workspace import Workspace
from resources.content_hash import content_hash, in_contract_order
from resources.landing import LandedObject
from resources.parsed_object import ParsedObject
from resources.parsers import SACCT

TELEMETRY = "dcgm"
WITHOUT_TIMES = ("slurm/nodes", "slurm/devices")
"""Sources whose records hold from their extraction on, until another says else."""


def days_of_objects(
    arrived: Sequence[LandedObject], *, source: str, cluster: str, workspace: Workspace, days: Sequence[str]
) -> Touching:
    """The open `days` of a cluster that objects of one source touch."""
    found = Touching()
    keys = {landed.key for landed in arrived}
    known = [] if source == "slurm/associations" else workspace.observations.parsed(source, cluster)
    parsed = [each for each in known if each.landed.key in keys]  # of equal bytes the first only
    if not parsed or not days:
        return found
    _touch_where_unread(found, parsed, workspace, cluster, days)
    if source == TELEMETRY:
        _touch_where_sampled(found, parsed, workspace, cluster, days)
    for teller in TELLERS.get(source, ()):
        _touch_where_told_otherwise(found, parsed, teller, source, workspace, cluster, days)
    if source == SACCT:
        _touch_where_a_partition_turns_out_to_have_gpus(found, parsed, workspace, cluster, days)
    return found


def _touch_where_told_otherwise(
    found: Touching,
    parsed: Sequence[ParsedObject],
    teller: Teller,
    source: str,
    workspace: Workspace,
    cluster: str,
    days: Sequence[str],
) -> None:
    observations, settings = workspace.observations, workspace.settings
    keys = {each.landed.key for each in parsed}
    for name in days:
        day = day_called(cluster, name, settings)
        telling = {each.landed.key for each in observations.of_interval(source, cluster, day.interval)} & keys
        if not telling and source not in WITHOUT_TIMES:
            continue
        told = teller(observations, day)
        speaking = keys & set(told.inputs.objects)
        if speaking and _says_another(told, speaking, workspace):
            found.touch_day(day.partition.key, speaking)


def _says_another(told: Told, speaking: set[str], workspace: Workspace) -> bool:
    """Whether what landing tells of a day is another fact than what stands there."""
    state = workspace.lake.state(told.contract, told.day.partition)
    if state is None:
        return True
    if all(is_taken(state, key) for key in speaking):
        return False
    rows = told.rows()
    if content_hash(rows, told.contract) == state.content_hash:
        return False
    stands = workspace.lake.scan(told.contract, [told.day.partition]).frame.collect()
    return not _facts(rows, told.contract).equals(_facts(stands, told.contract))


def _facts(rows: pl.DataFrame, contract: Contract) -> pl.DataFrame:
    """The rows in order, without the place that they were read at."""
    return in_contract_order(rows, contract).drop(PLACE, strict=False)


def _touch_where_unread(
    found: Touching, parsed: Iterable[ParsedObject], workspace: Workspace, cluster: str, days: Sequence[str]
) -> None:
    """Unreadable records are shown on the days that they may speak of."""
    shown: dict[str, set[str]] = {}
    for each in parsed:
        for record in each.quarantined:
            for day in each.days_of_quarantined(record, workspace.settings):
                shown.setdefault(day, set()).add(each.landed.key)
    _touch_where_not_taken(found, {day: shown[day] for day in days if day in shown}, QUARANTINE, workspace, cluster)


def _touch_where_sampled(
    found: Touching, parsed: Sequence[ParsedObject], workspace: Workspace, cluster: str, days: Sequence[str]
) -> None:
    """Telemetry is said once: whatever was not read yet changes the days that its samples can hold on."""
    keys = {each.landed.key for each in parsed}
    sampled: dict[str, set[str]] = {}
    for day in days:
        interval = day_interval(day, workspace.settings.zone)
        telling = workspace.observations.of_interval(TELEMETRY, cluster, interval)
        speaking = keys & {each.landed.key for each in telling}
        if speaking:
            sampled[day] = speaking
    _touch_where_not_taken(found, sampled, RAW_SAMPLES, workspace, cluster)


def _touch_where_not_taken(
    found: Touching, speaking: Mapping[str, set[str]], contract: Contract, workspace: Workspace, cluster: str
) -> None:
    partitions = [Partition.of_day(cluster, day) for day in speaking]
    states = workspace.lake.states(contract, partitions) if partitions else {}
    for partition, objects in zip(partitions, speaking.values(), strict=True):
        state = states.get(partition.key)
        new = {key for key in objects if state is None or not is_taken(state, key)}
        if new:
            found.touch_day(partition.key, new)


def _touch_where_a_partition_turns_out_to_have_gpus(
    found: Touching, parsed: Sequence[ParsedObject], workspace: Workspace, cluster: str, days: Sequence[str]
) -> None:
    """A record that got or asked for a GPU says so of its whole partition, on all days."""
    named = sorted({name for each in parsed for name in each.gpu_partitions})
    if not named:
        return
    stands = workspace.lake.scan(RAW_SACCT, [Partition.of_day(cluster, day) for day in days]).frame
    without = stands.filter(~pl.col("partition_has_gpus"), pl.col("Partition").is_in(named))
    for day, partition in without.select("day", "Partition").unique().collect().rows():
        objects = {each.landed.key for each in parsed if partition in each.gpu_partitions}
        found.touch_day(Partition.of_day(cluster, day).key, objects)
