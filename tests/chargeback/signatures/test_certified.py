"""A certificate's document: chained to the one before it, signed by the deployment's key, and by no other."""

import json

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from chargeback.signatures.certified import certificate_document, faults_of_document, signed_document
from tests.chargeback.signatures.people import CONTROLLER, KEYRING, PLATFORM, SIGNED_AT, private_key

DOCUMENT = certificate_document(
    "2026-10", certificate="c1" * 32, previous="b1" * 32, contents={"runs|a|2026-10-01": "d1" * 32},
    policies={"suspended": "charged"}, code_version="1", cards={"2026.1": "e1" * 32}, waivers={},
)  # fmt: skip


def faults(content: bytes, *, certificate: str = "c1" * 32, previous: str = "b1" * 32) -> tuple[str, ...]:
    return faults_of_document(content, certificate=certificate, previous=previous, keyring=KEYRING, at=SIGNED_AT)


def test_a_document_proves_its_certificate_and_the_one_before_it() -> None:
    content = signed_document(DOCUMENT, PLATFORM)

    assert content == signed_document(DOCUMENT, PLATFORM)
    assert faults(content) == ()


def test_another_certificate_or_another_one_before_it_is_told() -> None:
    content = signed_document(DOCUMENT, PLATFORM)

    assert faults(content, certificate="ff" * 32) == ("it is of certificate c1c1c1c1c1c1, ffffffffffff stands there",)
    assert faults(content, previous="") == (
        "it follows certificate b1b1b1b1b1b1 of the month before, none stands there",
    )


@pytest.mark.parametrize(
    ("key", "reason"),
    [
        (None, "nobody signed it"),
        (CONTROLLER, "the deployment's key has the role platform"),
        (private_key(99), "which is not in the keyring"),
    ],
)
def test_a_document_that_the_deployment_did_not_sign_is_told(key: Ed25519PrivateKey | None, reason: str) -> None:
    (told,) = faults(signed_document(DOCUMENT, key))

    assert reason in told


def test_any_change_after_signing_is_told() -> None:
    signed = json.loads(signed_document(DOCUMENT, PLATFORM))
    signed["document"]["policies"]["suspended"] = "credited"

    (told,) = faults(json.dumps(signed).encode())
    assert "altered after signing" in told
    assert faults(b"{}") == ("it is no certificate of this format",)
