"""Ceph's S3 server from Debian's packages: one monitor, manager and storage daemon with its gateway, on loopback.

Everything lies in one folder and is stopped by its process ids. Not here: SeaweedFS, on which most tests run.
"""

import secrets
import shutil
import signal
import socket
import subprocess
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from resources.storage_location import StorageLocation, aws_session
from tests.services.seaweedfs import ACCESS_KEY, SECRET_KEY, use_test_credentials

PROGRAMS = ("ceph", "ceph-authtool", "ceph-mon", "ceph-mgr", "ceph-osd", "monmaptool", "radosgw", "radosgw-admin")
SECONDS_TO_START = 180
USERS: dict[str, tuple[str, ...]] = {
    "mon.": ("mon", "allow *"),
    "client.admin": ("mon", "allow *", "osd", "allow *", "mds", "allow *", "mgr", "allow *"),
    "client.rgw.a": ("mon", "allow *", "osd", "allow *"),
    "mgr.a": ("mon", "allow *", "osd", "allow *", "mds", "allow *", "mgr", "allow *"),
    "osd.0": ("mon", "allow *", "osd", "allow *", "mgr", "allow *"),
}

CONFIGURATION = """\
[global]
fsid = {fsid}
mon initial members = a
mon host = [v2:127.0.0.1:{monitor}]
public addr = 127.0.0.1
cluster addr = 127.0.0.1
ms bind port min = 23000
ms bind port max = 32000
auth cluster required = cephx
auth service required = cephx
auth client required = cephx
osd pool default size = 1
osd pool default min size = 1
osd pool default pg num = 1
osd pool default pgp num = 1
osd pool default pg autoscale mode = off
osd crush chooseleaf type = 0
mon allow pool size one = true
mon data avail crit = 1
mon data avail warn = 1
osd objectstore = bluestore
bluestore block size = 6442450944
bluestore fsck on mount = false
osd memory target = 939524096
run dir = {folder}
admin socket = {folder}/$cluster-$name.$pid.asok
log file = {folder}/$name.log
pid file = {folder}/$name.pid
mon data = {folder}/mon
mgr data = {folder}/mgr
osd data = {folder}/osd
keyring = {folder}/keyring
[client.rgw.a]
rgw frontends = beast endpoint=127.0.0.1:{gateway}
rgw thread pool size = 32
"""


@dataclass(frozen=True)
class Radosgw:
    """A running gateway; credentials are in the environment."""

    endpoint_url: str

    def location_in_new_bucket(self, *, versioned: bool) -> StorageLocation:
        """A lake's place in a bucket of its own, which keeps versions or does not."""
        bucket = f"lake-{secrets.token_hex(4)}"
        client = aws_session().client("s3", endpoint_url=self.endpoint_url)
        client.create_bucket(Bucket=bucket)
        if versioned:
            client.put_bucket_versioning(Bucket=bucket, VersioningConfiguration={"Status": "Enabled"})
        return StorageLocation(f"s3://{bucket}/lake", endpoint_url=self.endpoint_url, allow_http=True)


@pytest.fixture(scope="module")
def radosgw(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Radosgw]:
    """A gateway for the tests of a module."""
    if any(shutil.which(program) is None for program in PROGRAMS):
        pytest.skip("no radosgw: Debian packages ceph-mon, ceph-mgr, ceph-osd, radosgw, ceph-common")
    with pytest.MonkeyPatch.context() as environment, _running(tmp_path_factory.mktemp("ceph")) as port:
        use_test_credentials(environment)
        yield Radosgw(f"http://127.0.0.1:{port}")
    aws_session.cache_clear()


@contextmanager
def _running(folder: Path) -> Iterator[int]:
    cluster = _Cluster(folder, monitor=_free_port(), gateway=_free_port())
    try:
        cluster.start()
        yield cluster.gateway
    finally:
        cluster.stop()


@dataclass
class _Cluster:
    """The daemons of one cluster, in the order in which they were started."""

    folder: Path
    monitor: int
    gateway: int
    daemons: list[subprocess.Popen[bytes]] = field(default_factory=list)

    @property
    def configured(self) -> list[str]:
        """How every program is told which cluster is meant."""
        return ["-c", str(self.folder / "ceph.conf")]

    def start(self) -> None:
        """Make the cluster and start everything; returns when the gateway answers and its user is made."""
        fsid = str(uuid.uuid4())
        for name in ("mon", "mgr", "osd"):
            (self.folder / name).mkdir()
        told = CONFIGURATION.format(fsid=fsid, folder=self.folder, monitor=self.monitor, gateway=self.gateway)
        (self.folder / "ceph.conf").write_text(told)
        self._make_monitor(fsid)
        self._daemon("ceph-mon", "-f", "-i", "a")
        self._until(lambda: self._says("-s") is not None)
        self._daemon("ceph-mgr", "-f", "-i", "a")
        osd = str(uuid.uuid4())
        self._run("ceph", *self.configured, "osd", "new", osd)
        self._run("ceph-osd", *self.configured, "-i", "0", "--mkfs", "--osd-uuid", osd)
        self._daemon("ceph-osd", "-f", "-i", "0")
        self._until(lambda: "1 up" in (self._says("osd", "stat") or ""))
        self._daemon("radosgw", "-f", "-n", "client.rgw.a")
        self._until(self._gateway_answers)
        self._run(
            "radosgw-admin", *self.configured, "user", "create", "--uid=tests", "--display-name=tests",
            f"--access-key={ACCESS_KEY}", f"--secret-key={SECRET_KEY}",
        )  # fmt: skip

    def stop(self) -> None:
        """Stop what was started, last one first; nothing in it is worth a slow goodbye."""
        for daemon in reversed(self.daemons):
            daemon.send_signal(signal.SIGKILL)
            daemon.wait()

    def _make_monitor(self, fsid: str) -> None:
        keyring, monitors = str(self.folder / "keyring"), str(self.folder / "monmap")
        for number, (user, rights) in enumerate(USERS.items()):
            pairs = zip(rights[::2], rights[1::2], strict=True)
            caps = [word for who, what in pairs for word in ("--cap", who, what)]
            create = ["--create-keyring"] if number == 0 else []
            self._run("ceph-authtool", *create, keyring, "--gen-key", "-n", user, *caps)
        address = f"[v2:127.0.0.1:{self.monitor}]"
        self._run("monmaptool", "--create", "--fsid", fsid, "--addv", "a", address, monitors)
        self._run("ceph-mon", *self.configured, "--mkfs", "-i", "a", "--monmap", monitors, "--keyring", keyring)

    def _daemon(self, program: str, *arguments: str) -> None:
        with open(self.folder / f"{program}.out", "wb") as said:
            self.daemons.append(
                subprocess.Popen(
                    [program, *self.configured, *arguments], stdin=subprocess.DEVNULL, stdout=said, stderr=said,
                    start_new_session=True,
                )
            )  # fmt: skip

    def _run(self, *command: str) -> None:
        subprocess.run(command, check=True, capture_output=True, timeout=SECONDS_TO_START)

    def _says(self, *question: str) -> str | None:
        command = ["ceph", *self.configured, "--connect-timeout", "5", *question]
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
        return done.stdout if done.returncode == 0 else None

    def _gateway_answers(self) -> bool:
        with suppress(OSError), socket.create_connection(("127.0.0.1", self.gateway), timeout=1):
            return True
        return False

    def _until(self, holds: Callable[[], bool]) -> None:
        deadline = time.monotonic() + SECONDS_TO_START
        while not holds():
            if time.monotonic() > deadline:
                raise TimeoutError(f"the Ceph cluster in {self.folder} did not start: see its logs")
            time.sleep(0.2)


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])
