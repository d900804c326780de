"""Estates for tests: a folder with a chargeback.toml and a lake, what landed in it, and a bill in this very process.

A month that begins on its second last day has two days to bill, and is a whole month all the same. An estate is made
once for all workers of a test session and copied by whoever changes it (`prepared`, `Estate.copied_to`).
"""

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from chargeback.contracts.contract import Contract
from chargeback.contracts.registry import CONTRACTS
from orchestration.bill import BillOutcome, bill_month
from orchestration.workers import load_here
from orchestration.workspace import Workspace, open_workspace
from resources.lake_records import PartitionState
from resources.settings import Settings, load_settings

ROOT = Path(__file__).parents[1]
INPUTS = Path(__file__).parent / "golden" / "worked_month_inputs"
MONTH = "2026-03"
EXTRACTED_AT = datetime(2026, 4, 2, 2, tzinfo=UTC)
LATER = datetime(2026, 4, 3, 2, tzinfo=UTC)

TOML = """\
[lake]
root = "lake"

[billing]
timezone = "Europe/Amsterdam"
currency = "EUR"
first_day = {first_day}
contact = "gpu-billing@example.org"

[clusters.slurm-a]
timezone = "UTC"
tiers = {{scavenger = "preemptible"}}

[accelerators]
h100 = "h100-sxm5-80gb"
a100 = "a100-sxm4-80gb"
"""

SACCT_HEADER = (INPUTS / "sacct.psv").read_text().partition("\n")[0]


def sacct(*records: str) -> bytes:
    """sacct text with the worked month's header."""
    return "\n".join([SACCT_HEADER, *records, ""]).encode()


def job(
    number: int, start: str, end: str, *, tres: str = "gres/gpu:h100=1,gres/gpu=1,node=1", account: str = "vision-lab",
    state: str = "COMPLETED", host: str = "gpu01", elapsed: int | None = None,
) -> str:  # fmt: skip
    """One sacct record; instants as 2026-03-31T08:00:00, in UTC."""
    seconds = int((datetime.fromisoformat(end) - datetime.fromisoformat(start)).total_seconds())
    return (
        f"{number}|{number}|slurm-a|{account}|u1|normal|gpu|{state}|{start}|{start}|{end}|"
        f"{seconds if elapsed is None else elapsed}|00:00:00|{tres}|{host}|job{number}"
    )


BUSY = job(1, "2026-03-30T08:00:00", "2026-03-30T18:00:00")
OVERNIGHT = job(2, "2026-03-30T20:00:00", "2026-03-31T04:00:00", account="nlp-lab")
LAST_DAY = job(3, "2026-03-31T08:00:00", "2026-03-31T10:00:01", account="shared-lab")


class _InThisProcess(Executor):
    """Runs what is submitted at once, here."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        done: Future[Any] = Future()
        done.set_result(fn(*args, **kwargs))
        return done


@contextmanager
def in_this_process(settings_file: Path | None, count: int) -> Iterator[Executor]:
    """A pool of no processes: what a worker does, without starting one."""
    home = os.environ.get("DAGSTER_HOME")
    try:
        load_here(load_settings(settings_file))
        yield _InThisProcess()
    finally:
        os.environ.pop("DAGSTER_HOME", None)
        if home is not None:
            os.environ["DAGSTER_HOME"] = home


class NoProgress:
    """Progress that nobody looks at."""

    def begin(self, what: str, total: int) -> None:
        """A stage begins."""

    def step(self, what: str) -> None:
        """A step ended."""


@dataclass(frozen=True)
class Estate:
    """A folder with chargeback.toml and the lake that it speaks of."""

    folder: Path

    @classmethod
    def begun_in(cls, folder: Path, *, first_day: str = "2026-03-30", people: bool = True) -> "Estate":
        """A new estate with nodes landed, and card and ownership unless `people` is false."""
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "chargeback.toml").write_text(TOML.format(first_day=first_day))
        estate = cls(folder)
        estate.land("slurm/nodes", (INPUTS / "nodes.txt").read_bytes(), extension="txt")
        if people:
            estate.land("ownership", (INPUTS / "ownership.csv").read_bytes(), extension="csv")
            estate.land("rate-cards", (INPUTS / "rate-card.yaml").read_bytes(), extension="yaml")
        return estate

    def copied_to(self, folder: Path) -> "Estate":
        """The same estate in another folder, to be changed."""
        shutil.copytree(self.folder, folder)
        return Estate(folder)

    @property
    def config(self) -> Path:
        """Its chargeback.toml."""
        return self.folder / "chargeback.toml"

    @property
    def settings(self) -> Settings:
        """Its settings."""
        return load_settings(self.config)

    @property
    def workspace(self) -> Workspace:
        """Its adapters, opened anew."""
        return open_workspace(self.settings)

    def trust(self, root: str, *keyrings: bytes, at: datetime = EXTRACTED_AT) -> None:
        """Pin a first keyring by its fingerprint, and land keyrings."""
        with self.config.open("a") as file:
            file.write(f'\n[signing]\ntrust_root = "{root}"\n')
        for keyring in keyrings:
            self.land("keyrings", keyring, at=at, extension="json")

    def land(self, source: str, content: bytes, *, at: datetime = EXTRACTED_AT, extension: str = "psv") -> str:
        """Land bytes; the key."""
        cluster = "slurm-a" if source.startswith("slurm/") else None
        landing = self.workspace.landing
        return landing.land(content, source=source, cluster=cluster, extracted_at=at, extension=extension).key

    def bill(self, month: str = MONTH, *, again: bool = False) -> BillOutcome:
        """What `chargeback bill` does, in this process."""
        return bill_month(
            month, workspace=self.workspace, settings_file=self.config, progress=NoProgress(), now=LATER, again=again,
            pool_of=in_this_process,
        )  # fmt: skip

    def command(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """The real command in a process of its own, in this folder."""
        return subprocess.run(command_line(*arguments), cwd=self.folder, capture_output=True, text=True, check=False)

    def states(self) -> dict[str, PartitionState]:
        """`table|partition` -> what stands there, over the month."""
        return {
            f"{contract.table}|{key}": state
            for contract in CONTRACTS
            for key, state in self.states_of(contract).items()
        }

    def states_of(self, contract: Contract) -> dict[str, PartitionState]:
        """Partition key -> what stands there of one table."""
        from assets.materialisation import month_called

        month = month_called(MONTH, self.settings)
        partitions = month.days_of(contract) if contract.partitioned_by == ("cluster", "day") else (month.partition,)
        return self.workspace.lake.states(contract, partitions)

    def contents(self) -> dict[str, str]:
        """`table|partition` -> content hash, over the month."""
        return {key: state.content_hash for key, state in self.states().items()}

    def published(self) -> dict[str, str]:
        """Every object below published/ -> sha256."""
        return {key: sha for key, sha in self.tree().items() if key.startswith("published/")}

    def tree(self) -> dict[str, str]:
        """Every file of the lake -> sha256 of its bytes."""
        lake = self.folder / "lake"
        return {
            path.relative_to(lake).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
            for path in sorted(lake.rglob("*"))
            if path.is_file()
        }


def command_line(*arguments: str) -> list[str]:
    """`chargeback ...` of this environment."""
    return [sys.executable, "-c", "from orchestration.cli import main; main()", *arguments]


def prepared(tmp_path_factory: pytest.TempPathFactory, name: str, make: Callable[[Path], None]) -> Estate:
    """An estate that the first worker who asks makes, for all workers of the session. It is not to be changed."""
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if os.environ.get("PYTEST_XDIST_WORKER") else base) / f"prepared-{name}"
    with folder.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.exists():
            half_made = folder.with_suffix(".half-made")
            shutil.rmtree(half_made, ignore_errors=True)
            make(half_made)
            half_made.rename(folder)
    return Estate(folder)


def two_days_billed(folder: Path) -> None:
    """Two days of three small jobs, billed and published."""
    estate = Estate.begun_in(folder)
    estate.land("slurm/sacct", sacct(BUSY, OVERNIGHT, LAST_DAY))
    outcome = estate.bill()
    assert outcome.failures == ()
    assert outcome.refused == ()
