"""One document has one spelling, whoever writes it; what has none is refused."""

import hashlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chargeback.signatures.canonical import (
    LARGEST_BYTES,
    NotCanonical,
    canonical_json,
    content_sha256,
    read_json,
    readable_json,
)

TEXTS = st.text(st.characters(blacklist_categories=("Cs",)))
DOCUMENTS = st.recursive(
    st.one_of(TEXTS, st.booleans(), st.none()),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(TEXTS, inner, max_size=4)),
    max_leaves=12,
)


def test_a_document_is_spelled_with_sorted_names_and_without_spaces() -> None:
    spelled = canonical_json({"price": "1.10", "a": ["x", None, True], "é": {"b": "", "a": "\n"}})

    assert spelled == '{"a":["x",null,true],"price":"1.10","é":{"a":"\\n","b":""}}'.encode()


def test_names_are_sorted_by_utf_16_units_as_rfc_8785_does() -> None:
    assert canonical_json({"\ufb33": "", "\U0001f600": "", "\u20ac": "", "1": ""}) == (
        '{"1":"","\u20ac":"","\U0001f600":"","\ufb33":""}'.encode()
    )


def test_the_hash_is_the_sha256_of_the_spelling() -> None:
    assert content_sha256({"a": "1"}) == hashlib.sha256(b'{"a":"1"}').hexdigest()


@pytest.mark.parametrize("value", [1, 1.5, {"a": 1}, [2.0], {1: "a"}, {"a": b"x"}, "\ud800", float("nan")])
def test_numbers_bytes_and_half_characters_have_no_spelling(value: object) -> None:
    with pytest.raises(NotCanonical):
        canonical_json(value)


@given(DOCUMENTS)
def test_what_is_written_is_read_back_whatever_its_layout(document: object) -> None:
    assert read_json(canonical_json(document)) == document
    assert canonical_json(read_json(readable_json(document))) == canonical_json(document)


@given(st.dictionaries(TEXTS, TEXTS, max_size=6))
def test_the_order_in_which_names_were_written_changes_nothing(document: dict[str, str]) -> None:
    turned = dict(reversed(document.items()))

    assert canonical_json(turned) == canonical_json(document)


@pytest.mark.parametrize(
    "content, reason",
    [
        (b'{"a": "1", "a": "2"}', "'a' stands twice"),
        (b'{"a": 1}', "1 is a number"),
        (b'{"a": 1.0}', "1.0 is a number"),
        (b'{"a": NaN}', "NaN is a number"),
        (b"{", "is no JSON"),
        (b"\xff", "is no JSON"),
        (b"[" * 100_000, "is nested deeper"),
        (b" " * (LARGEST_BYTES + 1), "1 more than are read"),
    ],
)
def test_what_could_be_read_in_two_ways_is_refused(content: bytes, reason: str) -> None:
    with pytest.raises(NotCanonical, match=reason):
        read_json(content)


def test_python_and_this_module_agree_on_plain_documents() -> None:
    document = {"b": ["1", "2"], "a": {"c": "x"}}

    assert canonical_json(document) == json.dumps(document, sort_keys=True, separators=(",", ":")).encode()
