"""Workload objects: what owns pods (Jobs, ReplicaSets, RayJobs, ...), and what admits or gathers them (Kueue, gangs).

Any kind with a uid is read: owner, queue, priority, minimum, end. Not here: which observation counts on a day
(workload_observations.py), and whose a pod is.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

import polars as pl

from chargeback.contracts.contract import INSTANT
from chargeback.contracts.raw_workloads import RAW_WORKLOADS
from chargeback.usage.extract import ParsedExtract
from chargeback.usage.kubernetes_conditions import UNSAID, Condition, conditions_of
from chargeback.usage.kubernetes_fields import (
    as_json,
    controller_of,
    earliest,
    entries,
    instant,
    latest,
    named,
    section,
    text,
    texts,
    whole,
)
from chargeback.usage.kubernetes_objects import KubernetesObject, read_objects
from chargeback.usage.kubernetes_records import Ignored, Row, parsed_records
from chargeback.usage.quantities import whole_number

OF_THE_DAY = ("cluster", "day", "lastSeen", "missingFrom", "object", "line", "extracted_at")
"""Columns of contracts.raw_workloads that no single object says."""

WORKLOAD_COLUMNS = {
    **{name: dtype for name, dtype in RAW_WORKLOADS.schema.items() if name not in OF_THE_DAY},
    "full_kind": pl.String(),
    "deletionTimestamp": INSTANT,
    "stated": INSTANT,
    "event": pl.String(),
    "line": pl.Int64(),
    "overlaps_from": INSTANT,
    "overlaps_until": INSTANT,
}

NOT_WORKLOADS = ("Pod", "Node", "Event", "ResourceClaim", "ResourceSlice")
"""Kinds of other sources, and what only reports."""

ENDED = ("Finished", "Complete", "Completed", "Succeeded", "Failed")
"""Conditions that are true once a workload is over: Kueue, Job, JobSet, training operators."""

QUEUE_LABELS = ("kueue.x-k8s.io/queue-name", "kai.scheduler/queue", "runai/queue")
QUEUE_ANNOTATIONS = ("scheduling.volcano.sh/queue-name", "volcano.sh/queue-name")
PRIORITY_LABEL = "kueue.x-k8s.io/priority-class"

GPU_RESOURCES = ("nvidia.com/gpu", "amd.com/gpu")
MIG_PREFIX = "nvidia.com/mig-"


def parse_workloads(content: bytes, *, cluster: str, zone: ZoneInfo | None = None) -> ParsedExtract:  # noqa: ARG001
    """Read workload objects: API lists, kubectl's output, or watch events, in JSON or YAML.

    Output:  source columns of contracts.raw_workloads; `full_kind` (Job.batch), as listings are called; `event`;
             `stated`, the last instant that the object says of itself; `line`. It speaks of the time from its creation
             on: an object that is over is there until it is deleted.
    Raises:  UnreadableExtract if nothing in it is an object. `zone` is not needed; every parser takes it.
    """
    read = read_objects(content, what=f"workloads of {cluster}")
    return parsed_records(read, _rows, columns=WORKLOAD_COLUMNS, full_listings_of=read.full_listings_of)


def _rows(seen: KubernetesObject) -> list[Row] | Ignored:
    if seen.kind in NOT_WORKLOADS:
        return Ignored(f"{seen.kind}: no workload")
    if not seen.kind:
        raise ValueError("says no kind")
    metadata, spec, status = (section(seen.body, part) for part in ("metadata", "spec", "status"))
    if text(metadata, "uid") is None and not status and metadata.get("creationTimestamp") is None:
        return Ignored("manifest of a workload that was never created: neither uid nor status")
    conditions = conditions_of(status)
    created = instant(metadata, "creationTimestamp")
    ended = _ended(status, conditions)
    row = {
        **_identity(seen, metadata),
        **_queue(metadata, spec),
        **_quota(section(status, "admission"), conditions.get("QuotaReserved", UNSAID)),
        "rayClusterName": text(status, "rayClusterName"),
        "minimum": _minimum(spec),
        "creationTimestamp": created,
        "deletionTimestamp": instant(metadata, "deletionTimestamp"),
        "ended": ended,
        "stated": latest((created, ended, *(each.since for each in conditions.values()))),
        "overlaps_from": created,
        "overlaps_until": None,
    }
    return [row]


def _identity(seen: KubernetesObject, metadata: Mapping[str, Any]) -> Row:
    owner = controller_of(metadata)
    return {
        "uid": named(metadata, "uid"),
        "kind": seen.kind,
        "full_kind": seen.full_kind,
        "apiVersion": seen.api_version,
        "namespace": text(metadata, "namespace") or "",
        "name": named(metadata, "name"),
        "labels": as_json(texts(metadata, "labels")),
        "ownerKind": text(owner, "kind"),
        "ownerName": text(owner, "name"),
        "ownerUid": text(owner, "uid"),
    }


def _queue(metadata: Mapping[str, Any], spec: Mapping[str, Any]) -> Row:
    labels, annotations = texts(metadata, "labels"), texts(metadata, "annotations")
    template = section(section(spec, "template"), "spec")
    of_labels = next((labels[name] for name in QUEUE_LABELS if labels.get(name)), None)
    of_annotations = next((annotations[name] for name in QUEUE_ANNOTATIONS if annotations.get(name)), None)
    priority = text(spec, "priorityClassName") or text(section(spec, "priorityClassRef"), "name")
    return {
        "queueName": text(spec, "queueName") or text(spec, "queue") or of_labels or of_annotations,
        "priorityClassName": priority or labels.get(PRIORITY_LABEL) or text(template, "priorityClassName"),
    }


def _quota(admission: Mapping[str, Any], reserved: Condition) -> Row:
    """What Kueue admitted: a quota, not a hold. A pod set that is admitted with no pods takes nothing of it."""
    admitted = reserved.became_true
    if admitted is None or not admission:
        return {"admitted": admitted}
    assignments = entries(admission, "podSetAssignments")
    counts = [whole(each, "count") for each in assignments]
    gpus = (
        0 if count == 0 else _gpus(texts(each, "resourceUsage"))
        for each, count in zip(assignments, counts, strict=True)
    )
    return {
        "admitted": admitted,
        "clusterQueue": text(admission, "clusterQueue"),
        "quotaGpus": sum(gpus),
        "quotaPods": sum(count for count in counts if count is not None) if None not in counts else None,
    }


def _gpus(usage: Mapping[str, str]) -> int:
    total = 0
    for resource, quantity in usage.items():
        if resource in GPU_RESOURCES or resource.startswith(MIG_PREFIX):
            count = whole_number(quantity)
            if count is None:
                raise ValueError(f"resourceUsage of {resource} is {quantity!r}, not a whole number")
            total += count
    return total


def _minimum(spec: Mapping[str, Any]) -> int | None:
    """Pods that must start together: PodGroups of all schedulers, Volcano Jobs, Kueue's pod sets."""
    gang = section(section(spec, "schedulingPolicy"), "gang")
    stated = (whole(spec, "minMember"), whole(spec, "minAvailable"), whole(gang, "minCount"))
    known = next((each for each in stated if each is not None), None)
    pod_sets = entries(spec, "podSets")
    if known is not None or not pod_sets:
        return known
    least = [whole(each, "minCount") if each.get("minCount") is not None else whole(each, "count") for each in pod_sets]
    return sum(each if each is not None else 1 for each in least)


def _ended(status: Mapping[str, Any], conditions: Mapping[str, Condition]) -> datetime | None:
    """When it was over: what the status says, else the first condition that says so."""
    stated = earliest(instant(status, name) for name in ("completionTime", "endTime", "finishedAt"))
    return stated or earliest(conditions[name].became_true for name in ENDED if name in conditions)
