"""Public traces of Alibaba's GPU clusters as the API would have shown their pods. Read where they lie, never copied.

The trace's second 0 is an instant of our choice. Not here: what the pods cost.
"""

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

import orjson

from tests.tables import instant, shared_file

BEGIN = instant("2023-01-01T00:00Z")


def at(second: str | float) -> str:
    """A second of the trace in the API's spelling, which has whole seconds."""
    return f"{BEGIN + timedelta(seconds=int(float(second))):%Y-%m-%dT%H:%M:%SZ}"


@dataclass(frozen=True)
class PodTrace:
    """A listing of the pods that were still there, and watch events of those that were deleted."""

    listing: bytes
    events: bytes
    taken_at: datetime

    @property
    def objects(self) -> list[tuple[str, datetime, bytes]]:
        """As they land."""
        return [("pods", self.taken_at, self.listing), ("pods", self.taken_at, self.events)]


def trace_of_2023() -> PodTrace:
    """8,152 tasks of openb_pod_list_default.csv: a share is a gpu-fraction, or milli-GPUs, by turns.

    What ended by itself is listed; what was running or waiting until it was deleted is known by that event.
    """
    with shared_file("data", "traces", "alibaba-gpu-v2023", "openb_pod_list_default.csv").open() as file:
        rows = list(csv.DictReader(file))
    ended = [_task(number, row) for number, row in enumerate(rows) if row["pod_phase"] in ("Succeeded", "Failed")]
    deleted = [_task(number, row) for number, row in enumerate(rows) if row["pod_phase"] not in ("Succeeded", "Failed")]
    last = max(int(row["deletion_time"]) for row in rows)
    return _trace(ended, deleted, BEGIN + timedelta(seconds=last + 3600))


def trace_of_2025() -> PodTrace:
    """23,871 instances of disaggregated_DLRM_trace.csv; times outside its window of 30.99 days are not known.

    An instance without a beginning was there a day before the window; one without an end is listed at its last second.
    """
    with shared_file("data", "traces", "alibaba-gpu-v2025", "disaggregated_DLRM_trace.csv").open() as file:
        rows = list(csv.DictReader(file))
    listed = [_instance(row) for row in rows if not row["deletion_time"]]
    deleted = [_instance(row) for row in rows if row["deletion_time"]]
    return _trace(listed, deleted, BEGIN + timedelta(seconds=int(window_of_2025(rows))))


def window_of_2025(rows: list[dict[str, str]]) -> float:
    """The last second of the trace."""
    return max(float(row[name]) for row in rows for name in ("scheduled_time", "deletion_time") if row[name])


def _trace(listed: list[object], deleted: list[object], taken_at: datetime) -> PodTrace:
    listing = orjson.dumps({"apiVersion": "v1", "kind": "PodList", "metadata": {}, "items": listed})
    events = b"\n".join(orjson.dumps({"type": "DELETED", "object": pod}) for pod in deleted)
    return PodTrace(listing, events, taken_at)


def _task(number: int, row: dict[str, str]) -> dict[str, object]:
    gpus, milli, phase = int(row["num_gpu"]), int(row["gpu_milli"]), row["pod_phase"]
    is_shared = gpus == 1 and milli < 1000
    annotations, limits = {}, {}
    if is_shared and number % 2:
        annotations = {"alibabacloud.com/gpu-count": "1", "alibabacloud.com/gpu-milli": str(milli)}
    elif is_shared:
        annotations = {"gpu-fraction": f"0.{milli:03}"}
    elif gpus:
        limits = {"nvidia.com/gpu": str(gpus)}
    ended = row["deletion_time"] if phase in ("Succeeded", "Failed") else None
    return _pod(
        row["name"], row["qos"], created=row["creation_time"], scheduled=row["scheduled_time"], ended=ended,
        deleted=None if ended else row["deletion_time"], phase=phase, annotations=annotations, limits=limits,
    )  # fmt: skip


def _instance(row: dict[str, str]) -> dict[str, object]:
    before = str(-86_400)
    limits = {"nvidia.com/gpu": row["gpu_request"]} if row["gpu_request"] != "0" else {}
    return _pod(
        row["instance_sn"], row["role"], created=row["creation_time"] or before,
        scheduled=row["scheduled_time"] or before, ended=None, deleted=row["deletion_time"] or None, phase="Running",
        annotations={}, limits=limits,
    )  # fmt: skip


def _pod(
    name: str, priority: str, *, created: str, scheduled: str, ended: str | None, deleted: str | None, phase: str,
    annotations: dict[str, str], limits: dict[str, str],
) -> dict[str, object]:  # fmt: skip
    is_bound = {"status": "True", "lastTransitionTime": at(scheduled)} if scheduled else {"status": "False"}
    state: dict[str, object] = {}
    if ended:
        reason = {"Succeeded": "Completed", "Failed": "Error"}[phase]
        state = {"terminated": {"exitCode": int(reason == "Error"), "reason": reason, "finishedAt": at(ended)}}
    return {
        "metadata": {
            "name": name, "namespace": "openb", "uid": name, "creationTimestamp": at(created),
            "annotations": annotations, **({"deletionTimestamp": at(deleted)} if deleted else {}),
        },
        "spec": {
            "priorityClassName": priority, "nodeName": "openb-node" if scheduled else None,
            "containers": [{"name": "main", "resources": {"limits": limits}}],
        },
        "status": {
            "phase": phase, "conditions": [{"type": "PodScheduled", **is_bound}],
            "containerStatuses": [{"name": "main", "state": state}],
        },
    }  # fmt: skip


def expected_of_2025() -> Iterator[tuple[int, int, int]]:
    """GPUs, first and last second of each instance inside the window, read from the rows themselves."""
    with shared_file("data", "traces", "alibaba-gpu-v2025", "disaggregated_DLRM_trace.csv").open() as file:
        rows = list(csv.DictReader(file))
    last = window_of_2025(rows)
    for row in rows:
        yield (int(row["gpu_request"]), int(float(row["scheduled_time"] or 0)),
               int(float(row["deletion_time"] or last)))  # fmt: skip
