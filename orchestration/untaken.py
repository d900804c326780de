"""Which landed objects no raw table was made from, though they would change one: what a lost notification leaves.

Objects that were found to change nothing are remembered in the lake, so that no look asks about them again; losing that
costs time only. Not here: what an object touches (touched.py).
"""

import gzip
import json
import zlib
from collections.abc import Iterable, Sequence, Set
from datetime import datetime

from assets.raw_tables import TABLES_OF
from chargeback.contracts.partition import Partition
from orchestration.open_partitions import open_partitions
from orchestration.workspace import Workspace
from resources.code_version import code_version
from resources.content_hash import fingerprint
from resources.landing import PEOPLE_SOURCES, LandedObject
from resources.object_store import ObjectMissing
from resources.parsers import daily_sources_of
from resources.settings import Settings


def untaken_of_source(
    source: str, cluster: str | None, *, workspace: Workspace, now: datetime, settled: Set[str]
) -> list[LandedObject]:
    """Objects of a source that no raw partition of an open month was made from, but for those that are settled.

    Of people all files: they are few, and what they change is compared with what stands at every look.
    """
    landed = workspace.landing.objects(source, cluster)
    if cluster is None:
        return landed
    unsettled = [each for each in landed if each.key not in settled]
    if not unsettled:
        return []
    days, _ = open_partitions(workspace, now)
    taken = _taken(source, [Partition.of_day(cluster, day) for day in days], workspace)
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


def _taken(source: str, partitions: Sequence[Partition], workspace: Workspace) -> set[str]:
    """Keys of the objects of a source that one of its raw tables, or the quarantine, was made from."""
    return {
        name.removeprefix("landing|")
        for table in TABLES_OF[source]
        for state in workspace.lake.states(table, partitions).values()
        for name in state.inputs
        if name.startswith(f"landing|landing/{source}/")
    }
