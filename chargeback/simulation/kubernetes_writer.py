"""What is extracted from Kubernetes: API lists of pods, nodes and workload objects, and watch events, as JSON.

Not here: one pod (pod_objects.py).
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from chargeback.simulation.calendar_days import zulu
from chargeback.simulation.estate_plan import REPLICAS, Host
from chargeback.simulation.pod_objects import owner_references, pod_object
from chargeback.simulation.pod_run import NodeSpell, Pod, WorkloadObject

API_VERSIONS = {"RayJob": "ray.io/v1", "RayCluster": "ray.io/v1", "Workload": "kueue.x-k8s.io/v1beta1"}
VGPUS_PER_GPU = 10
"""HAMi offers each GPU ten times."""


def pod_list(pods: Iterable[Pod], at: int) -> bytes:
    """A full listing of pods."""
    return _listing("Pod", "v1", [pod_object(pod, at) for pod in pods if pod.exists(at)], at)


def pod_events(pods: Iterable[Pod], since: int, until: int) -> bytes:
    """Watch events of pods that went while somebody watched, one a line: added, started, and deleted."""
    events: list[tuple[int, str, Pod]] = []
    for pod in pods:
        if pod.deleted is not None and since <= pod.deleted < until and not pod.is_silent:
            if pod.created >= since:
                events.append((pod.created, "ADDED", pod))
            if pod.started is not None and since <= pod.started < pod.deleted:
                events.append((pod.started, "MODIFIED", pod))
            events.append((pod.deleted, "DELETED", pod))
    lines = [
        _dumped({"type": kind, "object": pod_object(pod, at)})
        for at, kind, pod in sorted(events, key=lambda event: (event[0], event[2].uid, event[1]))
    ]
    bookmark = {"type": "BOOKMARK", "object": {"apiVersion": "v1", "kind": "Pod",
                                               "metadata": {"resourceVersion": str(until)}}}  # fmt: skip
    return "\n".join([*lines, _dumped(bookmark), ""]).encode()


def node_list(hosts: Sequence[Host], spells: Sequence[NodeSpell], *, at: int, born: int) -> bytes:
    """A full listing of nodes as they are at that instant."""
    return _listing("Node", "v1", [_node(host, spells, at, born) for host in hosts], at)


def node_event(hosts: Sequence[Host], name: str, spells: Sequence[NodeSpell], *, at: int, born: int) -> bytes:
    """The watch event of one node, as it is at that instant."""
    host = next(host for host in hosts if host.name == name)
    return f"{_dumped({'type': 'MODIFIED', 'object': _node(host, spells, at, born)})}\n".encode()


def workload_lists(objects: Sequence[WorkloadObject], at: int) -> bytes:
    """Full listings of every kind of workload object, one after the other."""
    return b"".join(
        _listing(
            kind,
            version,
            [
                _workload(each, version, at)
                for each in objects
                if each.kind == kind and each.created <= at and (each.deleted is None or at < each.deleted)
            ],
            at,
        )
        for kind, version in API_VERSIONS.items()
    )


def _listing(kind: str, api_version: str, items: list[Any], at: int) -> bytes:
    document = {
        "apiVersion": api_version, "kind": f"{kind}List", "metadata": {"resourceVersion": str(at)}, "items": items
    }  # fmt: skip
    return f"{_dumped(document)}\n".encode()


def _dumped(document: Mapping[str, Any]) -> str:
    return json.dumps(document, sort_keys=True, separators=(",", ":"))


def _node(host: Host, spells: Sequence[NodeSpell], at: int, born: int) -> dict[str, Any]:
    here = [spell for spell in spells if spell.host == host.name]
    cordoned = next((spell for spell in here if spell.kind == "cordon" and spell.starts <= at < spell.ends), None)
    lost = next((spell for spell in here if spell.kind == "not ready" and spell.starts <= at < spell.ends), None)
    back = max((spell.ends for spell in here if spell.kind == "not ready" and spell.ends <= at), default=born)
    spec: dict[str, Any] = {"providerID": f"metal://{host.name}"}
    if cordoned is not None:
        taint = {"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule", "timeAdded": zulu(cordoned.starts)}
        spec |= {"unschedulable": True, "taints": [taint]}
    ready = {
        "type": "Ready", "status": "Unknown" if lost else "True",
        "lastTransitionTime": zulu(lost.starts if lost else back),
        "reason": "NodeStatusUnknown" if lost else "KubeletReady",
    }  # fmt: skip
    offered = {"cpu": "128", "memory": "1056Gi", "pods": "250", **_resources(host)}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {
            "name": host.name, "uid": f"node-{host.name}", "creationTimestamp": zulu(born), "labels": _labels(host)
        },
        "spec": spec,
        "status": {"capacity": offered, "allocatable": offered, "conditions": [ready]},
    }  # fmt: skip


def _resources(host: Host) -> dict[str, str]:
    counts: dict[str, int] = {}
    for device in host.devices:
        if device.kind == "time-slice":
            name, count = "nvidia.com/gpu.shared", REPLICAS
        elif device.profile:
            name, count = f"nvidia.com/mig-{device.profile}", 1
        else:
            name, count = "nvidia.com/gpu", VGPUS_PER_GPU if device.kind == "vgpu" else 1
        counts[name] = counts.get(name, 0) + count
    return {name: str(count) for name, count in counts.items()}


def _labels(host: Host) -> dict[str, str]:
    is_shared = "time-slice" in host.kinds
    found = {
        "kubernetes.io/hostname": host.name,
        "nvidia.com/gpu.present": "true",
        "nvidia.com/gpu.product": f"{host.model.node_label}-SHARED" if is_shared else host.model.node_label,
        "nvidia.com/gpu.count": str(len(host.gpus)),
        "nvidia.com/gpu.memory": str(host.model.memory_mebibytes),
        "nvidia.com/gpu.replicas": str(REPLICAS) if is_shared else "1",
        "nvidia.com/gpu.sharing-strategy": "time-slicing" if is_shared else "none",
        "nvidia.com/mig.capable": "true",
        "nvidia.com/mig.strategy": "mixed",
    }
    for device in host.devices:
        if device.profile:
            name = f"nvidia.com/mig-{device.profile}.count"
            found[name] = str(int(found.get(name, "0")) + 1)
    return found


def _workload(each: WorkloadObject, version: str, at: int) -> dict[str, Any]:
    metadata: dict[str, Any] = {
        "name": each.name, "namespace": each.namespace, "uid": each.uid, "creationTimestamp": zulu(each.created),
        "labels": {"kueue.x-k8s.io/queue-name": each.queue} if each.queue else {}, **owner_references(each.owner),
    }  # fmt: skip
    make = {"RayJob": _ray_job, "RayCluster": _ray_cluster, "Workload": _kueue_workload}[each.kind]
    return {"apiVersion": version, "kind": each.kind, "metadata": metadata, **make(each, at)}


def _ray_job(each: WorkloadObject, at: int) -> dict[str, Any]:
    status = {"jobId": f"{each.name}-x1", "rayClusterName": each.cluster_name, "startTime": zulu(each.created)}
    if each.ended is not None and each.ended <= at:
        status |= {"endTime": zulu(each.ended), "jobStatus": "SUCCEEDED"}
    return {"spec": {"shutdownAfterJobFinishes": True, "ttlSecondsAfterFinished": 7200}, "status": status}


def _ray_cluster(each: WorkloadObject, at: int) -> dict[str, Any]:  # noqa: ARG001 - it says the same all its life
    return {
        "spec": {"enableInTreeAutoscaling": False},
        "status": {"state": "ready", "desiredWorkerReplicas": each.pods},
    }


def _kueue_workload(each: WorkloadObject, at: int) -> dict[str, Any]:
    admitted = zulu(each.created + 3)
    conditions = [
        {"type": kind, "status": "True", "lastTransitionTime": admitted, "reason": kind}
        for kind in ("QuotaReserved", "Admitted")
    ]
    if each.ended is not None and each.ended <= at:
        finished = {
            "type": "Finished",
            "status": "True",
            "lastTransitionTime": zulu(each.ended),
            "reason": "JobFinished",
        }
        conditions.append(finished)
    assignment = {
        "name": "main", "count": each.pods, "flavors": {"nvidia.com/gpu": "on-demand"},
        "resourceUsage": {"nvidia.com/gpu": str(each.gpus)},
    }  # fmt: skip
    return {
        "spec": {"queueName": each.queue, "podSets": [{"name": "main", "count": each.pods}]},
        "status": {
            "conditions": conditions,
            "admission": {"clusterQueue": "gpus", "podSetAssignments": [assignment]},
        },
    }
