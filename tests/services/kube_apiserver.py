"""A real kube-apiserver on a real etcd, on loopback, without kubelets: tests play the kubelet by patching statuses.

The binary is named by $KUBE_APISERVER or found in PATH, as are `etcd` (Debian package etcd-server) and `openssl`. Both
servers are ended by their process ids.
"""

import json
import os
import shutil
import socket
import ssl
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

SECONDS_TO_START = 120
ADMIN, ROBOT, NOBODY = "admin-token", "robot-token", "nobody-token"
ROBOT_SUBJECT = "system:serviceaccount:chargeback:chargeback-extract"


@dataclass(frozen=True)
class ApiServer:
    """A running API. `token_file` is that of a user: ADMIN may everything, ROBOT what it is given, NOBODY nothing."""

    folder: Path
    server: str
    etcd: str
    ca_file: Path

    def token_file(self, token: str) -> Path:
        """A file with that token."""
        file = self.folder / token
        file.write_text(f"{token}\n", encoding="utf-8")
        return file

    def send(self, method: str, path: str, body: object = None, *, kind: str = "application/json") -> Any:
        """Ask as the administrator; the answer's document. `kind` is the content type, as patches want it."""
        request = urllib.request.Request(
            f"{self.server}{path}", method=method, data=None if body is None else json.dumps(body).encode(),
            headers={"Authorization": f"Bearer {ADMIN}", "Content-Type": kind},
        )  # fmt: skip
        context = ssl.create_default_context(cafile=str(self.ca_file))
        with urllib.request.urlopen(request, context=context, timeout=30) as answer:
            return json.loads(answer.read())

    def compact(self) -> None:
        """Forget all states but the newest, as the API does every five minutes: older continue tokens expire."""
        revision = _etcd(self.etcd, "kv/range", {"key": "AA=="})["header"]["revision"]
        _etcd(self.etcd, "kv/compaction", {"revision": revision, "physical": True})


@pytest.fixture(scope="session")
def apiserver(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ApiServer]:
    """The server; the test is skipped, saying so, where a binary is absent."""
    binary = os.environ.get("KUBE_APISERVER") or shutil.which("kube-apiserver")
    if binary is None or not Path(binary).is_file():
        pytest.skip("no kube-apiserver: set KUBE_APISERVER to the binary (make apiserver-test says where to get one)")
    for needed, package in (("etcd", "etcd-server"), ("openssl", "openssl")):
        if shutil.which(needed) is None:
            pytest.skip(f"no {needed}: install the Debian package {package}")
    folder = tmp_path_factory.mktemp("apiserver")
    with _running(folder, binary) as server:
        yield server


@contextmanager
def _running(folder: Path, binary: str) -> Iterator[ApiServer]:
    etcd_port, peer_port, api_port = _free_ports(3)
    etcd, peer = f"http://127.0.0.1:{etcd_port}", f"http://127.0.0.1:{peer_port}"
    certificates = folder / "pki"
    key = _account_key(certificates)
    tokens = folder / "tokens.csv"
    tokens.write_text(
        f'{ADMIN},admin,admin,"system:masters"\n{ROBOT},{ROBOT_SUBJECT},robot\n{NOBODY},nobody,nobody\n',
        encoding="utf-8",
    )
    commands = {
        "etcd": [
            "etcd", f"--data-dir={folder / 'etcd'}", f"--listen-client-urls={etcd}", f"--advertise-client-urls={etcd}",
            f"--listen-peer-urls={peer}", f"--initial-advertise-peer-urls={peer}",
            f"--initial-cluster=default={peer}", "--unsafe-no-fsync",
        ],
        "apiserver": [
            binary, f"--etcd-servers={etcd}", "--bind-address=127.0.0.1", "--advertise-address=127.0.0.1",
            f"--secure-port={api_port}", f"--cert-dir={certificates}", "--service-cluster-ip-range=10.96.0.0/24",
            f"--token-auth-file={tokens}", "--authorization-mode=RBAC",
            "--service-account-issuer=https://kubernetes.default.svc", f"--service-account-key-file={key}",
            f"--service-account-signing-key-file={key}", "--disable-admission-plugins=ServiceAccount",
            "--enable-priority-and-fairness=false", "--allow-privileged=true", "--endpoint-reconciler-type=none",
        ],
    }  # fmt: skip
    with ExitStack() as servers:
        for name, command in commands.items():
            servers.enter_context(_started(command, folder / f"{name}.log"))
        server = ApiServer(folder, f"https://127.0.0.1:{api_port}", etcd, certificates / "apiserver.crt")
        _wait_until_ready(server)
        yield server


@contextmanager
def _started(command: list[str], log: Path) -> Iterator[None]:
    with log.open("wb") as written:
        running = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=written, stderr=written)
        try:
            yield
        finally:
            running.kill()  # nothing in it is worth a slow goodbye
            running.wait()


def _wait_until_ready(server: ApiServer) -> None:
    deadline = time.monotonic() + SECONDS_TO_START
    while True:
        try:
            server.send("GET", "/api/v1/namespaces/default")
            return
        except (OSError, urllib.error.HTTPError):  # not listening, no certificate yet, or the namespace is not made yet
            if time.monotonic() > deadline:
                raise
            time.sleep(0.2)


def _account_key(folder: Path) -> Path:
    folder.mkdir()
    key = folder / "accounts.key"
    subprocess.run(["openssl", "genrsa", "-out", str(key), "2048"], check=True, capture_output=True)
    return key


def _free_ports(count: int) -> list[int]:
    with ExitStack() as sockets:
        held = [sockets.enter_context(socket.socket()) for _ in range(count)]
        for each in held:
            each.bind(("127.0.0.1", 0))
        return [each.getsockname()[1] for each in held]


def _etcd(address: str, call: str, body: dict[str, Any]) -> Any:
    request = urllib.request.Request(f"{address}/v3/{call}", method="POST", data=json.dumps(body).encode())
    with urllib.request.urlopen(request, timeout=30) as answer:
        return json.loads(answer.read())
