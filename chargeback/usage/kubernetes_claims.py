"""Devices that pods were granted by name: DRA ResourceClaims, and what the kubelet's PodResources say.

ResourceSlices land beside them and are read into the same frame. Not here: what a slice says (kubernetes_slices.py),
and which observation counts on a day (claim_observations.py).
"""

from collections.abc import Iterator, Mapping
from typing import Any
from zoneinfo import ZoneInfo

import polars as pl

from chargeback.contracts.contract import INSTANT
from chargeback.contracts.raw_claims import RAW_CLAIMS
from chargeback.contracts.raw_slices import RAW_SLICES
from chargeback.usage.extract import ParsedExtract
from chargeback.usage.kubernetes_fields import as_json, entries, instant, latest, named, section, text, texts, truth
from chargeback.usage.kubernetes_objects import LISTED, KubernetesObject, ObjectsRead, read_objects
from chargeback.usage.kubernetes_records import Ignored, Row, parsed_records
from chargeback.usage.kubernetes_slices import slice_rows

OF_THE_DAY = ("cluster", "day", "lastSeen", "missingFrom", "object", "line", "extracted_at")
"""Columns of both contracts that no single object says."""

CLAIM, SLICE = "claim", "slice"
"""Values of `record`: rows of contracts.raw_claims, rows of contracts.raw_slices."""

CLAIM_COLUMNS = {
    "record": pl.String(),
    **{name: dtype for name, dtype in RAW_CLAIMS.schema.items() if name not in OF_THE_DAY},
    **{name: dtype for name, dtype in RAW_SLICES.schema.items() if name not in OF_THE_DAY},
    "uid": pl.String(),
    "deletionTimestamp": INSTANT,
    "stated": INSTANT,
    "event": pl.String(),
    "line": pl.Int64(),
    "overlaps_from": INSTANT,
    "overlaps_until": INSTANT,
}

POD_RESOURCES = "PodResources"


def parse_claims(content: bytes, *, cluster: str, zone: ZoneInfo | None = None) -> ParsedExtract:  # noqa: ARG001
    """Read claims: ResourceClaims and ResourceSlices as API, kubectl or a watch print them; PodResources as JSON.

    Output:  source columns of contracts.raw_claims and raw_slices; `record` says which of them a row is of (the columns
             of the other are null); `uid` of the object; `event`; `stated`; `line`, of PodResources the number of the
             pod. A claim is a row per granted device and pod that has it, a slice a row per device. A claim speaks
             of the time from its allocation on, PodResources of their extraction.
    Raises:  UnreadableExtract if nothing in it is an object. `zone` is not needed; every parser takes it.
    """
    read = read_objects(content, what=f"claims of {cluster}")
    seen = tuple(each for found in read.objects for each in _each_pod(found))
    return parsed_records(
        ObjectsRead(seen, read.quarantined, read.ignored, read.full_listings_of),
        _rows,
        columns=CLAIM_COLUMNS,
        full_listings_of=read.full_listings_of,
    )


def _each_pod(seen: KubernetesObject) -> Iterator[KubernetesObject]:
    """PodResources pod by pod, under the number of each; any other object as it is."""
    pods = seen.body.get("pod_resources", seen.body.get("podResources"))
    if seen.kind or not isinstance(pods, list):
        yield seen
        return
    for number, entry in enumerate(pods, start=1):
        yield KubernetesObject(number, LISTED, POD_RESOURCES, "", entry if isinstance(entry, dict) else {})


def _rows(seen: KubernetesObject) -> list[Row] | Ignored:
    if seen.kind == POD_RESOURCES:
        rows = [{"record": CLAIM, **row} for row in _of_kubelet(seen.body)]
        return rows or Ignored("pod to which the kubelet gave no device")
    if seen.kind == "ResourceClaim":
        rows = [{"record": CLAIM, **row} for row in _of_claim(seen.body)]
        return rows or Ignored("claim to which no device is allocated")
    if seen.kind == "ResourceSlice":
        rows = [{"record": SLICE, **row} for row in slice_rows(seen.body)]
        return rows or Ignored("slice without devices")
    if not seen.kind:
        raise ValueError("neither a ResourceClaim, a ResourceSlice nor PodResources")
    return Ignored(f"{seen.kind}: no claim")


def _of_claim(body: Mapping[str, Any]) -> Iterator[Row]:
    """One row per device and pod; of a claim that no pod has, one per device without a pod."""
    metadata, status = section(body, "metadata"), section(body, "status")
    allocation = section(status, "allocation")
    pods = [each for each in entries(status, "reservedFor") if text(each, "resource") == "pods"]
    created, allocated = instant(metadata, "creationTimestamp"), instant(allocation, "allocationTimestamp")
    watching = _admin_requests(section(section(body, "spec"), "devices"))
    for result in entries(section(allocation, "devices"), "results"):
        capacity = texts(result, "consumedCapacity")
        request = named(result, "request")
        for pod in pods or [{}]:
            yield {
                "kind": "ResourceClaim",
                "namespace": named(metadata, "namespace"),
                "name": named(metadata, "name"),
                "podName": text(pod, "name") or "",
                "podUid": text(pod, "uid") or "",
                "request": request,
                "driver": named(result, "driver"),
                "pool": named(result, "pool"),
                "device": named(result, "device"),
                "adminAccess": truth(result, "adminAccess") or request.partition("/")[0] in watching,
                "shareID": text(result, "shareID"),
                "consumedCapacity": as_json(capacity) if capacity else None,
                "allocated": allocated,
                "creationTimestamp": created,
                "uid": text(metadata, "uid") or "",
                "deletionTimestamp": instant(metadata, "deletionTimestamp"),
                "stated": latest((created, allocated)),
                "overlaps_from": allocated or created,
            }


def _admin_requests(devices: Mapping[str, Any]) -> frozenset[str]:
    """Requests with admin access: older results do not repeat it."""
    requests = entries(devices, "requests")
    return frozenset(
        named(each, "name")
        for each in requests
        if truth(each, "adminAccess") or truth(section(each, "exactly"), "adminAccess")
    )


def _of_kubelet(body: Mapping[str, Any]) -> Iterator[Row]:
    """One row per container and device id. It says no time and no uid."""
    for container in entries(body, "containers"):
        for devices in entries(container, "devices"):
            resource = text(devices, "resource_name") or named(devices, "resourceName")
            for device in _ids(devices):
                yield {
                    "kind": POD_RESOURCES,
                    "namespace": named(body, "namespace"),
                    "name": "",
                    "podName": named(body, "name"),
                    "podUid": "",
                    "request": named(container, "name"),
                    "driver": resource,
                    "pool": "",
                    "device": device,
                    "adminAccess": False,
                    "uid": "",
                }


def _ids(devices: Mapping[str, Any]) -> list[str]:
    ids = devices.get("device_ids", devices.get("deviceIds")) or []
    if not isinstance(ids, list) or not all(isinstance(each, str) and each for each in ids):
        raise ValueError("device_ids are no list of texts")
    return ids
