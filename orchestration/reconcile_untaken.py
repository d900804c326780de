"""What stands in landing/ and in no raw table: asked of the same rule that arrivals are asked of, source by source.

An object that was taken touches nothing any more, so what still touches something was lost. Not here: the rule
(touched.py), what is requested (reconcile.py).
"""

from collections.abc import Iterator
from datetime import datetime

from orchestration.touched import Touched, touched_partitions
from orchestration.workspace import Workspace
from resources.landing import PEOPLE_SOURCES, LandedObject
from resources.parsers import daily_sources_of


def untaken_objects(*, workspace: Workspace, now: datetime) -> Touched:
    """What all of landing asks for now."""
    days: dict[str, frozenset[str]] = {}
    months: dict[str, frozenset[str]] = {}
    nothing: frozenset[str] = frozenset()
    refused: dict[str, str] = {}
    for objects in _by_source(workspace):
        touched = touched_partitions(objects, workspace=workspace, now=now)
        for day, keys in touched.days.items():
            days[day] = days.get(day, frozenset()) | keys
        for month, tables in touched.months.items():
            months[month] = months.get(month, frozenset()) | tables
        nothing |= touched.changed_nothing
        refused |= touched.refused
    return Touched(days, months, nothing, refused)


def _by_source(workspace: Workspace) -> Iterator[list[LandedObject]]:
    for name, cluster in workspace.settings.clusters.items():
        for source in daily_sources_of(cluster.scheduler):
            yield workspace.landing.objects(source, name)
    for source in PEOPLE_SOURCES:
        yield workspace.landing.objects(source, None)
