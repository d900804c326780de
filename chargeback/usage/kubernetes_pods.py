"""Pods as the API shows them: identity, owner, node, containers, and the instants of their life.

Not here: which observation of a pod counts on a day (pod_observations.py), and what a pod is charged as.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

import polars as pl

from chargeback.contracts.contract import INSTANT
from chargeback.contracts.raw_pods import RAW_PODS
from chargeback.usage.extract import ParsedExtract
from chargeback.usage.kubernetes_conditions import UNSAID, Condition, conditions_of
from chargeback.usage.kubernetes_fields import (
    annotations,
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
from chargeback.usage.kubernetes_records import OVER, Ignored, Row, parsed_records
from chargeback.usage.pod_containers import (
    ContainerState,
    PodEnd,
    container_states,
    containers_json,
    end_of,
    has_terminal,
    main_started,
)

OF_THE_DAY = ("cluster", "day", "deleted", "lastSeen", "missingFrom", "object", "line", "extracted_at")
"""Columns of contracts.raw_pods that no single object says."""

POD_COLUMNS = {
    **{name: dtype for name, dtype in RAW_PODS.schema.items() if name not in OF_THE_DAY},
    "event": pl.String(),
    "stated": INSTANT,
    "line": pl.Int64(),
    "overlaps_from": INSTANT,
    "overlaps_until": INSTANT,
}

REFUSED_BY_HOST = ("UnexpectedAdmissionError", "OutOf", "NodeAffinity", "NodeName", "NodePorts", "TaintToleration")
"""Reasons of the kubelet not to admit a pod that was bound to it: such a pod stays Failed without ever having begun."""


def parse_pods(content: bytes, *, cluster: str, zone: ZoneInfo | None = None) -> ParsedExtract:  # noqa: ARG001
    """Read pods: an API list, kubectl's output, or watch events, in JSON or YAML.

    Output:  source columns of contracts.raw_pods; `event` (LISTED, ADDED, MODIFIED, DELETED); `stated`, the last
             instant that the pod says of itself; `line`. A pod speaks of the time from its creation on, since from then
             it waits, until its end where it says that itself.
    Raises:  UnreadableExtract if nothing in it is an object. Kubernetes says all times with their offset, so `zone` is
             not needed; every parser takes it.
    """
    read = read_objects(content, what=f"pods of {cluster}")
    return parsed_records(read, _rows, columns=POD_COLUMNS, full_listings_of=read.full_listings_of & {"Pod"})


def _rows(seen: KubernetesObject) -> list[Row] | Ignored:
    if seen.kind not in ("Pod", ""):
        return Ignored(f"{seen.kind}: no pod")
    metadata, spec, status = (section(seen.body, part) for part in ("metadata", "spec", "status"))
    if not entries(spec, "containers"):
        raise ValueError("has no containers: it is no pod, or its record is cut off")
    if text(metadata, "uid") is None and not status and metadata.get("creationTimestamp") is None:
        return Ignored("manifest of a pod that was never created: neither uid nor status")
    return [{**_identity(metadata), **_asked(spec, status), **_lived(metadata, spec, status)}]


def _identity(metadata: Mapping[str, Any]) -> Row:
    owner = controller_of(metadata)
    return {
        "uid": named(metadata, "uid"),
        "namespace": named(metadata, "namespace"),
        "name": named(metadata, "name"),
        "labels": as_json(texts(metadata, "labels")),
        "annotations": as_json(annotations(metadata)),
        "ownerKind": text(owner, "kind"),
        "ownerName": text(owner, "name"),
        "ownerUid": text(owner, "uid"),
    }


def _asked(spec: Mapping[str, Any], status: Mapping[str, Any]) -> Row:
    return {
        "nodeName": text(spec, "nodeName"),
        "serviceAccountName": text(spec, "serviceAccountName"),
        "schedulerName": text(spec, "schedulerName"),
        "priorityClassName": text(spec, "priorityClassName"),
        "restartPolicy": text(spec, "restartPolicy"),
        "schedulingGroup": text(section(spec, "schedulingGroup"), "podGroupName"),
        "tty": has_terminal(spec),
        "activeDeadlineSeconds": whole(spec, "activeDeadlineSeconds"),
        "containers": containers_json(spec),
        "resourceClaims": as_json(_claims(spec, status)),
    }


def _lived(metadata: Mapping[str, Any], spec: Mapping[str, Any], status: Mapping[str, Any]) -> Row:
    conditions = conditions_of(status)
    states = container_states(spec, status)
    phase, created = text(status, "phase"), instant(metadata, "creationTimestamp")
    end = _end(phase, status, states)
    scheduled = _scheduled(conditions.get("PodScheduled", UNSAID), spec, status, created)
    disrupted, why = _disruption(conditions.get("DisruptionTarget", UNSAID), metadata, status, end)
    waiting_since = earliest((created, scheduled))
    if waiting_since is None:
        raise ValueError("says neither when it was created nor when it was scheduled")
    deleting = instant(metadata, "deletionTimestamp")
    ready = conditions.get("Ready", UNSAID).became_true
    over = earliest((end.finished, disrupted)) or (deleting if phase in OVER else None)
    started = main_started(states)
    return {
        "phase": phase,
        "reason": text(status, "reason"),
        "unschedulableReason": _unschedulable(conditions.get("PodScheduled", UNSAID)),
        "creationTimestamp": created,
        "scheduled": scheduled,
        "containersStarted": started,
        "ready": ready,
        "finished": end.finished,
        "exitReason": end.reason,
        "disrupted": disrupted,
        "disruptionReason": why,
        "deletionTimestamp": deleting,
        "stated": latest((created, scheduled, started, end.finished, *(each.since for each in conditions.values()))),
        "overlaps_from": waiting_since,
        "overlaps_until": over and max(over, waiting_since),
    }


def _end(phase: str | None, status: Mapping[str, Any], states: Sequence[ContainerState]) -> PodEnd:
    """The end of the containers; of a pod that its host refused, and that has none, the refusal."""
    reason = text(status, "reason") or ""
    is_refused = phase == "Failed" and reason.startswith(REFUSED_BY_HOST) and not entries(status, "containerStatuses")
    if is_refused:
        return PodEnd(instant(status, "startTime"), reason)
    return end_of(states) if phase in OVER else PodEnd(None, None)


def _scheduled(
    condition: Condition, spec: Mapping[str, Any], status: Mapping[str, Any], created: datetime | None
) -> datetime | None:
    """When a host's GPUs were reserved. Of a pod that was put on a host without a word: when it started."""
    if condition.became_true or text(spec, "nodeName") is None:
        return condition.became_true
    return instant(status, "startTime") or created


def _unschedulable(condition: Condition) -> str | None:
    return condition.reason if condition.status == "False" else None


def _disruption(
    condition: Condition, metadata: Mapping[str, Any], status: Mapping[str, Any], end: PodEnd
) -> tuple[datetime | None, str | None]:
    """When the pod was evicted or preempted, and why.

    An eviction of clusters without the condition is dated by the last container's finish, else by the last change of
    its status where the object keeps that.
    """
    if condition.status == "True":
        return condition.since, condition.reason
    if text(status, "reason") != "Evicted":
        return None, None
    changes = (
        instant(each, "time") for each in entries(metadata, "managedFields") if each.get("subresource") == "status"
    )
    return end.finished or latest(changes), None


def _claims(spec: Mapping[str, Any], status: Mapping[str, Any]) -> dict[str, str]:
    """Name in the pod -> name of the ResourceClaim; that of an extended resource under the empty name."""
    direct = [(text(each, "name"), text(each, "resourceClaimName")) for each in entries(spec, "resourceClaims")]
    made = [(text(each, "name"), text(each, "resourceClaimName")) for each in entries(status, "resourceClaimStatuses")]
    extended = [("", text(section(status, "extendedResourceClaimStatus"), "resourceClaimName"))]
    return {name: claim for name, claim in (*direct, *made, *extended) if name is not None and claim}
