"""Kubernetes objects out of what an API, a watch or kubectl printed, and what the print proves to be absent.

Read are API lists (`PodList`), kubectl's `List`, single objects, objects one after the other, and watch events. Only an
API list is a full listing. Not here: what an object says.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import orjson

from chargeback.usage.extract import EXCERPT_LENGTH, Quarantined, UnreadableExtract
from chargeback.usage.kubernetes_text import Document, documents_of

LISTED, ADDED, MODIFIED, DELETED = "LISTED", "ADDED", "MODIFIED", "DELETED"
"""How an object was seen: in a listing or by itself, or as a watch event."""

_IGNORED_EVENTS = {
    "BOOKMARK": "bookmark of a watch: no object changed",
    "ERROR": "error of a watch: it was begun anew after it",
}


@dataclass(frozen=True, slots=True)
class KubernetesObject:
    """One object as it was seen.

    `line` is where it begins, in a JSON list its number. `kind` is empty if neither the object nor its list says it.
    """

    line: int
    event: str
    kind: str
    api_version: str
    body: Mapping[str, Any]

    @property
    def full_kind(self) -> str:
        """`Pod`, `Job.batch`: the kind with the group of its API, as a listing of it is called."""
        return full_kind(self.kind, self.api_version)

    @property
    def excerpt(self) -> str:
        """Its first characters, for people."""
        return excerpt_of(self.body)


@dataclass(frozen=True, slots=True)
class ObjectsRead:
    """What a landing object holds. `full_listings_of` are full kinds."""

    objects: tuple[KubernetesObject, ...]
    quarantined: tuple[Quarantined, ...]
    ignored: Mapping[str, int]
    full_listings_of: frozenset[str]


def full_kind(kind: str, api_version: str) -> str:
    """`Pod` for the core group, `Job.batch` for batch/v1."""
    group, slash, _ = api_version.partition("/")
    return f"{kind}.{group}" if slash else kind


def excerpt_of(value: object) -> str:
    """The first characters of a JSON value; nothing of what JSON cannot say."""
    try:
        return orjson.dumps(value, default=str, option=orjson.OPT_NON_STR_KEYS).decode()[:EXCERPT_LENGTH]
    except orjson.JSONEncodeError:
        return ""


def read_objects(content: bytes, *, what: str) -> ObjectsRead:
    """Read every object of a landing object, in order.

    Output:  a document that cannot be read is quarantined with its line. A list of which an entry cannot be read, or
             that is a page of a longer one, is no full listing: it proves no absence.
    Raises:  UnreadableExtract if nothing in it is an object; `what` names what was expected.
    """
    found = [seen for document in documents_of(content) for seen in _of_document(document)]
    objects = tuple(seen for seen in found if isinstance(seen, KubernetesObject))
    quarantined = tuple(seen for seen in found if isinstance(seen, Quarantined))
    listings = [seen for seen in found if isinstance(seen, _Listing)]
    ignored = Counter(seen for seen in found if isinstance(seen, str))
    if quarantined and not objects and not listings and not ignored:
        raise UnreadableExtract(
            f"{what} cannot be read: line {quarantined[0].line}: {quarantined[0].reason}; "
            "extract them with `chargeback extract kubernetes` or `kubectl get -A -o json`"
        )
    proven = frozenset() if quarantined else _whole(listings)
    return ObjectsRead(objects, quarantined, ignored, proven)


@dataclass(frozen=True, slots=True)
class _Listing:
    """An API list, or a page of one: `is_continued` by the next page."""

    kind: str
    is_continued: bool


_Seen = KubernetesObject | Quarantined | _Listing | str


def _whole(listings: list[_Listing]) -> frozenset[str]:
    """Kinds whose pages are all there: the last one is not continued."""
    last = {listing.kind: listing.is_continued for listing in listings}
    return frozenset(kind for kind, is_continued in last.items() if not is_continued)


def _of_document(document: Document) -> Iterator[_Seen]:
    """What one document holds; a `str` is the reason for which a record is ignored."""
    value, line = document.value, document.line
    if document.fault:
        yield Quarantined(line, document.fault, document.text[:EXCERPT_LENGTH], None)
    elif isinstance(value, list):
        for number, entry in enumerate(value, start=1):
            yield from _of_value(entry, line=number)
    elif isinstance(value, dict) and "items" in value and "spec" not in value:
        yield from _of_list(document)
    else:
        yield from _of_value(value, line=line)


def _of_list(document: Document) -> Iterator[_Seen]:
    listed = document.value
    items = listed["items"]
    list_kind, api_version = _text(listed.get("kind")), _text(listed.get("apiVersion"))
    kind = list_kind.removesuffix("List")
    if items is not None and not isinstance(items, list):
        yield Quarantined(document.line, f"{list_kind or 'list'} whose items are no list", excerpt_of(listed), None)
        return
    if kind and kind != list_kind:
        metadata = listed.get("metadata")
        token = metadata.get("continue") if isinstance(metadata, dict) else None
        yield _Listing(full_kind(kind, api_version), is_continued=bool(token))
    for at, entry in enumerate(items or []):
        line = document.item_lines[at] if document.item_lines else at + 1 if document.line == 1 else document.line
        yield from _of_value(entry, line=line, kind=kind, api_version=api_version)


def _of_value(value: object, *, line: int, kind: str = "", api_version: str = "") -> Iterator[_Seen]:
    """An object, or a watch event around one. `kind` and `api_version` are those of its list."""
    if isinstance(value, dict) and "type" in value and "object" in value and "metadata" not in value:
        yield from _of_event(value, line)
    else:
        yield _object(value, line=line, event=LISTED, kind=kind, api_version=api_version)


def _of_event(value: Mapping[str, Any], line: int) -> Iterator[_Seen]:
    event = _text(value["type"])
    if event in _IGNORED_EVENTS:
        yield _IGNORED_EVENTS[event]
    elif event in (ADDED, MODIFIED, DELETED):
        yield _object(value["object"], line=line, event=event)
    else:
        reason = f"watch event of type {event!r}; known are ADDED, MODIFIED, DELETED, BOOKMARK and ERROR"
        yield Quarantined(line, reason, excerpt_of(value), None)


def _object(value: object, *, line: int, event: str, kind: str = "", api_version: str = "") -> _Seen:
    if not isinstance(value, dict):
        return Quarantined(line, f"{_named(value)} where an object should stand", excerpt_of(value), None)
    if value.get("kind") == "Status" and "message" in value:
        return Quarantined(line, f"the API refused: {_text(value['message'])}", excerpt_of(value), None)
    said, version = _text(value.get("kind")), _text(value.get("apiVersion"))
    return KubernetesObject(line, event, said or kind, version or api_version, value)


def _named(value: object) -> str:
    return "null" if value is None else f"a {type(value).__name__}"


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
