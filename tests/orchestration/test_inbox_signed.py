"""Keyrings and signed records in the inbox: known by what they say, dated by when they came, and held to the chain."""

from dataclasses import replace
from pathlib import Path

import pytest

from chargeback.signatures.keyring import KeyringFile
from resources.storage_location import StorageLocation
from tests.chargeback.signatures.people import CONTROLLER, KEYRING, KEYS, LEAD, approved_file, next_keyring, signed_by
from tests.orchestration.inboxes import APPROVALS, CLUSTERS, NOW, Incoming, incoming_at

FIRST = replace(KEYRING, keys=tuple(replace(key, valid_until=None) for key in KEYS))
SECOND = next_keyring(FIRST)
PINNED = f'{CLUSTERS}[signing]\ntrust_root = "{FIRST.fingerprint}"\n'


@pytest.fixture
def incoming(tmp_path: Path) -> Incoming:
    """The inbox of a lake in which the first keyring is pinned."""
    return incoming_at(StorageLocation(str(tmp_path / "lake")), PINNED)


def test_a_signed_record_and_an_approval_of_a_gpu_count_are_both_approvals(incoming: Incoming) -> None:
    assert incoming.filed_as("a.txt", signed_by(LEAD).content()) == "approvals None json"
    assert incoming.filed_as("b.txt", APPROVALS).startswith("approvals None ")


def test_the_next_keyring_of_the_chain_is_filed(incoming: Incoming) -> None:
    assert incoming.filed_as("one.json", KeyringFile(FIRST).content()) == "keyrings None json"
    assert incoming.filed_as("two.json", approved_file(SECOND, LEAD, CONTROLLER).content()) == "keyrings None json"


def test_a_keyring_that_would_break_the_chain_is_set_aside(incoming: Incoming) -> None:
    incoming.filed_as("one.json", KeyringFile(FIRST).content())

    assert "it needs two current holders" in incoming.filed_as("half.json", approved_file(SECOND, LEAD).content())
    assert "is another first keyring" in incoming.filed_as(
        "mine.json", KeyringFile(replace(FIRST, reason="mine")).content()
    )
    assert len(incoming.keys("landing/keyrings/")) == 1


def test_a_record_cannot_be_dated_back_by_the_name_of_its_file(incoming: Incoming) -> None:
    incoming.drop("approval-20260310T090500Z.json", signed_by(LEAD).content())

    (landed,) = incoming.file().landed

    assert landed.extracted_at == NOW


def test_an_unreadable_record_is_set_aside_with_what_is_wrong(incoming: Incoming) -> None:
    content = signed_by(LEAD).content().replace(b"rate-card", b"holiday")

    assert "kind is 'holiday'" in incoming.filed_as("a.json", content)
