"""Where a lake lies, and how Delta is told."""

import re
from pathlib import Path
from typing import Any

import pytest

from resources.storage_location import StorageLocation, aws_session


def test_a_directory_needs_no_options(tmp_path: Path) -> None:
    location = StorageLocation(str(tmp_path))

    assert location.child("tables", "holds") == f"{tmp_path}/tables/holds"
    assert location.delta_options() == {}


def test_a_bucket_with_or_without_prefix_and_slashes_is_addressed_the_same_way() -> None:
    assert StorageLocation("s3://bucket").child("tables", "holds") == "s3://bucket/tables/holds"
    assert StorageLocation("s3://bucket/").child("tables", "holds") == "s3://bucket/tables/holds"
    assert StorageLocation("s3://bucket/a/b/").child("tables") == "s3://bucket/a/b/tables"


def test_credentials_come_from_the_standard_chain_each_time_and_are_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "an-id")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "a-secret")
    monkeypatch.setenv("AWS_SESSION_TOKEN", "a-token")
    aws_session.cache_clear()
    location = StorageLocation("s3://b", endpoint_url="https://s3.example", region="eu-1", path_style=False)

    options = location.delta_options()
    aws_session.cache_clear()

    assert options == {
        "aws_conditional_put": "etag",
        "aws_region": "eu-1",
        "aws_virtual_hosted_style_request": "true",
        "aws_allow_http": "false",
        "aws_endpoint_url": "https://s3.example",
        "aws_access_key_id": "an-id",
        "aws_secret_access_key": "a-secret",
        "aws_session_token": "a-token",
    }
    assert "a-secret" not in repr(location)


@pytest.mark.parametrize("root", ["", "s3://", "s3:///x", "gs://bucket", "https://host/bucket"])
def test_a_place_that_is_neither_a_directory_nor_a_bucket_is_refused(root: str) -> None:
    with pytest.raises(ValueError, match="storage"):
        StorageLocation(root)


def test_an_endpoint_without_tls_must_be_allowed() -> None:
    with pytest.raises(ValueError, match="has no TLS"):
        StorageLocation("s3://b", endpoint_url="http://10.0.0.1:9000")

    assert StorageLocation("s3://b", endpoint_url="http://10.0.0.1:9000", allow_http=True).allow_http


def test_delta_is_told_how_to_encrypt() -> None:
    location = StorageLocation("s3://b", encryption="aws:kms", kms_key_id="key-1")
    plain = StorageLocation("s3://b")

    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("AWS_ACCESS_KEY_ID", "an-id")
        environment.setenv("AWS_SECRET_ACCESS_KEY", "a-secret")
        aws_session.cache_clear()
        told, not_told = location.delta_options(), plain.delta_options()
    aws_session.cache_clear()

    assert {name: told[name] for name in told.keys() - not_told.keys()} == {
        "aws_server_side_encryption": "aws:kms",
        "aws_sse_kms_key_id": "key-1",
    }


@pytest.mark.parametrize(
    ("root", "given", "said"),
    [
        ("s3://b", {"encryption": "rot13"}, "encryption 'rot13': must be one of none, AES256, aws:kms"),
        ("s3://b", {"encryption": "AES256", "kms_key_id": "k"}, "kms_key_id is given, and encryption is 'AES256'"),
        ("s3://b", {"lock_days": -1}, "lock_days -1: must be 0 or more"),
        ("lake", {"lock_days": 30}, "are a bucket's, not a directory's"),
        ("lake", {"encryption": "AES256"}, "are a bucket's, not a directory's"),
        ("s3://b", {"endpoint_url": "https://" + "me:canary@h"}, "credentials come from the AWS chain only"),
        ("s3://b", {"endpoint_url": "https://h/?X-Amz-Signature=canary"}, "credentials come from the AWS chain only"),
    ],
)
def test_protection_and_endpoints_that_cannot_be_are_refused_without_repeating_secrets(
    root: str, given: dict[str, Any], said: str
) -> None:
    with pytest.raises(ValueError, match=re.escape(said)) as refused:
        StorageLocation(root, **given)

    assert "canary" not in str(refused.value)
