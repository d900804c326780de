"""Encryption and object lock, asked for with every object and enforced by a real server."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from botocore.exceptions import ClientError

from chargeback.contracts.holds import HOLDS
from resources.evidence import EvidenceStore
from resources.lake import Lake
from resources.landing import Landing
from resources.object_store import ObjectConflict
from resources.open_store import store_at
from resources.storage_location import StorageLocation, aws_session
from resources.store_failures import ProtectionRefused
from tests.resources.lakes import day, holds, made_from, read
from tests.resources.test_evidence import PASSED
from tests.services.guarded_seaweedfs import LOCKED_BUCKET, GuardedServer

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

LOCK_DAYS = 3


@pytest.fixture
def client(guarded_server: GuardedServer) -> "S3Client":
    return aws_session().client("s3", endpoint_url=guarded_server.endpoint_url)


@pytest.fixture
def locked(guarded_server: GuardedServer) -> StorageLocation:
    """A lake in a bucket with object lock, whose settings ask for it."""
    return guarded_server.location(LOCKED_BUCKET, lock_days=LOCK_DAYS)


def keys_below(location: StorageLocation, client: "S3Client") -> Iterator[str]:
    for page in client.get_paginator("list_objects_v2").paginate(Bucket=location.bucket, Prefix=location.prefix):
        yield from (each["Key"] for each in page["Contents"])


@pytest.mark.parametrize(
    ("encryption", "key_id"), [("AES256", None), ("aws:kms", "alias/chargeback")], ids=["AES256", "aws:kms"]
)
def test_every_object_of_a_lake_is_stored_as_encrypted_as_the_settings_ask_and_can_be_read(
    guarded_server: GuardedServer, client: "S3Client", encryption: str, key_id: str | None
) -> None:
    location = guarded_server.location(encryption=encryption, kms_key_id=key_id)
    lake, store = Lake(location), store_at(location)

    lake.replace(HOLDS, day(), holds(day()), made_from("a"))
    lake.replace(HOLDS, day(), holds(day(), gpus=4), made_from("b"))
    store.put_new("landing/a", b"an extract")
    store.put("cache/a", b"a cache")

    heads = {key: client.head_object(Bucket=location.bucket, Key=key) for key in keys_below(location, client)}
    assert len(heads) >= 8
    assert {key for key, head in heads.items() if head.get("ServerSideEncryption") != encryption} == set()
    assert {head.get("SSEKMSKeyId") for head in heads.values()} == {key_id}
    assert read(lake, day()).equals(holds(day(), gpus=4))
    assert store.get("landing/a") == b"an extract"


def test_without_the_setting_the_bucket_decides(guarded_server: GuardedServer, client: "S3Client") -> None:
    location = guarded_server.location()

    store_at(location).put_new("landing/a", b"1")

    assert "ServerSideEncryption" not in client.head_object(Bucket="lake", Key=f"{location.prefix}/landing/a")


def test_what_never_changes_can_be_deleted_by_nobody_before_its_time(
    locked: StorageLocation, client: "S3Client"
) -> None:
    store = store_at(locked)
    landing, now = Landing(store), datetime.now(UTC)
    landed = landing.land(b"JobID", source="slurm/sacct", cluster="slurm-a", extracted_at=now, extension="psv").key
    evidence = EvidenceStore(store).record(PASSED)
    store.put_new("published/2026-10/statement.csv", b"1")

    for key in (landed, evidence, "published/2026-10/statement.csv"):
        name = f"{locked.prefix}/{key}"
        (version,) = client.list_object_versions(Bucket=LOCKED_BUCKET, Prefix=name)["Versions"]
        retention = client.get_object_retention(Bucket=LOCKED_BUCKET, Key=name)["Retention"]
        with pytest.raises(ClientError, match="AccessDenied"):
            client.delete_object(Bucket=LOCKED_BUCKET, Key=name, VersionId=version["VersionId"])

        assert retention["Mode"] == "GOVERNANCE"
        assert abs(retention["RetainUntilDate"] - datetime.now(UTC) - timedelta(days=LOCK_DAYS)) < timedelta(hours=1)


def test_a_locked_object_is_overwritten_by_nobody_and_its_version_stays_whatever_is_done(
    locked: StorageLocation, client: "S3Client"
) -> None:
    store, name = store_at(locked), f"{locked.prefix}/landing/a"
    store.put_new("landing/a", b"true")
    (version,) = client.list_object_versions(Bucket=LOCKED_BUCKET, Prefix=name)["Versions"]

    assert not store.put_new("landing/a", b"true")
    with pytest.raises(ObjectConflict):
        store.put_new("landing/a", b"false")
    client.put_object(Bucket=LOCKED_BUCKET, Key=name, Body=b"by another tool")
    client.delete_object(Bucket=LOCKED_BUCKET, Key=name)

    kept = client.get_object(Bucket=LOCKED_BUCKET, Key=name, VersionId=version["VersionId"])["Body"].read()
    assert kept == b"true"


def test_caches_and_tables_are_not_locked_and_go_on_changing(locked: StorageLocation, client: "S3Client") -> None:
    store, lake = store_at(locked), Lake(locked)

    store.put("cache/a", b"1")
    store.put("cache/a", b"2")
    lake.replace(HOLDS, day(), holds(day()), made_from("a"))
    lake.replace(HOLDS, day(), holds(day(), gpus=4), made_from("b"))

    heads = [client.head_object(Bucket=LOCKED_BUCKET, Key=key) for key in keys_below(locked, client)]
    assert [head for head in heads if "ObjectLockMode" in head] == []
    assert store.get("cache/a") == b"2"
    assert read(lake, day()).equals(holds(day(), gpus=4))


def test_a_bucket_made_without_object_lock_refuses_the_first_object_with_what_to_do(
    guarded_server: GuardedServer,
) -> None:
    store = store_at(guarded_server.location(lock_days=LOCK_DAYS))

    with pytest.raises(ProtectionRefused, match=r"cannot encrypt or lock .*lock_days ask \(InvalidRequest\); allow it"):
        store.put_new("landing/a", b"1")

    assert not store.exists("landing/a")


def test_an_object_that_was_damaged_on_its_way_is_not_stored(guarded_server: GuardedServer, client: "S3Client") -> None:
    of_other_bytes = "XUFAKrxLKna5cZ2REBfFkg=="

    with pytest.raises(ClientError, match=r"BadDigest|InvalidDigest"):
        client.put_object(Bucket="lake", Key="damaged", Body=b"damaged", ContentMD5=of_other_bytes)
