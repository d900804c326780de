"""A proof holds for exactly the place that was probed, and the newest one by the store's clock counts."""

import os
import time
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from resources.delta_probe import CommitFigures
from resources.open_store import store_at
from resources.storage_location import StorageLocation, aws_session
from resources.storage_proof import PROBE_VERSION, StorageProof, newest_proof, record_proof, require_proof
from resources.store_probe import UnsafeStore
from tests.services.seaweedfs import S3Server

SECOND_OF_THE_STORE = 1.1
"""Longer than the second by which a store may date its objects."""

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)
FIGURES = CommitFigures(writers=2, asked=80, told=80, lost=0, doubled=0, gaps=0, conflicts=40, milliseconds=16_000)
NOT_SHOWN = (
    "this store was not shown to keep what it confirms: nothing was written; run: chargeback preflight --storage"
)


def proof(location: StorageLocation, *, at: datetime = NOON, fault: str = "", versioning: str = "off") -> StorageProof:
    return StorageProof.of(location, versioning=versioning, at=at, fault=fault, commits=FIGURES)


def recorded(location: StorageLocation, *proofs: StorageProof) -> None:
    for each in proofs:
        record_proof(store_at(location), each)


@pytest.fixture
def on_s3(s3_server: S3Server) -> StorageLocation:
    return s3_server.fresh_location()


def test_what_is_recorded_is_read_again(location: StorageLocation) -> None:
    kept = proof(location)

    key = record_proof(store_at(location), kept)

    assert newest_proof(store_at(location), location) == kept
    assert key.startswith("settings/storage-proof/20261130T120000.000000Z-")
    assert kept.commits is not None
    assert kept.commits.milliseconds_a_commit == 200


def test_no_proof_no_tables(on_s3: StorageLocation) -> None:
    with pytest.raises(UnsafeStore, match=NOT_SHOWN):
        require_proof(on_s3)


def test_with_a_proof_tables_may_be_written(on_s3: StorageLocation) -> None:
    recorded(on_s3, proof(on_s3))

    require_proof(on_s3)


@pytest.mark.parametrize(
    "elsewhere",
    [
        {"endpoint_url": "https://s3.example.org"},
        {"root": "s3://lake/another"},
        {"root": "s3://another/lake"},
    ],
)
def test_a_proof_of_another_place_does_not_count(on_s3: StorageLocation, elsewhere: dict[str, str]) -> None:
    recorded(on_s3, proof(replace(on_s3, **elsewhere)))  # type: ignore[arg-type]

    with pytest.raises(UnsafeStore, match=NOT_SHOWN):
        require_proof(on_s3)


def test_a_proof_of_another_way_of_probing_does_not_count(on_s3: StorageLocation) -> None:
    recorded(on_s3, replace(proof(on_s3), probe_version=PROBE_VERSION + 1))

    with pytest.raises(UnsafeStore, match=NOT_SHOWN):
        require_proof(on_s3)


def test_a_later_failure_withdraws_trust_and_says_what_failed(on_s3: StorageLocation) -> None:
    recorded(on_s3, proof(on_s3), proof(on_s3, at=NOON + timedelta(days=1), fault="13 commits are lost"))

    with pytest.raises(UnsafeStore, match=r"failed its last probe \(13 commits are lost\): nothing was written; run:"):
        require_proof(on_s3)


def test_a_later_success_restores_it(on_s3: StorageLocation) -> None:
    recorded(on_s3, proof(on_s3, fault="13 commits are lost"))
    time.sleep(SECOND_OF_THE_STORE)
    recorded(on_s3, proof(on_s3, at=NOON + timedelta(days=1)))

    require_proof(on_s3)


@pytest.mark.parametrize("faults", [("13 commits are lost", ""), ("", "13 commits are lost")])
def test_of_two_probes_the_one_recorded_last_counts_though_the_probers_clock_was_set_back(
    on_s3: StorageLocation, faults: tuple[str, str]
) -> None:
    recorded(on_s3, proof(on_s3, fault=faults[0]))
    time.sleep(SECOND_OF_THE_STORE)
    recorded(on_s3, proof(on_s3, at=NOON - timedelta(days=1), fault=faults[1]))

    newest = newest_proof(store_at(on_s3), on_s3)

    assert newest is not None
    assert newest.fault == faults[1]


@pytest.mark.parametrize("faults", [("13 commits are lost", ""), ("", "13 commits are lost")])
def test_of_two_probes_that_the_store_dates_alike_the_one_that_failed_counts(
    tmp_path: Path, faults: tuple[str, str]
) -> None:
    here = StorageLocation(str(tmp_path))
    recorded(here, *(proof(here, at=NOON + timedelta(days=day), fault=fault) for day, fault in enumerate(faults)))
    for file in tmp_path.rglob("*.json"):
        os.utime(file, (NOON.timestamp(), NOON.timestamp()))

    newest = newest_proof(store_at(here), here)

    assert newest is not None
    assert newest.fault == "13 commits are lost"


@pytest.mark.parametrize(
    "content", [b"{", b"[]", b'{"probe_version": 1}', b'{"probe_version": 1, "commits": {"a": 1}}']
)
def test_a_record_that_cannot_be_read_is_one_sentence_and_a_new_probe_overcomes_it(
    on_s3: StorageLocation, content: bytes
) -> None:
    store_at(on_s3).put("settings/storage-proof/20261130T120000.000000Z-0.json", content)

    with pytest.raises(UnsafeStore, match="this record of a probe cannot be read: nothing was written; run:"):
        require_proof(on_s3)

    time.sleep(SECOND_OF_THE_STORE)
    recorded(on_s3, proof(on_s3))
    require_proof(on_s3)


def test_a_bucket_that_keeps_versions_since_it_was_probed_must_be_probed_again(on_s3: StorageLocation) -> None:
    recorded(on_s3, proof(on_s3, versioning="enabled"))

    with pytest.raises(UnsafeStore, match="versioning is off and was enabled when the store was probed"):
        require_proof(on_s3)


def test_where_a_store_does_not_tell_its_versioning_the_proof_holds(on_s3: StorageLocation) -> None:
    recorded(on_s3, proof(on_s3, versioning="unknown"))

    require_proof(on_s3)


def test_no_credential_stands_in_a_proof(on_s3: StorageLocation) -> None:
    key = record_proof(store_at(on_s3), proof(on_s3))

    credentials = aws_session().get_credentials()

    assert credentials is not None
    assert str(credentials.secret_key) not in store_at(on_s3).get(key).decode()
