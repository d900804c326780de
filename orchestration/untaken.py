"""Which landed objects no raw table was made from, though they would change one: what a lost notification leaves.

Objects that were found to change nothing are remembered in the lake, so that no look asks about them again; losing that
costs time only. Not here: what an object touches (touched.py).
"""

import gzip
import json
import zlib
from collections.abc import Iterable, Sequence
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


def untaken_of_clusters(workspace: Workspace, now: datetime) -> list[LandedObject]:
    """Objects that no raw partition of an open month was made from, but for those known to change nothing."""
    days, _ = open_partitions(workspace, now)
    settled = settled_objects(workspace)
    untaken: list[LandedObject] = []
    for cluster, known in sorted(workspace.settings.clusters.items()):
        landed = {
            source: [each for each in workspace.landing.objects(source, cluster) if each.key not in settled]
            for source in daily_sources_of(known.scheduler)
        }
        partitions = [Partition.of_day(cluster, day) for day in days]
        for source, objects in landed.items():
            taken = _taken(source, partitions, workspace) if objects else set()
            untaken += [each for each in objects if each.key not in taken]
    return untaken


def untaken_of_people(workspace: Workspace) -> list[LandedObject]:
    """All files of people: they are few, and what they change is compared with what stands at every look."""
    return [landed for source in PEOPLE_SOURCES for landed in workspace.landing.objects(source, None)]


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
