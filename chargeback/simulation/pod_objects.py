"""A pod as the API shows it at an instant: metadata, spec, status with conditions and container states.

Not here: lists and watch events around it (kubernetes_writer.py).
"""

from collections.abc import Mapping
from typing import Any

from chargeback.simulation.calendar_days import zulu
from chargeback.simulation.pod_run import Owner, Pod

READY_AFTER_SECONDS = 6


def pod_object(pod: Pod, at: int) -> dict[str, Any]:
    """The object as it is at `at`, at or after the pod's creation; of one that is gone, its last state."""
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": _metadata(pod, at),
        "spec": _spec(pod, at),
        "status": _status(pod, at),
    }


def owner_references(owner: Owner | None) -> dict[str, Any]:
    """metadata.ownerReferences with the controller, if there is one."""
    if owner is None:
        return {}
    reference = {"apiVersion": owner.api_version, "kind": owner.kind, "name": owner.name, "uid": owner.uid}
    return {"ownerReferences": [{**reference, "controller": True, "blockOwnerDeletion": True}]}


def _metadata(pod: Pod, at: int) -> dict[str, Any]:
    found: dict[str, Any] = {
        "name": pod.name, "namespace": pod.namespace, "uid": pod.uid, "creationTimestamp": zulu(pod.created),
        "labels": dict(pod.labels), "annotations": dict(pod.annotations), **owner_references(pod.owner),
    }  # fmt: skip
    if pod.deleted is not None and at >= pod.deleted:
        found |= {"deletionTimestamp": zulu(pod.deleted), "deletionGracePeriodSeconds": 30}
    return found


def _spec(pod: Pod, at: int) -> dict[str, Any]:
    found: dict[str, Any] = {
        "containers": _containers(pod, "main"),
        "priorityClassName": pod.priority_class,
        "restartPolicy": pod.restart_policy,
        "schedulerName": pod.scheduler_name,
        "serviceAccountName": "default",
    }
    if pod.scheduled is not None and pod.scheduled <= at:
        found["nodeName"] = pod.host
    if any(container.kind == "init" for container in pod.containers):
        found["initContainers"] = _containers(pod, "init")
    if pod.deadline_seconds is not None:
        found["activeDeadlineSeconds"] = pod.deadline_seconds
    return found


def _containers(pod: Pod, kind: str) -> list[dict[str, Any]]:
    return [
        {
            "name": container.name,
            "image": f"registry.example.org/{pod.namespace}/{container.name}:1",
            "resources": {"limits": dict(container.resources), "requests": dict(container.resources)},
        }
        for container in pod.containers
        if container.kind == kind
    ]


def _status(pod: Pod, at: int) -> dict[str, Any]:
    scheduled = pod.scheduled if pod.scheduled is not None and pod.scheduled <= at else None
    found: dict[str, Any] = {"phase": _phase(pod, at), "conditions": _conditions(pod, at, scheduled)}
    if pod.status_reason and found["phase"] == "Failed":
        found["reason"] = pod.status_reason
    if scheduled is not None:
        found["startTime"] = zulu(scheduled)
        found["containerStatuses"] = [
            _container_status(container.name, pod, at) for container in pod.containers if container.kind == "main"
        ]
    return found


def _has_come(moment: int | None, at: int) -> bool:
    return moment is not None and moment <= at


def _phase(pod: Pod, at: int) -> str:
    if _has_come(pod.finished, at):
        return "Failed" if pod.exit_code or pod.status_reason else "Succeeded"
    return "Running" if _has_come(pod.started, at) else "Pending"


def _conditions(pod: Pod, at: int, scheduled: int | None) -> list[Mapping[str, str]]:
    if scheduled is None:
        return [_condition("PodScheduled", "False", pod.created, "Unschedulable")]
    found = [_condition("PodScheduled", "True", scheduled)]
    if _has_come(pod.finished, at):
        found.append(_condition("Ready", "False", pod.finished or at, "PodCompleted"))
    elif pod.started is not None and pod.started + READY_AFTER_SECONDS <= at:
        found.append(_condition("Ready", "True", pod.started + READY_AFTER_SECONDS))
    else:
        found.append(_condition("Ready", "False", scheduled, "ContainersNotReady"))
    if _has_come(pod.disrupted, at):
        found.append(_condition("DisruptionTarget", "True", pod.disrupted or at, pod.disruption_reason))
    return found


def _condition(kind: str, status: str, since: int, reason: str = "") -> Mapping[str, str]:
    found = {"type": kind, "status": status, "lastTransitionTime": zulu(since)}
    return {**found, "reason": reason} if reason else found


def _container_status(name: str, pod: Pod, at: int) -> dict[str, Any]:
    started = pod.started if _has_come(pod.started, at) else None
    state: dict[str, Any] = {"waiting": {"reason": pod.waiting_reason}}
    if started is not None:
        state = {"running": {"startedAt": zulu(started)}}
    if pod.finished is not None and pod.finished <= at:
        ended = {"exitCode": pod.exit_code, "reason": pod.exit_reason, "finishedAt": zulu(pod.finished)}
        state = {"terminated": {**ended, "startedAt": zulu(started or pod.finished)}}
    is_ready = started is not None and "running" in state
    return {"name": name, "ready": is_ready, "restartCount": 0, "started": is_ready, "state": state}
