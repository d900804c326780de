"""An SQS over HTTP for the tests, and an S3 that notifies it: moto's server, on loopback, stopped by its process id.

It keeps everything in memory and checks no credentials; what is in the environment serves.
"""

import json
import os
import secrets
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import boto3
import pytest
import requests
from botocore.config import Config

from resources.bucket import UNKNOWN
from resources.lake_binding import BINDING_KEY
from resources.open_store import store_at
from resources.operation_settings import Events
from resources.storage_location import StorageLocation, aws_session
from resources.storage_proof import StorageProof, record_proof

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client
    from mypy_boto3_sqs import SQSClient

REGION = "us-east-1"
SECONDS_TO_START = 60


@dataclass(frozen=True)
class Queue:
    """One queue of the server."""

    url: str
    client: "SQSClient"

    @property
    def events(self) -> Events:
        """[events] that read this queue."""
        endpoint = self.client.meta.endpoint_url
        return Events(queue_url=self.url, queue_endpoint_url=endpoint, queue_region=REGION, look_every_seconds=30)

    def send(self, *bodies: object) -> None:
        """Put messages into it: texts as they are, anything else as JSON."""
        texts = [body if isinstance(body, str) else json.dumps(body) for body in bodies]
        for start in range(0, len(texts), 10):
            entries = [{"Id": str(n), "MessageBody": text} for n, text in enumerate(texts[start : start + 10])]
            self.client.send_message_batch(QueueUrl=self.url, Entries=entries)  # type: ignore[arg-type]

    def counted(self) -> tuple[int, int]:
        """Messages that wait, and those in somebody's hands."""
        names = ("ApproximateNumberOfMessages", "ApproximateNumberOfMessagesNotVisible")
        told = self.client.get_queue_attributes(QueueUrl=self.url, AttributeNames=list(names))["Attributes"]  # type: ignore[arg-type]
        return int(told[names[0]]), int(told[names[1]])


@dataclass(frozen=True)
class SqsServer:
    """A running server."""

    endpoint_url: str

    @cached_property
    def sqs(self) -> "SQSClient":
        """A client of its queues."""
        return boto3.client(
            "sqs", endpoint_url=self.endpoint_url, region_name=REGION, aws_access_key_id="any",
            aws_secret_access_key="any", config=Config(read_timeout=60),
        )  # fmt: skip

    @cached_property
    def s3(self) -> "S3Client":
        """A client of its buckets."""
        return boto3.client(
            "s3", endpoint_url=self.endpoint_url, region_name=REGION, aws_access_key_id="any",
            aws_secret_access_key="any", config=Config(read_timeout=60),
        )  # fmt: skip

    def fresh_queue(self) -> Queue:
        """An empty queue."""
        made = self.sqs.create_queue(QueueName=f"arrivals-{secrets.token_hex(4)}")
        return Queue(made["QueueUrl"], self.sqs)

    def notifying_location(self, queue: Queue) -> StorageLocation:
        """An empty lake in a bucket of its own that tells the queue of every object of landing/ and incoming/."""
        bucket = f"lake-{secrets.token_hex(4)}"
        self.s3.create_bucket(Bucket=bucket)
        told = self.sqs.get_queue_attributes(QueueUrl=queue.url, AttributeNames=["QueueArn"])
        self.s3.put_bucket_notification_configuration(
            Bucket=bucket,
            NotificationConfiguration={
                "QueueConfigurations": [
                    {
                        "QueueArn": told["Attributes"]["QueueArn"],
                        "Events": ["s3:ObjectCreated:*"],
                        "Filter": {"Key": {"FilterRules": [{"Name": "prefix", "Value": f"prod/{folder}/"}]}},
                    }
                    for folder in ("landing", "incoming")
                ]
            },
        )
        location = StorageLocation(f"s3://{bucket}/prod", endpoint_url=self.endpoint_url, allow_http=True)
        # Its S3 is not what is tested, and lets two writers of one object win: the lake is begun without asking it.
        proof = StorageProof.of(location, versioning=UNKNOWN, at=datetime.now(UTC), fault="", commits=None)
        record_proof(store_at(location), proof)
        bound = {"currency": "EUR", "timezone": "Europe/Amsterdam"}
        store_at(location).put_new(BINDING_KEY, json.dumps(bound).encode())
        return location


@pytest.fixture(scope="session")
def sqs_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SqsServer]:
    """The server of this worker."""
    folder = tmp_path_factory.mktemp("sqs")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    program = Path(sys.executable).parent / "moto_server"
    with open(folder / "log", "wb") as log:
        server = subprocess.Popen(
            [program, "-H", "127.0.0.1", "-p", str(port)], cwd=folder, stdin=subprocess.DEVNULL, stdout=log, stderr=log
        )
    try:
        _wait_until_ready(f"http://127.0.0.1:{port}", server, folder / "log")
        yield SqsServer(f"http://127.0.0.1:{port}")
    finally:
        server.kill()
        server.wait()


@pytest.fixture
def any_credentials(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Credentials in the environment, as the standard chain finds them; this server takes any."""
    for name in ("AWS_PROFILE", "AWS_SESSION_TOKEN", "AWS_REGION", "AWS_ENDPOINT_URL"):
        monkeypatch.delenv(name, raising=False)
    for name, value in {"AWS_ACCESS_KEY_ID": "any", "AWS_SECRET_ACCESS_KEY": "any", "AWS_DEFAULT_REGION": REGION,
                        "AWS_CONFIG_FILE": os.devnull, "AWS_SHARED_CREDENTIALS_FILE": os.devnull}.items():  # fmt: skip
        monkeypatch.setenv(name, value)
    aws_session.cache_clear()
    yield
    aws_session.cache_clear()


def _wait_until_ready(address: str, server: "subprocess.Popen[bytes]", log: Path) -> None:
    deadline = time.monotonic() + SECONDS_TO_START
    while True:
        try:
            if requests.get(f"{address}/moto-api/", timeout=5).ok:
                return
        except requests.ConnectionError:
            pass
        if server.poll() is not None or time.monotonic() > deadline:
            pytest.fail(f"moto's server did not start: {log.read_text(errors='replace')[-500:]}")
        time.sleep(0.1)
