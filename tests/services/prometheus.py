"""A real Prometheus for the tests, with a history: the Debian package, on loopback, stopped by its process id."""

import shutil
import socket
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
import requests

SECONDS_TO_START = 30

Samples = Mapping[float, object]
"""Seconds since 1970 -> value."""


@dataclass(frozen=True)
class History:
    """One series: metric, labels, and samples as they were scraped."""

    metric: str
    labels: Mapping[str, str]
    samples: Samples

    def lines(self) -> Iterator[str]:
        """OpenMetrics, in order of time."""
        labels = ",".join(f'{name}="{value}"' for name, value in self.labels.items())
        for at in sorted(self.samples):
            yield f"{self.metric}{{{labels}}} {self.samples[at]} {at:.3f}\n"


@contextmanager
def prometheus_with(folder: Path, *histories: History) -> Iterator[str]:
    """The address of a Prometheus that has scraped these histories; the test is skipped where it is not installed."""
    program, tool = shutil.which("prometheus"), shutil.which("promtool")
    if program is None or tool is None:
        pytest.skip("no Prometheus: install the Debian package prometheus")
    stored = folder / "stored"
    stored.mkdir(parents=True)
    text = folder / "history.txt"
    text.write_text(_openmetrics(histories))
    # Without long blocks promtool reads the whole file again for every two hours.
    backfill = [tool, "tsdb", "create-blocks-from", "--max-block-duration=720h", "openmetrics", str(text), str(stored)]
    subprocess.run(backfill, check=True, capture_output=True)
    (folder / "prometheus.yml").write_text("global: {scrape_interval: 1h}\n")
    port = _free_port()
    with open(folder / "log", "wb") as log:
        server = subprocess.Popen(
            [program, f"--config.file={folder / 'prometheus.yml'}", f"--storage.tsdb.path={stored}",
             f"--web.listen-address=127.0.0.1:{port}", "--storage.tsdb.retention.time=100y",
             "--storage.tsdb.allow-overlapping-blocks"],
            cwd=folder, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True,
        )  # fmt: skip
    try:
        _wait_until_ready(f"http://127.0.0.1:{port}", server, folder / "log")
        yield f"http://127.0.0.1:{port}"
    finally:
        server.kill()  # this process only, by its id
        server.wait()


def _openmetrics(histories: tuple[History, ...]) -> str:
    metrics = dict.fromkeys(history.metric for history in histories)
    parts = []
    for metric in metrics:
        parts.append(f"# TYPE {metric} gauge\n")
        parts += [line for history in histories if history.metric == metric for line in history.lines()]
    return "".join([*parts, "# EOF\n"])


def _wait_until_ready(url: str, server: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + SECONDS_TO_START
    while True:
        try:
            if requests.get(f"{url}/-/ready", timeout=5).ok:
                return
        except requests.exceptions.ConnectionError:
            if server.poll() is not None or time.monotonic() > deadline:
                raise AssertionError(f"Prometheus did not start: {log.read_text()[-2_000:]}") from None
        time.sleep(0.05)


def _free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])
