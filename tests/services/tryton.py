"""A real Tryton on a real PostgreSQL: a program in an environment of its own, on loopback, ended by its process id."""

import os
import secrets
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.estates import ROOT
from tests.services.postgresql import postgresql

ENVIRONMENT = ROOT / ".venv-tryton"
HERE = ROOT / "tests" / "tryton"
SECONDS_TO_START = 60


@dataclass(frozen=True)
class TrytonServer:
    """Where it is, and who may come in."""

    url: str
    user: str
    password: str


@contextmanager
def tryton() -> Iterator[TrytonServer]:
    """A server with a company, a chart of accounts and the year 2026."""
    _install()
    folder = Path(tempfile.mkdtemp(prefix="chargeback-tryton-"))
    known = secrets.token_hex(12)
    try:
        with postgresql() as address:
            base, _, name = address.rpartition("/")
            port = _free_port()
            config = folder / "trytond.conf"
            config.write_text(
                f"[web]\nlisten = 127.0.0.1:{port}\n[database]\nuri = {base}/\n[session]\nauthentications = password\n"
            )
            (folder / "word").write_text(known)
            _made(config, name, folder / "word")
            _run("python", HERE / "set_up.py", config, f"{base}/{name}")
            with (folder / "log").open("wb") as log:
                server = subprocess.Popen(
                    [ENVIRONMENT / "bin" / "trytond", "-c", config, "-d", name], cwd=folder, stdin=subprocess.DEVNULL,
                    stdout=log, stderr=log,
                )  # fmt: skip
            try:
                _wait_until_ready(port, server, folder / "log")
                yield TrytonServer(f"http://127.0.0.1:{port}/{name}", "admin", known)
            finally:
                server.terminate()
                try:
                    server.wait(timeout=10)
                except subprocess.TimeoutExpired:
                    server.kill()
                    server.wait()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _install() -> None:
    """Its environment, made once from its lock file."""
    stamp = ENVIRONMENT / ".installed"
    lock = HERE / "requirements.lock"
    if stamp.exists() and stamp.stat().st_mtime >= lock.stat().st_mtime:
        return
    uv = Path(sys.executable).parent / "uv"
    subprocess.run([uv, "venv", "--quiet", "--clear", "--python", sys.executable, ENVIRONMENT], check=True)
    subprocess.run(
        [uv, "pip", "install", "--quiet", "--python", ENVIRONMENT / "bin" / "python", "--require-hashes", "-r", lock],
        check=True,
    )
    stamp.touch()


def _made(config: Path, name: str, word: Path) -> None:
    asked = ("trytond-admin", "-c", config, "-d", name)
    _run(*asked, "--all", "--email", "admin@example.org", word=word)
    _run(*asked, "-u", "account", "--activate-dependencies", word=word)


def _run(program: str, *arguments: object, word: Path | None = None) -> None:
    environment = {**os.environ, **({"TRYTONPASSFILE": str(word)} if word else {})}
    done = subprocess.run(
        [ENVIRONMENT / "bin" / program, *map(str, arguments)], env=environment, check=False, capture_output=True,
        text=True,
    )  # fmt: skip
    assert done.returncode == 0, f"{program}: {done.stdout[-1500:]} {done.stderr[-1500:]}"


def _wait_until_ready(port: int, server: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + SECONDS_TO_START
    while True:
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=1).close()
        except urllib.error.HTTPError:
            return
        except OSError:
            if server.poll() is not None or time.monotonic() > deadline:
                raise AssertionError(f"Tryton did not start: {log.read_text()[-2_000:]}") from None
            time.sleep(0.1)
        else:
            return


def _free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])
