"""`chargeback ui` as a process of its own on a free port, and every process that it started. Not here: the browser."""

import json
import os
import signal
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.error import URLError
from urllib.request import Request, urlopen

from tests.small_lake import CHARGEBACK
from tests.ui.browser import until


@dataclass(frozen=True)
class ServedUi:
    """A running UI."""

    process: subprocess.Popen[bytes]
    address: str
    log: Path

    def said(self) -> str:
        """What it has written so far."""
        return self.log.read_text(errors="replace")

    def is_answering(self) -> bool:
        """Whether the web server answers; fails if the program has ended."""
        assert self.process.poll() is None, self.said()
        try:
            with urlopen(f"{self.address}/server_info", timeout=5) as answer:
                return bool(answer.status == 200)
        except (URLError, TimeoutError, ConnectionError):
            return False

    def ask(self, query: str) -> Any:
        """The answer to a GraphQL query."""
        body = json.dumps({"query": query}).encode()
        request = Request(f"{self.address}/graphql", data=body, headers={"Content-Type": "application/json"})
        with urlopen(request, timeout=60) as answer:
            read = json.loads(answer.read())
        assert "errors" not in read, read["errors"]
        return read["data"]

    def end(self, how: signal.Signals) -> tuple[int, set[int]]:
        """Ask it to end; its exit code, and those of its processes that are still there (none, or this fails)."""
        started = {self.process.pid, *_descendants(self.process.pid)}
        self.process.send_signal(how)
        code = self.process.wait(timeout=60)
        until(lambda: not _alive(started), "every process to be gone", self.said)
        return code, _alive(started)


@contextmanager
def started_ui(folder: Path, log: Path) -> Iterator[ServedUi]:
    """Start it on the lake of a folder; whatever is left of it afterwards is killed, by process id."""
    port = _free_port()
    environment = {name: value for name, value in os.environ.items() if name not in ("DAGSTER_HOME", "CHARGEBACK_TOML")}
    with log.open("wb") as written:
        process = subprocess.Popen(
            [str(CHARGEBACK), "ui", "--port", str(port)], cwd=folder, env=environment, stdout=written, stderr=written,
        )  # fmt: skip
    seen: set[int] = set()
    try:
        yield ServedUi(process, f"http://127.0.0.1:{port}", log)
    finally:
        seen = _descendants(process.pid) | ({process.pid} if process.poll() is None else set())
        for each in seen:
            os.kill(each, signal.SIGKILL)
        process.wait()


def _descendants(process_id: int) -> set[int]:
    """Process ids of the children, their children, and so on."""
    parents: dict[int, int] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except (FileNotFoundError, ProcessLookupError):
            continue
        parents[int(stat.parent.name)] = int(fields[1])
    found, last = set(), {process_id}
    while last:
        last = {child for child, parent in parents.items() if parent in last}
        found |= last
    return found


def _alive(process_ids: set[int]) -> set[int]:
    return {each for each in process_ids if _state(each) not in ("", "Z")}


def _state(process_id: int) -> str:
    try:
        return Path(f"/proc/{process_id}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return ""


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
