"""Which days the objects of one source and cluster touch: what landing tells of a day now, against what stands there.

The raw tables' own folds decide. Only days that a record of the objects can speak of are looked at.
"""

from collections.abc import Mapping, Sequence

import polars as pl

from assets.landed_records import Teller, Told
from assets.raw_tables import TELLERS
from chargeback.contracts.contract import Contract
from chargeback.contracts.partition import Partition
from chargeback.contracts.quarantine import QUARANTINE
from chargeback.contracts.raw_sacct import RAW_SACCT
from chargeback.contracts.raw_samples import RAW_SAMPLES
from chargeback.usage.observations import PLACE
from orchestration.touched_month_ends import touch_last_days_of_months
from orchestration.touched_records import touch_days_of_records
from orchestration.touching import Asking, Touching, is_taken
from orchestration.workspace import Workspace
from resources.content_hash import content_hash, in_contract_order
from resources.landing import LandedObject
from resources.parsers import SACCT

TELEMETRY = "dcgm"
WITHOUT_TIMES = ("slurm/nodes", "slurm/devices")
"""Sources whose records hold from their extraction on, until another says else."""


def days_of_objects(
    arrived: Sequence[LandedObject], *, source: str, cluster: str, workspace: Workspace, days: Sequence[str]
) -> Touching:
    """The open `days` of a cluster that objects of one source touch."""
    found = Touching()
    if source == "slurm/associations" or not days:
        return found
    keys = {landed.key for landed in arrived}
    observations = workspace.observations.as_listed_once()
    parsed = [each for each in observations.parsed(source, cluster) if each.landed.key in keys]  # of equal bytes one
    asking = Asking(parsed, source, cluster, days, observations, workspace)
    if parsed:
        _touch_where_unread(found, asking)
        if source == TELEMETRY:
            _touch_where_sampled(found, asking)
        for teller in TELLERS.get(source, ()):
            _touch_where_told_otherwise(found, asking, teller)
        if source == SACCT:
            _touch_where_a_partition_turns_out_to_have_gpus(found, asking)
        touch_last_days_of_months(found, asking)
    return found


def _touch_where_told_otherwise(found: Touching, asking: Asking, teller: Teller) -> None:
    day = asking.day(asking.days[-1])
    if teller(asking.observations, day).revised:
        touch_days_of_records(found, asking, teller)
        return
    for name in asking.days:
        day = asking.day(name)
        if asking.source in WITHOUT_TIMES or asking.keys_that_speak_of(day):
            told = teller(asking.observations, day)
            speaking = asking.keys & set(told.inputs.objects)
            if speaking and _says_another(told, speaking, asking):
                found.touch_day(day.partition.key, speaking)


def _says_another(told: Told, speaking: set[str], asking: Asking) -> bool:
    """Whether what landing tells of a day is another fact than what stands there, or the first to arrive of it."""
    state = asking.workspace.lake.state(told.contract, told.day.partition)
    if state is None:
        return asking.has_arrived_of(told.day)
    if all(is_taken(state, key) for key in speaking):
        return False
    rows = told.rows()
    if content_hash(rows, told.contract) == state.content_hash:
        return False
    stands = asking.workspace.lake.scan(told.contract, [told.day.partition]).frame.collect()
    return not _facts(rows, told.contract).equals(_facts(stands, told.contract))


def _facts(rows: pl.DataFrame, contract: Contract) -> pl.DataFrame:
    """The rows in order, without the place that they were read at."""
    return in_contract_order(rows, contract).drop(PLACE, strict=False)


def _touch_where_unread(found: Touching, asking: Asking) -> None:
    """Unreadable records are shown on the days that they may speak of."""
    shown: dict[str, set[str]] = {}
    for each in asking.parsed:
        for record in each.quarantined:
            for day in each.days_of_quarantined(record, asking.workspace.settings):
                shown.setdefault(day, set()).add(each.landed.key)
    _touch_where_not_taken(found, asking, {day: shown[day] for day in asking.days if day in shown}, QUARANTINE)


def _touch_where_sampled(found: Touching, asking: Asking) -> None:
    """Telemetry is said once: whatever was not read yet changes the days that its samples can hold on."""
    sampled = {day: asking.keys_that_speak_of(asking.day(day)) for day in asking.days}
    _touch_where_not_taken(found, asking, {day: keys for day, keys in sampled.items() if keys}, RAW_SAMPLES)


def _touch_where_not_taken(
    found: Touching, asking: Asking, speaking: Mapping[str, set[str]], contract: Contract
) -> None:
    partitions = [Partition.of_day(asking.cluster, day) for day in speaking]
    states = asking.workspace.lake.states(contract, partitions) if partitions else {}
    for partition, objects in zip(partitions, speaking.values(), strict=True):
        state = states.get(partition.key)
        new = {key for key in objects if state is None or not is_taken(state, key)}
        if new:
            found.touch_day(partition.key, new)


def _touch_where_a_partition_turns_out_to_have_gpus(found: Touching, asking: Asking) -> None:
    """A record that got or asked for a GPU says so of its whole partition, on all days."""
    named = sorted({name for each in asking.parsed for name in each.gpu_partitions})
    if not named:
        return
    partitions = [Partition.of_day(asking.cluster, day) for day in asking.days]
    stands = asking.workspace.lake.scan(RAW_SACCT, partitions).frame
    without = stands.filter(~pl.col("partition_has_gpus"), pl.col("Partition").is_in(named))
    for day, partition in without.select("day", "Partition").unique().collect().rows():
        objects = {each.landed.key for each in asking.parsed if partition in each.gpu_partitions}
        found.touch_day(Partition.of_day(asking.cluster, day).key, objects)
