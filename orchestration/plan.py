"""What a bill has to do: the (cluster, day) partitions whose records, people's files, settings or code changed.

Every asset decides for itself whether it is current; this only saves the runs that would find nothing to do. What was
billed is remembered under billed/ (a cache: without it everything is looked at again). A day that a new extract merely
overlaps is run, although no arrival would request it (touched.py): rows of raw tables name the object that said them
last, and landed_objects lists the extract, so a lake that was billed step by step holds the very contents of one that
was billed at once. What is charged and published does not depend on it.
"""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from assets.materialisation import Month
from chargeback.billing_period import day_interval
from chargeback.contracts.partition import Partition
from resources.code_version import RULES_AND_CHECKS, code_version
from resources.content_hash import fingerprint
from resources.device_maps import device_maps_in_force
from resources.kept_records import NO_RECORD, record_in, text_in
from resources.object_store import ObjectMissing, ObjectStore
from resources.observations import Observations
from resources.parsers import daily_sources_of
from resources.people_objects import PeopleObjects
from resources.settings import Settings


@dataclass(frozen=True, slots=True)
class Plan:
    """The days to run with the fingerprint of their leaves, and those that stand as they are."""

    days: tuple[tuple[Partition, str], ...]
    unchanged: tuple[Partition, ...]


def plan_days(
    month: Month,
    *,
    observations: Observations,
    people: PeopleObjects,
    settings: Settings,
    store: ObjectStore,
    clusters: Sequence[str],
    now: datetime,
    again: bool,
) -> Plan:
    """Compare every day that has begun with what was billed. `again` takes every day, whatever is remembered."""
    to_run, unchanged = [], []
    listed = observations.as_listed_once()
    common = {cluster: _leaves_of_cluster(cluster, listed, people, settings) for cluster in clusters}
    for partition in month.days:
        cluster, day = (value for _, value in partition.values)
        if cluster not in clusters or day_interval(day, settings.zone).start >= now:
            continue
        leaves = fingerprint({**common[cluster], **_leaves_of_day(cluster, day, listed, settings)})
        if not again and recalled(store, partition) == leaves:
            unchanged.append(partition)
        else:
            to_run.append((partition, leaves))
    return Plan(tuple(to_run), tuple(unchanged))


def recalled(store: ObjectStore, partition: Partition) -> str | None:
    """The fingerprint with which a partition was last billed, if any that can be read."""
    try:
        return text_in(record_in(store.get(_key(partition))), "leaves")
    except (ObjectMissing, *NO_RECORD):
        return None


def remember(store: ObjectStore, partition: Partition, leaves: str) -> None:
    """Note that a partition was billed from these leaves."""
    store.put(_key(partition), json.dumps({"leaves": leaves}).encode())


def _key(partition: Partition) -> str:
    return f"billed/{'/'.join(value for _, value in partition.values)}.json"


def _leaves_of_cluster(
    cluster: str, observations: Observations, people: PeopleObjects, settings: Settings
) -> dict[str, object]:
    """What every day of a cluster follows from."""
    return {
        "code": code_version(RULES_AND_CHECKS),
        "gpu_partitions": sorted(observations.gpu_partitions(cluster)),
        "approvals": dict(people.gpu_count_approvals(cluster)[1]),
        "cluster": repr(settings.cluster(cluster)),
        "accelerators": dict(settings.accelerators),
        "policies": settings.usage_policies(),
        "timezone": settings.timezone,
    }


def _leaves_of_day(cluster: str, day: str, observations: Observations, settings: Settings) -> dict[str, object]:
    """What one day follows from beside that; an object's key holds the hash of its content."""
    interval = day_interval(day, settings.zone)
    sources = daily_sources_of(settings.cluster(cluster).scheduler)
    digest = hashlib.sha256()
    for source in sources:
        for parsed in observations.of_interval(source, cluster, interval):
            digest.update(f"{parsed.landed.key}\n".encode())
    in_force = observations.inventory_in_force(cluster, interval)
    return {
        "objects": digest.hexdigest(),
        "unread": {
            parsed.landed.key: len(parsed.quarantined)
            for source in sources
            for parsed, _ in observations.quarantined(source, cluster, day)
        },
        "nodes": in_force.landed.key if in_force else None,
        "device_maps": device_maps_in_force(observations, cluster, day, interval)[1],
    }
