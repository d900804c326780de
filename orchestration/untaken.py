"""Which landed objects some raw table was not made from, though they may change it: what was lost on the way.

A notification may be lost, and of several days that an object touches the run of one may fail.
Objects that were found to change nothing are remembered in the lake, so that no look asks about them again; losing that
costs time only. Not here: what an object touches (touched.py).
"""

import gzip
import json
import zlib
from collections.abc import Iterable, Sequence, Set
from datetime import datetime

from assets.landed_records import day_called
from assets.materialisation import Day
from assets.raw_tables import TABLES_OF
from chargeback.contracts.contract import Contract
from chargeback.contracts.partition import Partition
from chargeback.contracts.quarantine import QUARANTINE
from orchestration.open_partitions import open_partitions
from orchestration.workspace import Workspace
from resources.code_version import code_version
from resources.content_hash import fingerprint
from resources.lake_records import PartitionState
from resources.landing import PEOPLE_SOURCES, LandedObject
from resources.object_store import ObjectMissing
from resources.observations import Observations
from resources.parsers import daily_sources_of
from resources.settings import Settings


def untaken_of_source(
    source: str, cluster: str | None, *, workspace: Workspace, now: datetime, settled: Set[str]
) -> list[LandedObject]:
    """Objects of a source that a raw partition of an open month was not made from, but for those that are settled.

    Of people all files: they are few, and what they change is compared with what stands at every look. Reads what is
    not settled.
    """
    landed = workspace.landing.objects(source, cluster)
    if cluster is None:
        return landed
    unsettled = [each for each in landed if each.key not in settled]
    if not unsettled:
        return []
    days, _ = open_partitions(workspace, now)
    taken = _taken(source, cluster, days, workspace)
    return [each for each in unsettled if each.key not in taken]


def sources_of(settings: Settings) -> list[tuple[str, str | None]]:
    """Every source that a lake's tables are made from, with its cluster; None for files of people."""
    return [
        *(
            (source, name)
            for name, known in sorted(settings.clusters.items())
            for source in daily_sources_of(known.scheduler)
        ),
        *((source, None) for source in PEOPLE_SOURCES),
    ]


def settled_objects(workspace: Workspace) -> set[str]:
    """Keys of objects that were found to change nothing, by this code under these settings."""
    try:
        return set(json.loads(gzip.decompress(workspace.store.get(_key(workspace.settings)))))
    except (ObjectMissing, gzip.BadGzipFile, EOFError, zlib.error, ValueError, TypeError):
        return set()


def settle(workspace: Workspace, objects: Iterable[LandedObject], *, now: datetime) -> None:
    """Remember objects that change nothing, unless a record of theirs speaks of a day that has not begun."""
    passed = {
        landed.key
        for landed in objects
        if (until := workspace.observations.read(landed).overlaps_until) is None or until <= now
    }
    known = settled_objects(workspace)
    if passed - known:
        content = json.dumps(sorted(known | passed)).encode()
        workspace.store.put(_key(workspace.settings), gzip.compress(content, compresslevel=6, mtime=0))


def _key(settings: Settings) -> str:
    """What an object changes depends on the code, on which days there are, and on how the clusters are read."""
    clusters = {name: repr(cluster) for name, cluster in settings.clusters.items()}
    read_as = fingerprint({"first_day": settings.first_day.isoformat(), "zone": settings.timezone, **clusters})
    return f"settled/{code_version()}/{read_as[:16]}.json.gz"


def _taken(source: str, cluster: str, days: Sequence[str], workspace: Workspace) -> set[str]:
    """Keys of the objects of a source from which a table was made, on every day that they may speak of.

    The tables are the raw ones of the source and the quarantine.
    """
    partitions = {day: Partition.of_day(cluster, day) for day in days}
    of_table = {
        table: {
            day: _landing_keys(states[partition.key])
            for day, partition in partitions.items()
            if partition.key in states
        }
        for table in TABLES_OF[source]
        if (states := workspace.lake.states(table, list(partitions.values())))
    }
    taken = {key for of_day in of_table.values() for keys in of_day.values() for key in keys}
    observations = workspace.observations.as_listed_once()
    for day in days if taken else ():
        known = day_called(cluster, day, workspace.settings)
        for table in TABLES_OF[source]:
            may_change = _may_change(table, source, known, observations)
            taken -= may_change - of_table.get(table, {}).get(day, set())
    return taken


def _landing_keys(state: PartitionState) -> set[str]:
    return {name.removeprefix("landing|") for name in state.inputs if name.startswith("landing|")}


def _may_change(table: Contract, source: str, day: Day, observations: Observations) -> set[str]:
    """Objects of a source of which a record can stand in a table on a day."""
    if table is QUARANTINE:
        return {parsed.landed.key for parsed, _ in observations.quarantined(source, day.cluster, day.day)}
    return {parsed.landed.key for parsed in observations.of_interval(source, day.cluster, day.interval)}
