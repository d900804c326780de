"""ResourceSlices: the devices that DRA drivers publish, in every version of their API.

Not here: which slices are in force on a day (slice_observations.py).
"""

from collections.abc import Iterator, Mapping
from typing import Any

from chargeback.usage.kubernetes_fields import entries, instant, named, section, text, whole
from chargeback.usage.kubernetes_records import Row

ATTRIBUTES = ("type", "uuid", "parentUUID", "productName", "profile")


def slice_rows(body: Mapping[str, Any]) -> Iterator[Row]:
    """One row per device of a ResourceSlice: source columns of contracts.raw_slices. ValueError if unreadable."""
    metadata, spec = section(body, "metadata"), section(body, "spec")
    pool, created = section(spec, "pool"), instant(metadata, "creationTimestamp")
    for device in entries(spec, "devices"):
        told = section(device, "basic") or device
        attributes = _attributes(section(told, "attributes"))
        yield {
            "driver": named(spec, "driver"),
            "pool": named(pool, "name"),
            "device": named(device, "name"),
            "nodeName": text(spec, "nodeName"),
            **{name: attributes.get(name) for name in ATTRIBUTES},
            "memory": _capacity(section(told, "capacity"), "memory"),
            "generation": whole(pool, "generation"),
            "creationTimestamp": created,
            "uid": text(metadata, "uid") or "",
            "deletionTimestamp": instant(metadata, "deletionTimestamp"),
            "overlaps_from": created,
        }


def _attributes(stated: Mapping[str, Any]) -> dict[str, str]:
    """Attributes by name without the driver's domain (gpu.nvidia.com/uuid); a value is a text, version, int or bool."""
    read = {}
    for name, typed in stated.items():
        values = [value for value in typed.values() if value is not None] if isinstance(typed, dict) else [typed]
        if len(values) == 1 and isinstance(values[0], str | int | bool):
            read[str(name).rpartition("/")[2]] = str(values[0])
    return read


def _capacity(stated: Mapping[str, Any], name: str) -> str | None:
    """A capacity by name without the domain, as a quantity; newer versions put it into an object."""
    found = next((value for key, value in stated.items() if str(key).rpartition("/")[2] == name), None)
    if isinstance(found, dict):
        return text(found, "value")
    return None if found is None else str(found)
