"""Reading the fields of a signed document: every one a text of a known form, and none beside the known ones.

Not here: which fields there are (keyring.py, record.py).
"""

import re
import unicodedata
from collections.abc import Collection, Mapping
from datetime import UTC, datetime

INSTANT_FORMAT = "%Y-%m-%dT%H:%M:%SZ"
SHA256 = re.compile(r"[0-9a-f]{64}")

_INSTANT = re.compile(r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z")
_SPACES = re.compile(r"\s+")


class Unreadable(ValueError):
    """A signed document cannot be read; the message says what is wrong and how it should be."""


def mapping_of(
    value: object, what: str, required: Collection[str], optional: Collection[str] = ()
) -> dict[str, object]:
    """The fields of a mapping, if it has all the required ones and none that is unknown. Raises Unreadable."""
    if not isinstance(value, Mapping):
        raise Unreadable(f"{what} is no mapping of names to values")
    known = (*required, *optional)
    if unknown := sorted(set(value) - set(known)):
        raise Unreadable(f"{what} has an unknown field {unknown[0]!r}: known are {', '.join(known)}")
    if missing := [name for name in required if name not in value]:
        raise Unreadable(f"{what} has no {', '.join(missing)}")
    return dict(value)


def text_of(fields: Mapping[str, object], name: str, *, may_be_empty: bool = False) -> str:
    """A field that is a text, without spaces at its ends. Raises Unreadable."""
    value = fields.get(name, "")
    if not isinstance(value, str) or value != value.strip():
        raise Unreadable(f"{name} is {value!r}, must be a text without spaces at its ends")
    if not value and not may_be_empty:
        raise Unreadable(f"{name} is empty: fill it in")
    return value


def sha256_of(fields: Mapping[str, object], name: str, *, may_be_empty: bool = False) -> str:
    """A field that is a sha256, 64 hex digits in lower case. Raises Unreadable."""
    value = text_of(fields, name, may_be_empty=may_be_empty)
    if value and not SHA256.fullmatch(value):
        raise Unreadable(f"{name} is {value!r}, must be 64 hex digits in lower case")
    return value


def instant_of(fields: Mapping[str, object], name: str) -> datetime | None:
    """A field that is an instant in UTC, `2026-10-05T01:00:00Z`; None where it is left out. Raises Unreadable."""
    value = text_of(fields, name, may_be_empty=True)
    return read_instant(value, name) if value else None


def read_instant(text: str, name: str) -> datetime:
    """An instant in UTC, whole seconds. Raises Unreadable."""
    try:
        if not _INSTANT.fullmatch(text):
            raise ValueError(text)
        return datetime.strptime(text, INSTANT_FORMAT).replace(tzinfo=UTC)
    except ValueError:
        raise Unreadable(f"{name} is {text!r}, must be an instant in UTC like 2026-10-05T01:00:00Z") from None


def spelled(instant: datetime | None) -> str:
    """An instant as documents spell it; empty for none. Raises ValueError for one without a zone."""
    if instant is None:
        return ""
    if instant.tzinfo is None:
        raise ValueError(f"{instant.isoformat()} has no time zone")
    return instant.astimezone(UTC).strftime(INSTANT_FORMAT)


def same_person(one: str, other: str) -> bool:
    """Whether two names mean one person, whatever their case, spaces and composition of letters."""
    return _plain(one) == _plain(other)


def _plain(name: str) -> str:
    return _SPACES.sub(" ", unicodedata.normalize("NFKC", name)).strip().casefold()
