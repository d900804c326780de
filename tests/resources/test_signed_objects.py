"""keyrings/ and the signed records of approvals/, beside approvals of GPU counts: each is read as what it is."""

from dataclasses import replace
from pathlib import Path

import pytest

from chargeback.signatures.fields import Unreadable
from chargeback.signatures.keyring import KeyringFile
from chargeback.signatures.keyring_chain import KeyringRefused
from chargeback.signatures.record import SignedRecord
from resources.landing import Landing
from resources.local_store import LocalStore
from resources.people_objects import PeopleObjects, faults_of
from tests.chargeback.signatures.people import (
    CONTROLLER,
    KEYRING,
    LANDED_AT,
    LEAD,
    ROOT,
    approved_file,
    next_keyring,
    record_of,
    signed_by,
)

COUNTS = b"- {cluster: slurm-a, run: 4711, gpus: 2, by: A. Person, reason: two}\n"
SECOND = next_keyring(KEYRING)
FIRST_FILE = KeyringFile(KEYRING).content()


@pytest.fixture
def people(tmp_path: Path) -> PeopleObjects:
    """An empty landing with the first keyring pinned."""
    return PeopleObjects(Landing(LocalStore(tmp_path)), ROOT)


def land(people: PeopleObjects, source: str, content: bytes) -> str:
    extension = "yaml" if content == COUNTS else "json"
    return people.landing.land(content, source=source, cluster=None, extracted_at=LANDED_AT, extension=extension).key


def test_approvals_of_gpu_counts_and_signed_records_lie_together_and_are_kept_apart(people: PeopleObjects) -> None:
    counts, record = land(people, "approvals", COUNTS), land(people, "approvals", signed_by(LEAD).content())

    approvals, read = people.gpu_count_approvals("slurm-a")
    records, shas = people.signed.records()

    assert [each.run for each in approvals] == ["4711"]
    assert list(read) == [counts]
    assert [each.signed for each in records] == [signed_by(LEAD)]
    assert (records[0].landed_at, list(shas)) == (LANDED_AT, [record])


def test_a_record_that_lands_leaves_the_days_that_follow_from_gpu_counts_as_they_are(people: PeopleObjects) -> None:
    land(people, "approvals", COUNTS)
    before = people.gpu_count_approvals("slurm-a")

    land(people, "approvals", signed_by(LEAD).content())

    assert people.gpu_count_approvals("slurm-a") == before


def test_an_unreadable_record_is_named(people: PeopleObjects) -> None:
    key = land(people, "approvals", signed_by(LEAD).content().replace(b'"reason"', b'"raeson"'))

    with pytest.raises(Unreadable, match="unknown field 'raeson'") as refused:
        people.signed.records()

    assert key in str(refused.value)


def test_the_keyring_in_force_is_the_last_of_the_chain_that_landed(people: PeopleObjects) -> None:
    keys = {land(people, "keyrings", FIRST_FILE),
            land(people, "keyrings", approved_file(SECOND, LEAD, CONTROLLER).content())}  # fmt: skip

    keyring, read = people.signed.keyring()

    assert keyring == SECOND
    assert set(read) == keys


def test_without_a_pin_no_keyring_is_read(people: PeopleObjects) -> None:
    land(people, "keyrings", FIRST_FILE)

    assert replace(people, trust_root=None).signed.keyring() == (None, {})


def test_an_unreadable_keyring_puts_all_out_of_force(people: PeopleObjects) -> None:
    land(people, "keyrings", FIRST_FILE)
    land(people, "keyrings", FIRST_FILE.replace(b'"version": "1"', b'"version": "one"'))

    keyring, _ = people.signed.keyring()

    assert isinstance(keyring, KeyringRefused)
    assert "version is 'one'" in keyring.reasons[0]


@pytest.mark.parametrize(
    "content, reason",
    [
        (FIRST_FILE, ""),
        (approved_file(SECOND, LEAD).content(), "it needs two current holders"),
        (approved_file(next_keyring(SECOND), LEAD, CONTROLLER).content(), "a version between is missing"),
        (KeyringFile(replace(KEYRING, reason="mine")).content(), "is another first keyring"),
        (approved_file(SECOND, LEAD, CONTROLLER).content(), ""),
    ],
)
def test_a_keyring_lands_only_as_the_next_of_the_chain(people: PeopleObjects, content: bytes, reason: str) -> None:
    land(people, "keyrings", FIRST_FILE)

    told = "; ".join(people.signed.faults_of_keyring(content, name="k.json", at=LANDED_AT))

    assert (reason in told) if reason else (told == "")


def test_a_keyring_lands_only_after_the_first_was_pinned(people: PeopleObjects) -> None:
    unpinned = replace(people, trust_root=None).signed

    (told,) = unpinned.faults_of_keyring(FIRST_FILE, name="k.json", at=LANDED_AT)

    assert "pin the first keyring before it lands" in told


@pytest.mark.parametrize(
    "source, content, reason",
    [
        ("keyrings", FIRST_FILE, ""),
        ("approvals", signed_by(LEAD).content(), ""),
        ("approvals", COUNTS, ""),
        ("approvals", SignedRecord(record_of()).content(), "is a draft that nobody has signed"),
        ("keyrings", signed_by(LEAD).content(), "is a signed record, for approvals, not for keyrings"),
        ("approvals", FIRST_FILE, "is a keyring, for keyrings, not for approvals"),
        ("keyrings", COUNTS, "is no keyring, not for keyrings"),
        ("rate-cards", signed_by(LEAD).content(), "is a signed record, for approvals, not for rate-cards"),
        ("approvals", signed_by(LEAD).content().replace(b"rate-card", b"holiday"), "kind is 'holiday'"),
    ],
)
def test_what_is_signed_lands_where_it_is_read_and_only_if_it_can_be(source: str, content: bytes, reason: str) -> None:
    told = "; ".join(faults_of(source, content, name="f.json"))

    assert (reason in told) if reason else (told == "")
