"""A SeaweedFS with what the shared one lacks: keys to encrypt with, object lock, and somebody who only reads."""

import os
import secrets
import signal
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from resources.storage_location import StorageLocation, aws_session
from tests.services.seaweedfs import (
    ADMINISTRATOR,
    BUCKET,
    S3Server,
    bucket_made,
    start_server,
    weed_program,
)

READER_KEY, READER_PASS = "readerkey", "readersecret123"
LOCKED_BUCKET = "locked"
READER = {
    "name": "reader",
    "credentials": [{"accessKey": READER_KEY, "secretKey": READER_PASS}],
    "actions": ["Read", "List"],
}
KEYS = {"default_provider": "local", "providers": {"local": {"type": "local", "enableOnDemandCreate": True}}}


@dataclass(frozen=True)
class GuardedServer:
    """A running server with a plain bucket and one with object lock."""

    endpoint_url: str

    def location(self, bucket: str = BUCKET, *, encryption: str = "none", kms_key_id: str | None = None,
                 lock_days: int = 0) -> StorageLocation:  # fmt: skip
        """An empty prefix of a bucket."""
        return StorageLocation(
            f"s3://{bucket}/{secrets.token_hex(6)}",
            endpoint_url=self.endpoint_url,
            allow_http=True,
            encryption=encryption,
            kms_key_id=kms_key_id,
            lock_days=lock_days,
        )


@pytest.fixture(scope="session")
def guarded_server(s3_server: S3Server, tmp_path_factory: pytest.TempPathFactory) -> Iterator[GuardedServer]:
    """The server; credentials of its administrator are in the environment."""
    folder = tmp_path_factory.mktemp("guarded")
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("WEED_S3_SSE_KEY", "what-keys-of-objects-are-wrapped-with")
        started = start_server(folder, weed_program(), access={"identities": [ADMINISTRATOR, READER], "kms": KEYS})
    try:
        endpoint_url = f"http://127.0.0.1:{started['port']}"
        bucket_made(endpoint_url)
        client = aws_session().client("s3", endpoint_url=endpoint_url)
        client.create_bucket(Bucket=LOCKED_BUCKET, ObjectLockEnabledForBucket=True)
        yield GuardedServer(endpoint_url)
    finally:
        os.kill(started["process_id"], signal.SIGKILL)
