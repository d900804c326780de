"""infra/store-access held against a real S3 server that enforces it: each role does its work and nothing beside it."""

import json
import os
import re
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from subprocess import CompletedProcess
from typing import TYPE_CHECKING

import pytest
from botocore.exceptions import ClientError

from resources.storage_location import StorageLocation, aws_session
from tests.architecture.source_tree import ROOT
from tests.services.seaweedfs import (
    ACCESS_KEY,
    ADMINISTRATOR,
    BUCKET,
    SECRET_KEY,
    bucket_made,
    start_server,
    weed_program,
)
from tests.small_lake import SmallLake, small_lake

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

POLICIES = ROOT / "infra" / "store-access"
ROLES = ("writer", "extractor", "finance-reader", "auditor")
PREFIX = "prod/gpu"
LINE_ID = re.compile(r"GPU-2026-03-[a-z]+-[0-9a-f]{8}")


@dataclass(frozen=True)
class Estate:
    """A lake that its writer has billed on a server that knows four roles."""

    endpoint_url: str
    lake: SmallLake
    landed: list[CompletedProcess[str]]
    billed: CompletedProcess[str]


def policy(role: str) -> str:
    """A role's policy for this bucket and prefix, as the README says to make it."""
    text = (POLICIES / f"{role}.json").read_text()
    return text.replace("BUCKET", BUCKET).replace("PREFIX", PREFIX)


def secret_of(role: str) -> str:
    """Made up for the test server."""
    return f"{role}-may-sign-with-this"


@contextmanager
def acting_as(role: str) -> Iterator[None]:
    """Sign with a role's credentials, here and in processes that are started."""
    with pytest.MonkeyPatch.context() as environment:
        for name in ("AWS_PROFILE", "AWS_SESSION_TOKEN", "AWS_REGION", "AWS_ENDPOINT_URL"):
            environment.delenv(name, raising=False)
        is_administrator = role == "administrator"
        environment.setenv("AWS_ACCESS_KEY_ID", ACCESS_KEY if is_administrator else role)
        environment.setenv("AWS_SECRET_ACCESS_KEY", SECRET_KEY if is_administrator else secret_of(role))
        environment.setenv("AWS_DEFAULT_REGION", "us-east-1")
        environment.setenv("AWS_CONFIG_FILE", os.devnull)
        environment.setenv("AWS_SHARED_CREDENTIALS_FILE", os.devnull)
        aws_session.cache_clear()
        try:
            yield
        finally:
            aws_session.cache_clear()


@pytest.fixture(scope="module")
def estate(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Estate]:
    """The writer begins the lake, the extractor lands, the writer bills."""
    access = {
        "identities": [
            ADMINISTRATOR,
            *(
                {
                    "name": role,
                    "credentials": [{"accessKey": role, "secretKey": secret_of(role)}],
                    "policyNames": [role],
                }
                for role in ROLES
            ),
        ],
        "policies": [{"name": role, "content": policy(role)} for role in ROLES],
    }
    server = start_server(tmp_path_factory.mktemp("store"), weed_program(), access=access)
    endpoint_url = f"http://127.0.0.1:{server['port']}"
    try:
        with acting_as("administrator"):
            bucket_made(endpoint_url)
            administrator = client(endpoint_url)
            administrator.put_object(Bucket=BUCKET, Key="other-lake/landing/theirs", Body=b"theirs")
        location = StorageLocation(f"s3://{BUCKET}/{PREFIX}", endpoint_url=endpoint_url, allow_http=True)
        lake = small_lake(tmp_path_factory.mktemp("lake"), location)
        with acting_as("writer"):
            proven = lake.run("preflight", "--storage", "--commits", "20")
        with acting_as("extractor"):
            landed = lake.land()
        with acting_as("writer"):
            yield Estate(endpoint_url, lake, [proven, *landed], lake.bill())
    finally:
        os.kill(server["process_id"], signal.SIGKILL)


def client(endpoint_url: str) -> "S3Client":
    """A client that signs as whoever acts now."""
    return aws_session().client("s3", endpoint_url=endpoint_url)


def keys_of(estate: Estate, prefix: str) -> list[str]:
    """What stands below a prefix of the lake, as the administrator sees it."""
    with acting_as("administrator"):
        pages = client(estate.endpoint_url).get_paginator("list_objects_v2").paginate(
            Bucket=BUCKET, Prefix=f"{PREFIX}/{prefix}"
        )  # fmt: skip
        return [each["Key"] for page in pages for each in page.get("Contents", [])]


def refused(estate: Estate, role: str, action: str, key: str, **more: object) -> bool:
    """Whether the server denies a role an action on an object."""
    with acting_as(role):
        try:
            getattr(client(estate.endpoint_url), action)(Bucket=BUCKET, **{"Key": key, **more})
        except ClientError as failure:
            return failure.response["Error"]["Code"] in ("AccessDenied", "403")
        return False


def may_list(estate: Estate, role: str, prefix: str) -> bool:
    """Whether the server lists a prefix for a role."""
    with acting_as(role):
        try:
            client(estate.endpoint_url).list_objects_v2(Bucket=BUCKET, Prefix=prefix)
        except ClientError:
            return False
        return True


def test_the_extractor_lands_and_the_writer_bills_with_no_more_than_their_policies_permit(estate: Estate) -> None:
    assert [done.returncode for done in estate.landed] == [0] * 6, [done.stderr for done in estate.landed]
    assert estate.billed.returncode == 0, estate.billed.stdout + estate.billed.stderr
    assert "gate           passed" in estate.billed.stdout


@pytest.mark.parametrize("place", ["tables/", "evidence/", "published/"])
def test_an_extractor_reads_and_writes_nothing_of_what_was_made_of_its_extracts(estate: Estate, place: str) -> None:
    key = keys_of(estate, place)[0]

    assert refused(estate, "extractor", "get_object", key)
    assert refused(estate, "extractor", "put_object", f"{PREFIX}/{place}forged", Body=b"forged")
    assert not may_list(estate, "extractor", f"{PREFIX}/{place}")


@pytest.mark.parametrize("role", ["writer", "extractor", "finance-reader", "auditor"])
@pytest.mark.parametrize("place", ["landing/", "tables/", "evidence/", "published/"])
def test_nobody_removes_what_the_record_consists_of(estate: Estate, role: str, place: str) -> None:
    key = keys_of(estate, place)[0]

    assert refused(estate, role, "delete_object", key)
    assert key in keys_of(estate, place)


def test_a_finance_reader_opens_every_published_document_and_sees_no_job_of_anybody(estate: Estate) -> None:
    published = keys_of(estate, "published/")

    with acting_as("finance-reader"):
        pages = [client(estate.endpoint_url).get_object(Bucket=BUCKET, Key=key)["Body"].read() for key in published]
    assert len(pages) == len(published) > 5
    assert any(b"Vision" in page for page in pages)
    assert may_list(estate, "finance-reader", f"{PREFIX}/published/")
    for place in ("landing/", "tables/raw_sacct/", "evidence/"):
        assert refused(estate, "finance-reader", "get_object", keys_of(estate, place)[0])
        assert not may_list(estate, "finance-reader", f"{PREFIX}/{place}")
    assert refused(estate, "finance-reader", "put_object", published[0], Body=b"0.00")


def test_an_auditor_goes_from_a_line_to_its_raw_records_and_can_change_nothing(estate: Estate) -> None:
    with acting_as("auditor"):
        stated = estate.lake.run("statement", "Vision", "2026-03", "--format", "json")
        line = LINE_ID.search(stated.stdout)
        assert line, stated.stderr
        explained = estate.lake.run("explain", line[0])

    assert explained.returncode == 0, explained.stderr
    assert "landing/slurm/sacct" in explained.stdout
    for place in ("landing/", "tables/", "evidence/", "published/", "settings/"):
        assert refused(estate, "auditor", "put_object", f"{PREFIX}/{place}forged", Body=b"forged")


@pytest.mark.parametrize("role", ROLES)
def test_no_role_reaches_another_lake_of_the_same_bucket(estate: Estate, role: str) -> None:
    assert refused(estate, role, "get_object", "other-lake/landing/theirs")
    assert refused(estate, role, "put_object", "other-lake/landing/ours", Body=b"ours")
    assert not may_list(estate, role, "other-lake/")
    assert not may_list(estate, role, "")


def test_an_extractor_that_has_lost_its_key_cannot_bill(estate: Estate) -> None:
    with acting_as("extractor"):
        billed = estate.lake.run("bill", "2026-03", "--workers", "1", "--again")

    assert billed.returncode in (2, 3)
    assert "Traceback" not in billed.stdout + billed.stderr


@pytest.mark.parametrize("file", sorted(POLICIES.glob("*.json")), ids=lambda file: file.name)
def test_every_file_is_one_document_that_names_the_bucket_and_no_account(file: Path) -> None:
    text = file.read_text()

    assert json.loads(text)
    assert not re.search(r"\b\d{12}\b", text)
    assert '"Resource": "*"' not in text
