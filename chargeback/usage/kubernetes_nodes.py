"""Kubernetes node records: the inventory that capacity is counted from.

Not here: from when until when a record holds (node_observations.py), and how many GPUs it means.
"""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

import polars as pl

from chargeback.contracts.contract import INSTANT
from chargeback.contracts.raw_kubernetes_nodes import RAW_KUBERNETES_NODES
from chargeback.usage.extract import ParsedExtract
from chargeback.usage.kubernetes_conditions import UNSAID, conditions_of
from chargeback.usage.kubernetes_fields import as_json, entries, instant, named, section, text, texts, truth
from chargeback.usage.kubernetes_objects import KubernetesObject, read_objects
from chargeback.usage.kubernetes_records import Ignored, Row, parsed_records

OF_THE_DAY = ("cluster", "day", "statedFrom", "statedUntil", "object", "line", "extracted_at")
"""Columns of contracts.raw_kubernetes_nodes that no single object says."""

NODE_COLUMNS = {
    **{name: dtype for name, dtype in RAW_KUBERNETES_NODES.schema.items() if name not in OF_THE_DAY},
    "deletionTimestamp": INSTANT,
    "event": pl.String(),
    "line": pl.Int64(),
    "overlaps_from": INSTANT,
    "overlaps_until": INSTANT,
}

SINCE_EVER = datetime(1970, 1, 1, tzinfo=UTC)
"""From when a node is there whose record does not say when it was created."""

HOSTNAME = "kubernetes.io/hostname"
CORDONED = "node.kubernetes.io/unschedulable"


def parse_kubernetes_nodes(content: bytes, *, cluster: str, zone: ZoneInfo | None = None) -> ParsedExtract:  # noqa: ARG001
    """Read nodes: an API list, kubectl's output, watch events, or the bare labels of a node, in JSON or YAML.

    Output:  source columns of contracts.raw_kubernetes_nodes; `event` (LISTED, ADDED, MODIFIED, DELETED); `line`. A
             node speaks of the time from its creation on, without an end; without a creation, since ever.
    Raises:  UnreadableExtract if nothing in it is an object. `zone` is not needed; every parser takes it.
    """
    read = read_objects(content, what=f"nodes of {cluster}")
    return parsed_records(read, _rows, columns=NODE_COLUMNS, full_listings_of=read.full_listings_of & {"Node"})


def _rows(seen: KubernetesObject) -> list[Row] | Ignored:
    if seen.kind not in ("Node", ""):
        return Ignored(f"{seen.kind}: no node")
    if seen.kind == "" and "metadata" not in seen.body:
        return [_of_labels(seen.body)]
    metadata, spec, status = (section(seen.body, part) for part in ("metadata", "spec", "status"))
    ready = conditions_of(status).get("Ready", UNSAID)
    cordons = [each for each in entries(spec, "taints") if each.get("key") == CORDONED]
    created = instant(metadata, "creationTimestamp")
    row = {
        "name": named(metadata, "name"),
        "uid": text(metadata, "uid") or "",
        "labels": as_json(texts(metadata, "labels")),
        "capacity": as_json(texts(status, "capacity")),
        "allocatable": as_json(texts(status, "allocatable")),
        "unschedulable": truth(spec, "unschedulable"),
        "cordonedSince": instant(cordons[0], "timeAdded") if cordons else None,
        "ready": ready.status,
        "readySince": ready.since,
        "creationTimestamp": created,
        "deletionTimestamp": instant(metadata, "deletionTimestamp"),
        "overlaps_from": created or SINCE_EVER,
        "overlaps_until": None,
    }
    return [row]


def _of_labels(labels: Mapping[str, Any]) -> Row:
    """A node of which only the labels were kept, as `kubectl get node -o jsonpath={.metadata.labels}` prints them."""
    read = texts({"labels": labels}, "labels")
    if HOSTNAME not in read:
        raise ValueError(f"says no kind, and as a map of labels it has no {HOSTNAME}: nobody knows whose it is")
    return {
        "name": read[HOSTNAME],
        "uid": "",
        "labels": as_json(read),
        "capacity": "{}",
        "allocatable": "{}",
        "unschedulable": False,
        "overlaps_from": SINCE_EVER,
    }
