"""What a message of the arrival queue says: which objects arrived, what of it nobody can use, and why.

Read are S3's notifications (Amazon's, and those of stores that imitate them), bare, in an SNS envelope, or as
EventBridge sends them. Whoever may write to the queue writes messages: nothing in one is believed unchecked. Not here:
receiving and deleting (arrival_queue.py).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from urllib.parse import unquote_plus

import orjson

from resources.object_store import checked_key

WATCHED = ("landing/", "incoming/")
"""Folders of the lake whose objects are arrivals."""

LONGEST_EXCERPT = 500
LONGEST_NAME = 200
MOST_RECORDS = 10_000


@dataclass(frozen=True, slots=True)
class Arrival:
    """An object that arrived: its key in the lake, the version (else the ETag) of its bytes, when (UTC), its bytes."""

    key: str
    version: str
    arrived_at: datetime | None
    size: int = 0


@dataclass(frozen=True, slots=True)
class Refused:
    """What nobody can use: why, and what it was about. Equal ones are one, however often they come."""

    reason: str
    about: str


@dataclass(frozen=True, slots=True)
class Message:
    """What one message says. `ignored` counts what is right and asks for nothing: tests, removals, other folders."""

    arrivals: tuple[Arrival, ...] = ()
    refused: tuple[Refused, ...] = ()
    ignored: int = 0


class _Unusable(Exception):
    """Why a record or a message cannot be used."""


class _NothingAsked(Exception):
    """A record that is right and asks for nothing."""


class _Elsewhere(Exception):
    """A record about another lake. Said once a place, since a busy bucket would say it without end."""

    def __init__(self, reason: str, place: str) -> None:
        super().__init__(reason)
        self.place = place


def read_message(body: str, *, bucket: str, prefix: str) -> Message:
    """What a message says of the lake under `prefix` of `bucket`. Raises nothing, whatever the body."""
    try:
        records = _records_of(_object_of(body))
    except _Unusable as refusal:
        return Message(refused=(Refused(str(refusal), _excerpt(body)),))
    arrivals: list[Arrival] = []
    refused: list[Refused] = []
    for number, record in enumerate(records, start=1):
        try:
            arrivals.append(_arrival(record, bucket=bucket, prefix=prefix))
        except _Unusable as refusal:
            refused.append(Refused(f"record {number} of {len(records)} {refusal}", _excerpt(body)))
        except _Elsewhere as elsewhere:
            refused.append(Refused(str(elsewhere), elsewhere.place))
        except _NothingAsked:
            continue
    return Message(tuple(arrivals), tuple(dict.fromkeys(refused)), len(records) - len(arrivals) - len(refused))


def _object_of(body: str) -> Mapping[str, Any]:
    """The JSON object of a body, taken out of an SNS envelope if it is in one."""
    read = _json(body)
    if isinstance(read.get("Message"), str) and ("TopicArn" in read or read.get("Type") == "Notification"):
        return _json(read["Message"])
    return read


def _json(text: str) -> Mapping[str, Any]:
    try:
        read = orjson.loads(text)  # refuses nesting beyond 1,024 levels
    except (orjson.JSONDecodeError, UnicodeEncodeError) as error:
        raise _Unusable("is not JSON: send S3's notifications, and nothing else, to this queue") from error
    if not isinstance(read, Mapping):
        raise _Unusable(f"is JSON, but a {type(read).__name__} where a notification is an object")
    return read


def _records_of(read: Mapping[str, Any]) -> Sequence[Any]:
    """The records of a notification; none in the test that S3 sends when notifications are set up."""
    if read.get("Event") == "s3:TestEvent":
        return []
    records = read.get("Records")
    if records is None and isinstance(read.get("detail"), Mapping):
        return [_as_record(read)]
    if not isinstance(records, list):
        raise _Unusable("is no S3 notification: it has neither Records nor a detail")
    if len(records) > MOST_RECORDS:
        raise _Unusable(f"has {len(records)} records, more than {MOST_RECORDS}")
    return records


def _as_record(event: Mapping[str, Any]) -> Mapping[str, Any]:
    """An EventBridge event in the form of S3's own records. Its key is plain, so it is marked as not encoded."""
    detail = event["detail"]
    told = detail.get("object")
    stored = dict(told) if isinstance(told, Mapping) else {}
    stored |= {"eTag": stored.get("etag"), "versionId": stored.get("version-id"), "is_plain": True}
    kind = event.get("detail-type")
    return {
        "eventName": "ObjectCreated" if kind == "Object Created" else kind,
        "eventTime": event.get("time"),
        "s3": {"bucket": detail.get("bucket"), "object": stored},
    }


def _arrival(record: Any, *, bucket: str, prefix: str) -> Arrival:
    """Raises _Unusable, _Elsewhere or _NothingAsked."""
    name = _text(record, "eventName")
    told_bucket, stored = _text(record, "s3", "bucket", "name"), _member(record, "s3", "object")
    key = _text(stored, "key")
    if not (isinstance(stored, Mapping) and stored.get("is_plain")):
        key = _decoded(key)
    if told_bucket != bucket:
        shown = told_bucket[:LONGEST_NAME]
        raise _Elsewhere("is about another bucket than the lake's: this queue is for one lake", f"bucket {shown}")
    root = f"{prefix}/" if prefix else ""
    if not key.startswith(root):
        top = key.partition("/")[0][:LONGEST_NAME]
        raise _Elsewhere("is about another prefix than the lake's: set a filter on its notifications", f"{top}/")
    key = key.removeprefix(root)
    if not name.removeprefix("s3:").startswith("ObjectCreated") or not key.startswith(WATCHED) or key.endswith("/"):
        raise _NothingAsked
    try:
        checked_key(key)
    except ValueError as error:
        raise _Unusable(f"has a key that no object of a lake has: {error}") from error
    size = _member(stored, "size")
    return Arrival(key, _version(stored), _instant(_member(record, "eventTime")), size if type(size) is int else 0)


def _member(value: Any, *names: str) -> Any:
    for name in names:
        value = value.get(name) if isinstance(value, Mapping) else None
    return value


def _text(value: Any, *names: str) -> str:
    found = _member(value, *names)
    if not isinstance(found, str) or not found:
        raise _Unusable(f"has no {'.'.join(names)}")
    return found


def _decoded(key: str) -> str:
    try:
        return unquote_plus(key, errors="strict")
    except UnicodeDecodeError as error:
        raise _Unusable("has a key that is not UTF-8") from error


def _version(stored: Any) -> str:
    told = (_member(stored, name) for name in ("versionId", "eTag"))
    return next((each.strip('"') for each in told if isinstance(each, str) and each not in ("", "null")), "")


def _instant(told: Any) -> datetime | None:
    """When it arrived, if the message says so in a form that can be trusted."""
    try:
        read = datetime.fromisoformat(told)
        return (read if read.tzinfo else read.replace(tzinfo=UTC)).astimezone(UTC)
    except (TypeError, ValueError, OverflowError):
        return None


def _excerpt(text: str) -> str:
    """The beginning of a text, without anything that a terminal would obey."""
    shown = "".join(letter if letter.isprintable() else " " for letter in text[:LONGEST_EXCERPT])
    return shown + ("..." if len(text) > LONGEST_EXCERPT else "")
