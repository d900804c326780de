"""A real PostgreSQL for the tests: the Debian package, a cluster of its own on loopback, stopped by its process id.

The server refuses to run as root: then it runs as the user that the package makes.
"""

import os
import pwd
import secrets
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

SECONDS_TO_START = 60
OWNER = "postgres"


@contextmanager
def postgresql() -> Iterator[str]:
    """The address of an empty database, password in it; the test is skipped where PostgreSQL is not installed."""
    programs = _programs()
    if programs is None:
        pytest.skip("no PostgreSQL: install the Debian package postgresql")
    # Not below pytest's folder, which another user may not enter.
    folder = Path(tempfile.mkdtemp(prefix="chargeback-postgresql-"))
    password = secrets.token_hex(12)
    try:
        _made_by_owner(programs, folder, password)
        port = _free_port()
        with (folder / "log").open("wb") as log:
            server = subprocess.Popen(
                [programs / "postgres", "-D", folder / "stored", "-h", "127.0.0.1", "-p", str(port), "-k", folder,
                 "-c", "fsync=off"],
                cwd=folder, stdin=subprocess.DEVNULL, stdout=log, stderr=log, **_as_owner(),
            )  # fmt: skip
        try:
            _wait_until_ready(programs, port, server, folder / "log")
            yield f"postgresql://{OWNER}:{password}@127.0.0.1:{port}/postgres"
        finally:
            server.terminate()  # SIGTERM waits for sessions, and there are none left of ours
            try:
                server.wait(timeout=10)
            except subprocess.TimeoutExpired:
                server.kill()
                server.wait()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _programs() -> Path | None:
    """The folder of the newest installed version's programs."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/postgres"), key=lambda path: int(path.parts[-3]))
    return found[-1].parent if found else None


def _made_by_owner(programs: Path, folder: Path, password: str) -> None:
    secret = folder / "password"
    secret.write_text(password)
    if os.geteuid() == 0:
        owner = pwd.getpwnam(OWNER)
        for path in (folder, secret):
            os.chown(path, owner.pw_uid, owner.pw_gid)
    subprocess.run(
        [programs / "initdb", "-D", folder / "stored", "-U", OWNER, "-A", "scram-sha-256", f"--pwfile={secret}",
         "--no-sync", "-E", "UTF8", "--no-locale"],
        cwd=folder, check=True, capture_output=True, **_as_owner(),
    )  # fmt: skip


def _as_owner() -> dict[str, Any]:
    """How to start a program as the owner of a cluster: the user of the package where we are root, else ourselves."""
    return {"user": OWNER, "group": OWNER, "extra_groups": []} if os.geteuid() == 0 else {}


def _wait_until_ready(programs: Path, port: int, server: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + SECONDS_TO_START
    asks = [programs / "pg_isready", "-q", "-h", "127.0.0.1", "-p", str(port)]
    while subprocess.run(asks, check=False).returncode != 0:
        if server.poll() is not None or time.monotonic() > deadline:
            raise AssertionError(f"PostgreSQL did not start: {log.read_text()[-2_000:]}")
        time.sleep(0.05)


def _free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])
