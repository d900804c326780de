"""Kubernetes objects out of JSON, JSON lines, watch events and YAML, each with its line; damage is told."""

import json

import pytest

from chargeback.usage.extract import UnreadableExtract
from chargeback.usage.kubernetes_objects import ObjectsRead, read_objects
from tests.chargeback.usage.landed_kubernetes import api_list, events, kubectl_list

A, B = ({"kind": "Pod", "apiVersion": "v1", "metadata": {"name": name}} for name in "ab")


def read(content: str | bytes) -> ObjectsRead:
    return read_objects(content if isinstance(content, bytes) else content.encode(), what="pods of k8s-b")


def seen(content: str | bytes) -> list[tuple[int, str, str, str]]:
    """Line, event, kind and name of every object."""
    return [(o.line, o.event, o.kind, o.body.get("metadata", {}).get("name", "")) for o in read(content).objects]


def pretty(value: object) -> str:
    return json.dumps(value, indent=2) + "\n"


def test_entries_of_an_api_list_have_the_kind_that_the_list_says_and_their_number_as_line() -> None:
    bare = [{"metadata": {"name": name}} for name in "ab"]

    listed = read(api_list("Pod", *bare))

    assert [(o.line, o.kind, o.api_version, o.event) for o in listed.objects] == [
        (1, "Pod", "v1", "LISTED"),
        (2, "Pod", "v1", "LISTED"),
    ]
    assert listed.full_listings_of == {"Pod"}


def test_a_list_of_another_group_is_a_listing_of_that_group() -> None:
    assert read(api_list("PodGroup", api_version="scheduling.x-k8s.io/v1alpha1")).full_listings_of == {
        "PodGroup.scheduling.x-k8s.io"
    }


@pytest.mark.parametrize(
    "content",
    [
        kubectl_list(A, B),
        json.dumps({"metadata": {}, "items": [A, B]}),
        json.dumps([A, B]),
        api_list("Pod", A, B, **{"continue": "next"}),
        api_list("Pod", A, B, None),
    ],
    ids=["kubectl", "no kind", "an array", "a page", "an unreadable entry"],
)
def test_only_a_whole_api_list_proves_absence(content: bytes | str) -> None:
    found = read(content)

    assert len(found.objects) == 2
    assert found.full_listings_of == frozenset()


def test_pages_of_a_list_one_after_the_other_are_a_full_listing_once_the_last_is_there() -> None:
    first, last = api_list("Pod", A, **{"continue": "next"}), api_list("Pod", B)

    assert read(first + b"\n" + last).full_listings_of == {"Pod"}
    assert read(first + b"\n" + first).full_listings_of == frozenset()


def test_a_list_whose_items_are_null_is_an_empty_listing() -> None:
    found = read('{"kind": "PodList", "apiVersion": "v1", "items": null}')

    assert (found.objects, found.full_listings_of) == ((), {"Pod"})


def test_watch_events_are_read_line_by_line_and_bookmarks_and_errors_are_ignored() -> None:
    stream = events(("ADDED", A), ("BOOKMARK", {"kind": "Pod"}), ("MODIFIED", A), ("ERROR", {"kind": "Status"})) + (
        b"\n" + events(("DELETED", B))
    )

    assert seen(stream) == [(1, "ADDED", "Pod", "a"), (3, "MODIFIED", "Pod", "a"), (6, "DELETED", "Pod", "b")]
    assert dict(read(stream).ignored) == {
        "bookmark of a watch: no object changed": 1,
        "error of a watch: it was begun anew after it": 1,
    }


def test_a_damaged_line_of_a_stream_is_quarantined_and_the_others_are_read() -> None:
    lines = events(("ADDED", A), ("ADDED", A), ("ADDED", B)).split(b"\n")
    lines[1] = lines[1][:40]

    found = read(b"\n".join(lines))

    assert [o.line for o in found.objects] == [1, 3]
    assert [(q.line, q.reason.partition(":")[0]) for q in found.quarantined] == [(2, "not JSON")]
    assert found.quarantined[0].excerpt == lines[1].decode()


@pytest.mark.parametrize("line", ["garbage", "[]", '"text"', "{}"])
def test_a_line_that_is_no_object_is_quarantined(line: str) -> None:
    found = read(events(("ADDED", A)) + line.encode() + b"\n" + events(("ADDED", B)))

    assert [o.line for o in found.objects] == [1, 3]
    assert [q.line for q in found.quarantined] == [2]


def test_a_stream_whose_first_line_is_damaged_is_still_read() -> None:
    found = read(b'{"type": "ADDED", "obj\n' + events(("ADDED", B)))

    assert [o.line for o in found.objects] == [2]
    assert [q.line for q in found.quarantined] == [1]


def test_an_event_of_an_unknown_type_is_quarantined() -> None:
    found = read(events(("CHANGED", A), ("ADDED", B)))

    assert [(q.line, q.reason) for q in found.quarantined] == [
        (1, "watch event of type 'CHANGED'; known are ADDED, MODIFIED, DELETED, BOOKMARK and ERROR")
    ]


def test_objects_printed_one_after_the_other_have_the_line_where_each_begins() -> None:
    printed = pretty(A) + pretty({"type": "DELETED", "object": B})

    assert seen(printed) == [(1, "LISTED", "Pod", "a"), (8, "DELETED", "Pod", "b")]


def test_the_last_of_several_printed_objects_may_break_off() -> None:
    found = read(pretty(A) + pretty(B)[:30])

    assert len(found.objects) == 1
    assert [q.line for q in found.quarantined] == [8]


@pytest.mark.parametrize(
    "content",
    [api_list("Pod", A, B)[:-40], pretty({"kind": "PodList", "items": [A, B]})[:-40].encode(), b"{", b"[1, 2"],
    ids=["in one line", "over lines", "a brace", "an array"],
)
def test_a_list_that_breaks_off_is_refused_as_a_whole_with_what_to_do(content: bytes) -> None:
    with pytest.raises(UnreadableExtract, match=r"pods of k8s-b cannot be read: line 1: .*extract them with"):
        read(content)


@pytest.mark.parametrize(
    "content",
    ["NAME   READY   STATUS\ntrain-0   1/1   Running\n", "just a text", "- 1\n- 2\n", "a: b: c"],
    ids=["a table", "a text", "a list of numbers", "no YAML"],
)
def test_a_text_without_an_object_is_refused(content: str) -> None:
    with pytest.raises(UnreadableExtract, match="pods of k8s-b cannot be read"):
        read(content)


def test_what_the_api_refused_is_refused_with_its_words() -> None:
    with pytest.raises(UnreadableExtract, match="the API refused: pods is forbidden"):
        read('{"kind": "Status", "status": "Failure", "message": "pods is forbidden"}')


def test_nothing_is_no_object_and_no_listing() -> None:
    assert read(b"") == read(b"\n \n") == ObjectsRead((), (), {}, frozenset())


def test_a_byte_order_mark_and_broken_bytes_harm_no_other_object() -> None:
    broken = b'{"kind": "Pod", "metadata": {"name": "\xff"}}\n'

    assert seen(b"\xef\xbb\xbf" + events(("ADDED", A))) == [(1, "ADDED", "Pod", "a")]
    assert seen(b"\xef\xbb\xbf" + pretty(A).encode()) == [(1, "LISTED", "Pod", "a")]
    assert [name for *_, name in seen(broken + json.dumps(B).encode())] == ["\ufffd", "b"]


YAML = """\
# what kubectl prints
apiVersion: v1
kind: Pod
metadata:
  name: a
  creationTimestamp: 2026-07-08T01:00:00Z
---

---
apiVersion: v1
items:
- kind: Pod
  metadata: {name: b}
- kind: Pod
  metadata:
    name: c
kind: List
...
"""


def test_yaml_documents_and_entries_have_the_line_where_they_begin() -> None:
    assert seen(YAML) == [(2, "LISTED", "Pod", "a"), (12, "LISTED", "Pod", "b"), (14, "LISTED", "Pod", "c")]


def test_a_time_in_yaml_is_the_text_that_it_is_in_json() -> None:
    assert read(YAML).objects[0].body["metadata"]["creationTimestamp"] == "2026-07-08T01:00:00Z"


def test_a_damaged_yaml_document_spoils_no_other() -> None:
    found = read("kind: Pod\nmetadata: {name: a}\n---\nkind: Pod\n  metadata: [\n---\nkind: Pod\nmetadata: {name: b}\n")

    assert [o.line for o in found.objects] == [1, 7]
    assert [(q.line, q.reason.partition(":")[0]) for q in found.quarantined] == [(4, "not YAML")]


@pytest.mark.parametrize("items", ["text", {"a": 1}, 3])
def test_items_that_are_no_list_are_quarantined(items: object) -> None:
    found = read(json.dumps({"kind": "PodList", "items": items}).encode() + b"\n" + json.dumps(A).encode())

    assert [q.reason for q in found.quarantined] == ["PodList whose items are no list"]
    assert (len(found.objects), found.full_listings_of) == (1, frozenset())


@pytest.mark.parametrize("entry", [None, 3, "text", [1]])
def test_an_entry_that_is_no_object_is_quarantined_with_its_number(entry: object) -> None:
    found = read(api_list("Pod", A, entry))

    assert [q.line for q in found.quarantined] == [2]
    assert "where an object should stand" in found.quarantined[0].reason
