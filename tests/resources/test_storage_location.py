"""Where a lake lies, and how Delta is told."""

from pathlib import Path

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
