"""Fields of a Kubernetes object, each with the type that it must have; anything else is a ValueError that says so.

A field that is null is one that is not there, as in the API. Not here: what a field means.
"""

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any

import orjson

LARGEST_WHOLE = 2**53

LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def section(holder: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """A nested object; an empty one if it is not there."""
    value = holder.get(name)
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise ValueError(f"{name} is {_said(value)}, not an object")
    return value


def entries(holder: Mapping[str, Any], name: str) -> list[Mapping[str, Any]]:
    """A list of nested objects; an empty one if it is not there."""
    value = holder.get(name)
    if value is None:
        return []
    if not isinstance(value, list) or not all(isinstance(entry, dict) for entry in value):
        raise ValueError(f"{name} is {_said(value)}, not a list of objects")
    return value


def text(holder: Mapping[str, Any], name: str) -> str | None:
    """A text; None if it is not there or empty. YAML may have made a number of it."""
    value = holder.get(name)
    if isinstance(value, str):
        return value or None
    if value is None:
        return None
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    raise ValueError(f"{name} is {_said(value)}, not a text")


def named(holder: Mapping[str, Any], name: str) -> str:
    """A text that must be there."""
    value = text(holder, name)
    if value is None:
        raise ValueError(f"{name} is missing")
    return value


def truth(holder: Mapping[str, Any], name: str) -> bool:
    """True or false; false if it is not there."""
    value = holder.get(name)
    if value is None or isinstance(value, bool):
        return bool(value)
    raise ValueError(f"{name} is {_said(value)}, not true or false")


def whole(holder: Mapping[str, Any], name: str) -> int | None:
    """A whole number; None if it is not there."""
    value = holder.get(name)
    if value is None:
        return None
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= LARGEST_WHOLE:
        return value
    raise ValueError(f"{name} is {_said(value)}, not a whole number")


def instant(holder: Mapping[str, Any], name: str) -> datetime | None:
    """A time in UTC, in whole seconds; None if it is not there or Go's zero time.

    Raises  ValueError for what is no time with an offset.
    """
    value = holder.get(name)
    if value is None:
        return None
    try:
        read = datetime.fromisoformat(value)
    except (TypeError, ValueError):
        raise ValueError(f"{name} is {_said(value)}, not a time like 2026-07-08T01:00:00Z") from None
    if read.tzinfo is None:
        raise ValueError(f"{name} is {_said(value)}, a time without an offset from UTC")
    if read.year < _EPOCH.year:
        return None
    try:
        return read.astimezone(UTC).replace(microsecond=0)
    except OverflowError:
        raise ValueError(f"{name} is {_said(value)}, a time beyond all calendars") from None


def latest(instants: Iterable[datetime | None]) -> datetime | None:
    """The last of the instants that are known."""
    return max((each for each in instants if each is not None), default=None)


def earliest(instants: Iterable[datetime | None]) -> datetime | None:
    """The first of the instants that are known."""
    return min((each for each in instants if each is not None), default=None)


def texts(holder: Mapping[str, Any], name: str) -> dict[str, str]:
    """A map of texts (labels, quantities); a number or truth value that YAML made is spelled again."""
    return {
        str(key): value if isinstance(value, str) else _spelled(name, value)
        for key, value in section(holder, name).items()
        if value is not None
    }


def annotations(metadata: Mapping[str, Any]) -> dict[str, str]:
    """metadata.annotations without last-applied-configuration, which repeats the object."""
    return {key: value for key, value in texts(metadata, "annotations").items() if key != LAST_APPLIED}


def as_json(value: object) -> str:
    """JSON with sorted keys."""
    try:
        return orjson.dumps(value, option=orjson.OPT_SORT_KEYS).decode()
    except orjson.JSONEncodeError as fault:
        raise ValueError(f"not to be said in JSON: {fault}") from None


def controller_of(metadata: Mapping[str, Any]) -> Mapping[str, Any]:
    """The controlling owner; an empty object if none controls."""
    owners = entries(metadata, "ownerReferences")
    return next((owner for owner in owners if owner.get("controller") is True), {})


def _spelled(name: str, value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return str(value)
    raise ValueError(f"{name} holds {_said(value)}, not a text")


def _said(value: object) -> str:
    """A value in a message: its type, or itself if it is short."""
    shown = repr(value) if isinstance(value, str | int | float | bool) else f"a {type(value).__name__}"
    return shown if len(shown) <= 60 else f"{shown[:57]}..."
