"""A real daemon with its code server: an object that lands becomes a month's charges with evidence, by itself."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from zoneinfo import ZoneInfo

import dagster as dg
import pytest

from assets.materialisation import month_called
from chargeback.contracts.published import PUBLISHED
from chargeback.contracts.team_charges import TEAM_CHARGES
from orchestration.automation import BRING_UP_TO_DATE
from orchestration.instance import open_instance
from orchestration.workspace import open_workspace
from resources.settings import Settings, load_settings
from tests.estates import INPUTS
from tests.small_lake import CHARGEBACK

ZONE = "Europe/Amsterdam"
TOML = f"""\
[lake]
root = "lake"
[billing]
timezone = "{ZONE}"
currency = "EUR"
first_day = {{first_day}}
[clusters.slurm-a]
timezone = "UTC"
[accelerators]
h100 = "h100-sxm5-80gb"
[events]
look_every_seconds = 2
"""
SACCT = """\
JobIDRaw|JobID|Cluster|Account|User|QOS|Partition|State|Start|End|ElapsedRaw|AllocTRES|NodeList
201|201|slurm-a|vision-lab|ada|normal|gpu|COMPLETED|{day}T08:00:00|{day}T10:00:00|7200|gres/gpu:h100=4|gpu01
"""
LONGEST_WAIT_SECONDS = 840


@dataclass(frozen=True)
class Moved:
    """A lake whose first day was yesterday, with the environment in which the daemon and commands run."""

    folder: Path
    day: date

    @property
    def settings(self) -> Settings:
        """Its settings."""
        return load_settings(self.folder / "chargeback.toml")

    @property
    def environment(self) -> dict[str, str]:
        """With its home and settings."""
        return {
            **os.environ,
            "DAGSTER_HOME": str(self.settings.home),
            "CHARGEBACK_TOML": str(self.folder / "chargeback.toml"),
            "PYTHONWARNINGS": "ignore",
            "DAGSTER_GRPC_TIMEOUT_SECONDS": "300",
            "DAGSTER_SENSOR_GRPC_TIMEOUT_SECONDS": "300",
        }

    def land(self, name: str, text: bytes, source: str, *options: str) -> None:
        """`chargeback land`, as people and cron jobs do it."""
        (self.folder / name).write_bytes(text)
        command = [str(CHARGEBACK), "land", name, "--source", source, *options]
        done = subprocess.run(command, cwd=self.folder, env=self.environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr

    def evidence(self) -> list[dict[str, object]]:
        """What the checks of the month's charges recorded."""
        found = (self.folder / "lake" / "evidence" / TEAM_CHARGES.table).rglob("*.json")
        return [json.loads(file.read_text()) for file in found]


@pytest.fixture
def moved(tmp_path: Path) -> Moved:
    """An empty lake. Its first day is yesterday, so that there is next to nothing to bill before."""
    yesterday = datetime.now(ZoneInfo(ZONE)).date() - timedelta(days=1)
    (tmp_path / "chargeback.toml").write_text(TOML.format(first_day=yesterday))
    return Moved(tmp_path, yesterday)


@contextmanager
def running_daemon(moved: Moved) -> Iterator[Callable[[], str]]:
    """The daemon and the code server that it starts, until the test ends; yields what it has written so far."""
    log = moved.folder / "daemon.log"
    with log.open("wb") as written:
        daemon = subprocess.Popen(
            [sys.executable, "-m", "dagster._daemon", "run", "-m", "orchestration.definitions"],
            cwd=moved.folder, env=moved.environment, stdout=written, stderr=written, start_new_session=True,
        )  # fmt: skip
    try:
        yield lambda: log.read_text(errors="replace")
    finally:
        daemon.send_signal(signal.SIGINT)
        with suppress(subprocess.TimeoutExpired):
            daemon.wait(timeout=30)
        for process_id in _of_session(daemon.pid):
            with suppress(ProcessLookupError):
                os.kill(process_id, signal.SIGKILL)
        daemon.wait()


def _of_session(session: int) -> list[int]:
    """Whatever the daemon started and left behind: the session is the daemon's own."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except (FileNotFoundError, ProcessLookupError):
            continue
        if int(fields[3]) == session:
            found.append(int(stat.parent.name))
    return found


def wait_for(holds: Callable[[], object], what: str, said: Callable[[], str]) -> None:
    """Ask again until it holds."""
    deadline = time.monotonic() + LONGEST_WAIT_SECONDS
    while not holds():
        assert time.monotonic() < deadline, f"waited for {what}; the daemon said: {said()[-4000:]}"
        time.sleep(1)


def test_an_object_that_lands_becomes_charges_with_evidence_and_nothing_is_let_out(moved: Moved) -> None:
    month = month_called(f"{moved.day:%Y-%m}", moved.settings)
    open_workspace(moved.settings)
    instance = open_instance(moved.settings)
    lake = open_workspace(moved.settings).lake
    at = ("--extracted-at", datetime.now(UTC).isoformat(timespec="seconds"))
    early = ("--extracted-at", f"{moved.day - timedelta(days=1)}T00:00:00Z")
    with running_daemon(moved) as said:
        wait_for(lambda: _ticks(instance, BRING_UP_TO_DATE), "the first tick", said)
        moved.land("nodes.txt", (INPUTS / "nodes.txt").read_bytes(), "slurm/nodes", "--cluster", "slurm-a", *early)
        moved.land("card.yaml", (INPUTS / "rate-card.yaml").read_bytes(), "rate-cards")
        moved.land("ownership.csv", (INPUTS / "ownership.csv").read_bytes(), "ownership")
        moved.land("jobs.psv", SACCT.format(day=moved.day).encode(), "slurm/sacct", "--cluster", "slurm-a", *at)

        def charged() -> bool:
            return len(lake.scan(TEAM_CHARGES, [month.partition]).frame.collect()) > 0

        wait_for(charged, "charges", said)
        wait_for(moved.evidence, "evidence of the charges", said)

    charges = lake.scan(TEAM_CHARGES, [month.partition]).frame.collect()
    assert charges.select("team", "amount").rows() == [("Vision", Decimal("19.08"))]  # 4 GPUs x 2 h x 2.385 EUR
    assert any(each["passed"] for each in moved.evidence())
    assert lake.state(PUBLISHED, month.partition) is None


def _ticks(instance: dg.DagsterInstance, sensor: str) -> bool:
    return any(
        state.instigator_name == sensor and instance.get_ticks(state.instigator_origin_id, state.selector_id, limit=1)
        for state in instance.all_instigator_state()
    )
