"""What a message of the queue says, in every form that stores send, and what of it is refused with which reason."""

import json
from datetime import UTC, datetime
from typing import Any
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given
from hypothesis import strategies as st

from resources.arrival_queue_messages import LONGEST_EXCERPT, Message, read_message

KEY = "landing/ownership/date=2026-10-05/20261005T010000Z-" + "0" * 64 + ".csv"


def record(key: str = KEY, *, bucket: str = "lake", name: str = "ObjectCreated:Put", **stored: Any) -> dict[str, Any]:
    """A record as S3 writes it: the key is encoded as in a form."""
    return {
        "eventSource": "aws:s3", "eventName": name, "eventTime": "2026-10-05T01:00:07.125Z",
        "s3": {"bucket": {"name": bucket}, "object": {"key": quote_plus(f"prod/{key}"), "eTag": "e1", **stored}},
    }  # fmt: skip


def read(body: object) -> Message:
    """What a message says of the lake s3://lake/prod."""
    return read_message(body if isinstance(body, str) else json.dumps(body), bucket="lake", prefix="prod")


def test_a_notification_of_s3_names_the_object_its_version_and_when_it_came() -> None:
    (arrival,) = read({"Records": [record(versionId="v7", sequencer="0055AED6DCD90281E5")]}).arrivals

    assert (arrival.key, arrival.version) == (KEY, "v7")
    assert arrival.arrived_at == datetime(2026, 10, 5, 1, 0, 7, 125000, tzinfo=UTC)


def test_without_versions_the_etag_tells_one_content_from_another() -> None:
    (arrival,) = read({"Records": [record(versionId="null", eTag='"e9"')]}).arrivals

    assert arrival.version == "e9"


def test_an_envelope_of_sns_is_opened() -> None:
    inner = json.dumps({"Records": [record()]})

    message = read({"Type": "Notification", "TopicArn": "arn:aws:sns:eu-central-1:1:t", "Message": inner})

    assert [arrival.key for arrival in message.arrivals] == [KEY]


def test_the_form_of_eventbridge_is_read_and_its_key_is_not_decoded_twice() -> None:
    key = "incoming/100%25+1.csv"
    detail = {"bucket": {"name": "lake"}, "object": {"key": f"prod/{key}", "etag": "e1", "version-id": "v2"}}

    message = read({"detail-type": "Object Created", "source": "aws.s3", "time": "2026-10-05T01:00:07Z",
                    "detail": detail})  # fmt: skip

    assert [(arrival.key, arrival.version) for arrival in message.arrivals] == [(key, "v2")]


@pytest.mark.parametrize("name", ["s3:ObjectCreated:Put", "ObjectCreated:CompleteMultipartUpload"])
def test_other_stores_spell_the_event_with_a_prefix(name: str) -> None:
    assert len(read({"Records": [record(name=name)]}).arrivals) == 1


@pytest.mark.parametrize("name", ["incoming/a b.csv", "incoming/a+b.csv", "incoming/ä€😀.csv", "incoming/100%.csv"])
def test_spaces_pluses_percents_and_any_letters_of_a_key_are_what_they_were(name: str) -> None:
    assert [arrival.key for arrival in read({"Records": [record(name)]}).arrivals] == [name]


def test_the_test_message_that_s3_sends_at_set_up_asks_for_nothing() -> None:
    message = read({"Service": "Amazon S3", "Event": "s3:TestEvent", "Bucket": "lake"})

    assert message == Message()


@pytest.mark.parametrize(
    "asked", [record(name="ObjectRemoved:Delete"), record("parsed/x.json"), record("events-refused/1.json"),
              record("raw_sacct/_delta_log/0.json"), record("landing/dcgm/")],
    ids=["removal", "cache", "what was set aside", "table", "folder"],
)  # fmt: skip
def test_removals_and_the_lakes_other_folders_are_counted_and_not_set_aside(asked: dict[str, Any]) -> None:
    assert read({"Records": [asked]}) == Message(ignored=1)


@pytest.mark.parametrize(
    "body, reason",
    [
        ("hello", "is not JSON"),
        ("", "is not JSON"),
        ("[" * 50_000 + "]" * 50_000, "is not JSON"),
        ('{"a":' * 2_000 + "1" + "}" * 2_000, "is not JSON"),
        ("[1, 2]", "is JSON, but a list"),
        ({"weather": "fine"}, "is no S3 notification"),
        ({"Records": {"a": 1}}, "is no S3 notification"),
        ({"Records": [7]}, "record 1 of 1 has no eventName"),
        ({"Records": [{"eventName": "ObjectCreated:Put", "s3": []}]}, "record 1 of 1 has no s3.bucket.name"),
        ({"Records": [record(key="landing/../../etc/passwd")]}, "has a key that no object of a lake has"),
        ({"Records": [record(key="landing//x")]}, "has a key that no object of a lake has"),
        ({"Records": [record(key="landing/a\x1b[2Jb")]}, "has a key that no object of a lake has"),
        ({"Records": [record(key="landing/" + "a" * 2_000)]}, "has a key that no object of a lake has"),
        ({"Records": [1] * 10_001}, "has 10001 records"),
        ({"Type": "Notification", "Message": "x"}, "is not JSON"),
        ({"detail": {}}, "record 1 of 1 has no eventName"),
    ],
)  # fmt: skip
def test_what_cannot_be_used_is_refused_with_the_reason_and_an_excerpt(body: object, reason: str) -> None:
    (refused,) = read(body).refused

    assert reason in refused.reason
    assert len(refused.about) <= LONGEST_EXCERPT + 3
    assert refused.about.isprintable()


def test_a_key_that_is_no_text_in_any_encoding_is_refused() -> None:
    sent = record()
    sent["s3"]["object"]["key"] = quote(b"prod/incoming/\xff")

    (refused,) = read({"Records": [sent]}).refused

    assert "has a key that is not UTF-8" in refused.reason


@pytest.mark.parametrize("sent, place", [(record(bucket="other"), "bucket other"), ({**record()}, "elsewhere/")])
def test_another_bucket_or_prefix_is_told_once_a_place_however_many_objects(sent: dict[str, Any], place: str) -> None:
    if place == "elsewhere/":
        sent["s3"] = {"bucket": {"name": "lake"}, "object": {"key": "elsewhere/landing/x"}}
    one, two = ({**sent, "sequencer": number} for number in ("1", "2"))

    message = read({"Records": [one, two]})

    assert [refused.about for refused in message.refused] == [place]
    assert message.arrivals == ()


def test_one_bad_record_takes_nothing_from_the_good_ones_beside_it() -> None:
    message = read({"Records": [record(), {"eventName": 1}, record("incoming/x.csv")]})

    assert [arrival.key for arrival in message.arrivals] == [KEY, "incoming/x.csv"]
    assert [refused.reason for refused in message.refused] == ["record 2 of 3 has no eventName"]


@pytest.mark.parametrize("told", [None, 7, "yesterday", "0001-01-01T00:00:00+14:00", {}])
def test_a_time_that_makes_no_sense_is_no_time(told: object) -> None:
    (arrival,) = read({"Records": [{**record(), "eventTime": told}]}).arrivals

    assert arrival.arrived_at is None


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(
        st.sampled_from(["Records", "s3", "object", "bucket", "key", "name", "detail", "Message", "Type", "eventName"]),
        inner, max_size=4,
    ),
    max_leaves=12,
)  # fmt: skip


@given(JSON | st.text())
def test_no_body_whatever_stops_the_reader(body: object) -> None:
    read(body if isinstance(body, str) else json.dumps(body))
