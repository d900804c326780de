"""Which partitions an arriving object touches: those whose facts, cut to the partition, it changes.

Not here: how days are compared (touched_days.py), what people's files change (touched_months.py, touched_approvals.py).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from orchestration.open_partitions import open_partitions
from orchestration.touched_approvals import days_of_approvals
from orchestration.touched_closed import corrections_of_people
from orchestration.touched_days import days_of_objects
from orchestration.touched_enforcement import months_of_enforcement
from orchestration.touched_months import months_of_cards, months_of_ownership, months_of_signatures
from orchestration.touching import Touching
from orchestration.workspace import Workspace
from resources.landing import CLUSTER_SOURCES, LandedObject, ObjectCorrupted
from resources.object_store import ObjectMissing
from resources.parsers import daily_sources_of


@dataclass(frozen=True, slots=True)
class Touched:
    """What some arrived objects ask for, by object key.

    `days`: `cluster|day` -> objects that change what stands there. `months`: `2026-10` -> tables of people's files
    (rate_card, ownership) whose content would be another, corrections where a closed month's would, and statements of a
    month that becomes charged -> objects that make it so. `changed_nothing`: objects that touch no partition.
    `refused`: object -> why nobody can use it.
    """

    days: Mapping[str, frozenset[str]]
    months: Mapping[str, Mapping[str, frozenset[str]]]
    changed_nothing: frozenset[str]
    refused: Mapping[str, str]


def touched_partitions(arrived: Sequence[LandedObject], *, workspace: Workspace, now: datetime) -> Touched:
    """What arrived objects ask for: exactly the open partitions whose facts they change.

    Never a closed month, or a day before the lake's first or after `now`. An object that stands in a partition's
    recorded inputs touches it no more. `days` names of all objects that speak of a day those that can have changed it.
    """
    grouped: dict[tuple[str, str | None], list[LandedObject]] = {}
    found = Touching()
    for landed in arrived:
        reason = _why_unknown(landed, workspace)
        if reason:
            found.refuse(landed.key, reason)
        else:
            grouped.setdefault((landed.source, landed.cluster), []).append(landed)
    days, months = open_partitions(workspace, now)
    for (source, cluster), objects in grouped.items():
        try:
            if cluster is not None:
                found.add(days_of_objects(objects, source=source, cluster=cluster, workspace=workspace, days=days))
            elif source == "rate-cards":
                found.add(months_of_cards(objects, workspace=workspace, months=months))
            elif source == "ownership":
                found.add(months_of_ownership(objects, workspace=workspace, months=months))
            elif source == "approvals":
                found.add(days_of_approvals(objects, workspace=workspace, days=days))
                found.add(months_of_signatures(objects, workspace=workspace, months=months))
            elif source == "keyrings":
                found.add(months_of_signatures(objects, workspace=workspace, months=months))
            if source in ("approvals", "keyrings", "finance-reference"):
                found.add(months_of_enforcement(objects, workspace=workspace, months=months))
            if cluster is None:
                found.add(corrections_of_people(objects, source=source, workspace=workspace))
        except (ObjectCorrupted, ObjectMissing) as damage:
            for landed in objects:
                found.refuse(landed.key, str(damage))
    of_no_effect = {landed.key for landed in arrived} - found.objects
    return Touched(
        days={key: frozenset(objects) for key, objects in sorted(found.days.items())},
        months={
            month: {table: frozenset(objects) for table, objects in sorted(tables.items())}
            for month, tables in sorted(found.months.items())
        },
        changed_nothing=frozenset(of_no_effect),
        refused=dict(sorted(found.refused.items())),
    )


def _why_unknown(landed: LandedObject, workspace: Workspace) -> str | None:
    """Why the settings have no place for an object; None if they have."""
    if landed.source not in CLUSTER_SOURCES:
        return None
    cluster = workspace.settings.clusters.get(landed.cluster or "")
    if cluster is None:
        known = ", ".join(sorted(workspace.settings.clusters))
        return (
            f"cluster {landed.cluster!r} is not in chargeback.toml (known: {known}): add it, or land it under its name"
        )
    if landed.source != "slurm/associations" and landed.source not in daily_sources_of(cluster.scheduler):
        return f"{landed.source} is no source of cluster {cluster.name}, whose scheduler is {cluster.scheduler}"
    return None
