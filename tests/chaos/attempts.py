"""What a process of the storm does from its first instruction on, if nobody kills it: land, compute, bill.

Each is what the commands do, through the same functions. Every process leads a group of its own, so that it can be
killed with its workers. Not here: killing (killing.py).
"""

import logging
import os
import threading
import warnings
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing import get_context, parent_process
from multiprocessing.connection import Connection
from pathlib import Path

from chargeback.contracts.partition import Partition
from chargeback.simulation.made import Made
from orchestration.bill import bill_month
from orchestration.jobs import DAY_JOB, MONTH_JOB
from orchestration.workers import load_here, run_partition
from orchestration.workspace import open_workspace
from resources.settings import load_settings
from tests.chaos.small_month import MONTH, NOW
from tests.estates import NoProgress

WORKERS = 2


@dataclass(frozen=True)
class Outcome:
    """How an attempt ended that came to its end: reasons why it is not done, none if it is."""

    reasons: tuple[str, ...] = ()


Attempt = Callable[[Path], Outcome]


@dataclass(frozen=True)
class Landing:
    """Land objects, those that landed before too."""

    objects: tuple[Made, ...]

    def __call__(self, config: Path) -> Outcome:
        """Land them in order."""
        landing = open_workspace(load_settings(config)).landing
        for made in self.objects:
            landing.land(
                made.content, source=made.source, cluster=made.cluster, extracted_at=made.extracted_at,
                extension=made.extension,
            )  # fmt: skip
        return Outcome()


@dataclass(frozen=True)
class RunDay:
    """One day of one cluster as a worker computes it, in this very process."""

    cluster: str
    day: str

    def __call__(self, config: Path) -> Outcome:
        """From landing to attribution."""
        return _run(config, DAY_JOB, Partition.of_day(self.cluster, self.day).key)


@dataclass(frozen=True)
class RunMonth:
    """The month as a worker computes it, in this very process."""

    def __call__(self, config: Path) -> Outcome:
        """From rated usage to postings."""
        return _run(config, MONTH_JOB, MONTH)


@dataclass(frozen=True)
class BillMonth:
    """Bill the month over worker processes."""

    def __call__(self, config: Path) -> Outcome:
        """From landing to the journal."""
        outcome = bill_month(
            MONTH, workspace=open_workspace(load_settings(config)), settings_file=config, progress=NoProgress(),
            now=NOW, workers=WORKERS, pool_of=_workers_in_this_group,
        )  # fmt: skip
        return Outcome((*outcome.refused, *outcome.failures))


def _run(config: Path, job: str, partition: str) -> Outcome:
    load_here(load_settings(config))
    ran = run_partition(job, partition)
    return Outcome(() if ran.succeeded else (*ran.faults, *ran.refusals, *ran.failed_checks))


def run(attempt: Attempt, config: Path, said: Path, told: Connection) -> None:
    """The whole life of a process: lead a group, do it, tell how it ended. What else it has to say goes to a file."""
    os.setpgid(0, 0)
    os.dup2(os.open(said, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), 2)
    _quiet()
    told.send(attempt(config))


@contextmanager
def _workers_in_this_group(settings_file: Path | None, count: int) -> Iterator[ProcessPoolExecutor]:
    """As orchestration.workers.worker_pool, from the fork server that has imported everything."""
    pool = ProcessPoolExecutor(
        count, mp_context=get_context("forkserver"), initializer=_start_worker, initargs=(settings_file, os.getpid())
    )
    try:
        yield pool
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _start_worker(settings_file: Path | None, group: int) -> None:
    os.setpgid(0, group)
    threading.Thread(target=_end_with_bill, daemon=True).start()
    _quiet()
    load_here(load_settings(settings_file))


def _end_with_bill() -> None:
    bill = parent_process()
    if bill is not None:
        bill.join()
        os._exit(1)


def _quiet() -> None:
    warnings.simplefilter("ignore")
    logging.getLogger("dagster").setLevel(logging.CRITICAL)


def workers_of(group: int) -> Sequence[int]:
    """The processes of a group that were forked to work and are alive: not its leader, nor what copies its output."""
    alive = []
    for folder in Path("/proc").iterdir():
        if not folder.name.isdigit() or int(folder.name) == group:
            continue
        try:
            state, _, leads = (folder / "stat").read_text().rpartition(")")[2].split()[:3]
            is_forked = b"forkserver" in (folder / "cmdline").read_bytes()
        except (FileNotFoundError, ProcessLookupError):
            continue
        if int(leads) == group and state != "Z" and is_forked:
            alive.append(int(folder.name))
    return alive
