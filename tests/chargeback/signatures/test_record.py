"""A record's file: read back as it was written, and refused where it was not written by this product."""

import json
from dataclasses import replace

import pytest

from chargeback.signatures.fields import Unreadable
from chargeback.signatures.recognition import signed_kind_of
from chargeback.signatures.record import SignedRecord, read_record
from tests.chargeback.signatures.people import END, KEYRING, LEAD, approved_file, record_of, signed_by


def written(**changes: object) -> bytes:
    document = json.loads(signed_by(LEAD).content())
    top = {name: value for name, value in changes.items() if name in ("format", "signature")}
    record = {**document["record"], **{name: value for name, value in changes.items() if name not in top}}
    return json.dumps({**document, "record": record, **top}).encode()


@pytest.mark.parametrize("signed", [signed_by(LEAD), signed_by(LEAD, until=END), SignedRecord(record_of())])
def test_a_record_is_read_back_as_it_was_written(signed: SignedRecord) -> None:
    assert read_record(signed.content()) == signed


def test_the_same_record_and_key_make_the_same_bytes() -> None:
    assert signed_by(LEAD).content() == signed_by(LEAD).content()


def test_another_layout_of_the_file_is_the_same_record() -> None:
    assert read_record(written()) == signed_by(LEAD)


def test_what_is_signed_names_its_format_kind_subject_and_content() -> None:
    message = signed_by(LEAD).message.decode()

    assert message.startswith('{"format":"gpu-chargeback/signed-record/1","record":{"approved_by":"')
    assert '"kind":"rate-card"' in message
    assert '"subject":"2026.2"' in message
    assert f'"content_sha256":"{"c0" * 32}"' in message


@pytest.mark.parametrize(
    "changes, reason",
    [
        ({"kind": "holiday"}, "kind is 'holiday', must be one of rate-card"),
        ({"content_sha256": "C0" * 32}, "must be 64 hex digits in lower case"),
        ({"subject": ""}, "subject is empty"),
        ({"reason": ""}, "reason is empty"),
        ({"at": "yesterday"}, "must be an instant in UTC"),
        ({"at": ""}, "was changed after signing"),
        ({"extra": "x"}, "unknown field 'extra'"),
        ({"format": "gpu-chargeback/signed-record/2"}, "this code reads gpu-chargeback/signed-record/1"),
        ({"signature": "abc"}, "signature is 3 characters long"),
        ({"subject": 7}, "7 is a number"),
    ],
)
def test_what_is_no_record_is_refused_with_what_is_wrong(changes: dict[str, object], reason: str) -> None:
    with pytest.raises(Unreadable, match=reason):
        read_record(written(**changes))


def test_a_record_and_a_keyring_are_told_apart_by_the_format_that_they_name() -> None:
    assert signed_kind_of(signed_by(LEAD).content()) == "record"
    assert signed_kind_of(approved_file(KEYRING, LEAD).content()) == "keyring"
    assert signed_kind_of(b"- {cluster: a, run: 1, gpus: 2, by: x, reason: y}\n") is None
    assert signed_kind_of(b'version: "1"\nformat: none\n') is None


def test_the_reason_of_a_record_cannot_make_it_pass_for_a_keyring() -> None:
    record = replace(record_of(), reason='"format": "gpu-chargeback/keyring/1"')

    assert signed_kind_of(SignedRecord(record).content()) == "record"
