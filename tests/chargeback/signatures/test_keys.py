"""Keys and their signatures: published vectors, validity, and what is no key."""

from datetime import timedelta

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from chargeback.signatures.fields import Unreadable, same_person
from chargeback.signatures.keys import fingerprint_of, is_signature_of, public_key_of, read_key, signature_of
from tests.chargeback.signatures.people import BEGIN, CONTROLLER, END, KEYS, LEAD

ENTRY = {"holder": "Ada Berg", "role": "finance-lead", "public_key": public_key_of(LEAD),
         "valid_from": "2026-01-01T00:00:00Z", "valid_until": "2027-01-01T00:00:00Z"}  # fmt: skip


def test_keys_and_signatures_are_those_of_rfc_8032() -> None:
    secret = Ed25519PrivateKey.from_private_bytes(
        bytes.fromhex("4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb")
    )

    assert public_key_of(secret) == "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c"
    assert signature_of(b"\x72", secret) == (
        "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da"
        "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00"
    )


def test_a_fingerprint_is_the_sha256_of_the_public_key() -> None:
    assert fingerprint_of("00" * 32) == "66687aadf862bd776c8fc18b8e9f8e20089714856ee233b3902a591d0d5f2925"


def test_a_signature_is_of_one_key_and_one_text() -> None:
    signature = signature_of(b"text", LEAD)

    assert is_signature_of(signature, b"text", public_key=public_key_of(LEAD))
    assert not is_signature_of(signature, b"texT", public_key=public_key_of(LEAD))
    assert not is_signature_of(signature, b"text", public_key=public_key_of(CONTROLLER))
    assert not is_signature_of("00" * 64, b"text", public_key=public_key_of(LEAD))
    assert not is_signature_of(signature, b"text", public_key="ff" * 32)


def test_validity_is_half_open() -> None:
    (lead, *_) = KEYS

    assert [lead.is_valid_at(each) for each in (BEGIN, END - timedelta(seconds=1))] == [True, True]
    assert [lead.is_valid_at(each) for each in (BEGIN - timedelta(seconds=1), END)] == [False, False]


def test_an_entry_is_read_as_it_was_written() -> None:
    assert read_key(ENTRY) == KEYS[0]
    assert KEYS[0].document() == ENTRY


@pytest.mark.parametrize(
    "change, reason",
    [
        ({"role": "boss"}, "role is 'boss', must be one of finance-lead"),
        ({"public_key": "ab"}, "must be 64 hex digits"),
        ({"holder": ""}, "holder is empty"),
        ({"holder": " Ada"}, "without spaces at its ends"),
        ({"valid_from": ""}, "valid_from is empty"),
        ({"valid_from": "2026-01-01"}, "must be an instant in UTC"),
        ({"valid_from": "2026-02-30T00:00:00Z"}, "must be an instant in UTC"),
        ({"valid_until": "2025-01-01T00:00:00Z"}, "is before valid_from"),
        ({"email": "a@b"}, "unknown field 'email'"),
    ],
)
def test_what_is_no_key_is_refused_with_what_to_write(change: dict[str, str], reason: str) -> None:
    with pytest.raises(Unreadable, match=reason):
        read_key({**ENTRY, **change})


def test_an_entry_that_lacks_a_field_is_refused() -> None:
    with pytest.raises(Unreadable, match="a key has no role"):
        read_key({name: text for name, text in ENTRY.items() if name != "role"})


@pytest.mark.parametrize(
    "one, other, is_same",
    [("Ada Berg", "ada  berg", True), ("José", "Jose\u0301", True), ("Ada Berg", "Ada Bergh", False)],
)
def test_a_person_is_the_same_however_the_name_is_typed(one: str, other: str, is_same: bool) -> None:
    assert same_person(one, other) is is_same
