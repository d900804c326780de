"""Runs of Dagster jobs over worker processes, each of which executes many; all in the one instance that the UI shows.

Processes are spawned, never forked: a live Delta runtime does not survive a fork (design.md 7).
Not here: what has to run (plan.py) and what it means (bill.py).
"""

import logging
import multiprocessing
import os
import threading
import warnings
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import dagster as dg
from dagster._core.errors import DagsterAssetCheckFailedError
from dagster_shared.error import SerializableErrorInfo

from chargeback.contracts.partition import Partition
from orchestration.dead_workers import WORKER_TAG, this_process
from orchestration.definitions import definitions_for
from orchestration.instance import open_instance, require_storage
from orchestration.jobs import DAY_JOB, day_tables
from resources.lake_records import PartitionContended
from resources.settings import Settings, load_settings

NEVER_ENDED = ""
"""The run id of a run that a dead worker took with it."""

WORKER_DIED = (
    "a worker process died (killed, out of memory, or it could not start: see above) before this run ended; nothing is "
    "half done: bill the month again, with fewer --workers if memory was short"
)

MOST_ATTEMPTS = 4

QUIET = {"loggers": {"console": {"config": {"log_level": "CRITICAL"}}}}


@dataclass(frozen=True, slots=True)
class RunOutcome:
    """What became of one run: which assets it changed, which checks failed, what an asset refused, what went wrong.

    `failed_checks` and `refusals` are the gate's word about data; `faults` are everything else that stopped the run.
    `was_contended`: another run wrote the same partition meanwhile; nothing is wrong, and it is to be done again.
    """

    partition: str
    run_id: str
    succeeded: bool
    changed_tables: tuple[str, ...]
    failed_checks: tuple[str, ...]
    refusals: tuple[str, ...]
    faults: tuple[str, ...]
    was_contended: bool = False


@contextmanager
def worker_pool(settings_file: Path | None, count: int) -> Iterator[ProcessPoolExecutor]:
    """Spawned workers that have loaded the definitions once and keep them.

    The cores are shared out among them: polars in each takes its part, not all.
    Raises  SettingsRefused if the database in which runs are kept is not there.
    """
    require_storage(load_settings(settings_file))
    threads = str(max(1, (os.cpu_count() or 1) // count))
    os.environ.setdefault("POLARS_MAX_THREADS", threads)  # read by polars when a spawned worker imports it
    pool = ProcessPoolExecutor(
        max_workers=count,
        mp_context=multiprocessing.get_context("spawn"),
        initializer=_start,
        initargs=(settings_file,),
    )
    try:
        yield pool
    finally:
        has_lost_workers = _has_lost_workers(pool)
        pool.shutdown(wait=True, cancel_futures=True)
        if has_lost_workers:
            open_instance(load_settings(settings_file))  # marks the runs that they took with them


def _has_lost_workers(pool: Executor) -> bool:
    try:
        pool.submit(_ready)
    except BrokenProcessPool:
        return True
    return False


def warm_up(pool: Executor, count: int) -> None:
    """Let workers start and load now: what they import takes longer than most of what comes before their first run."""
    with suppress(BrokenProcessPool):  # the runs themselves will say so
        for _ in range(count):
            pool.submit(_ready)


def _ready() -> None:
    """Nothing but proof that the worker has loaded."""


def run_partitions(
    pool: Executor, job: str, partitions: Sequence[str], *, ended: Callable[[RunOutcome], None]
) -> list[RunOutcome]:
    """Run one job on every partition; `ended` is told of each as it comes in. In order of partitions.

    When a worker process dies, its run and those still waiting are outcomes too: not done, and saying what to do.
    """
    waiting = {_submitted(pool, job, partition): partition for partition in partitions}
    outcomes: dict[str, RunOutcome] = {}
    for future in as_completed(waiting):
        outcomes[waiting[future]] = _outcome_of(future, waiting[future])
        ended(outcomes[waiting[future]])
    return [outcomes[partition] for partition in partitions]


def _submitted(pool: Executor, job: str, partition: str) -> Future[RunOutcome]:
    try:
        return pool.submit(run_partition, job, partition)
    except BrokenProcessPool as broken:
        never_begun: Future[RunOutcome] = Future()
        never_begun.set_exception(broken)
        return never_begun


def _outcome_of(future: Future[RunOutcome], partition: str) -> RunOutcome:
    try:
        return future.result()
    except BrokenProcessPool:
        return RunOutcome(partition, NEVER_ENDED, False, (), (), (), (WORKER_DIED,))


_loaded: dict[str, Any] = {}
_day_jobs: dict[str, dg.JobDefinition] = {}


def _start(settings_file: Path | None) -> None:
    threading.Thread(target=_end_with_parent, daemon=True).start()
    warnings.simplefilter("ignore")
    logging.getLogger("dagster").setLevel(logging.CRITICAL)
    settings = load_settings(settings_file)
    load_here(settings)
    import great_expectations  # noqa: F401  (seconds; once a process, before the first check asks for it)


def _end_with_parent() -> None:
    """A worker whose bill was killed would wait for work for ever: it ends instead; what it wrote half is not there."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def load_here(settings: Settings) -> None:
    """Load definitions and instance into this process."""
    _day_jobs.clear()
    _loaded["settings"] = settings
    _loaded["definitions"] = definitions_for(settings)
    _loaded["instance"] = open_instance(settings)


def run_partition(job: str, partition: str) -> RunOutcome:
    """Execute a partition in this process, anew where another run wrote it meanwhile. Failure is an outcome."""
    for _ in range(MOST_ATTEMPTS):
        outcome = _executed(job, partition)
        if not outcome.was_contended:
            break
    return outcome


def _executed(job: str, partition: str) -> RunOutcome:
    result = _job_for(job, partition).execute_in_process(
        instance=_loaded["instance"],
        partition_key=partition,
        run_config=QUIET,
        raise_on_error=False,
        tags={WORKER_TAG: this_process()},
    )
    checks = [evaluation for evaluation in result.get_asset_check_evaluations() if not evaluation.passed]
    return RunOutcome(
        partition=partition,
        run_id=result.run_id,
        succeeded=result.success,
        changed_tables=tuple(_changed_tables(result)),
        failed_checks=tuple(
            f"{check.asset_key.to_user_string()} {partition}: check {check.check_name} failed: {check.description}"
            for check in checks
            if check.severity == dg.AssetCheckSeverity.ERROR
        ),
        refusals=tuple(_refusals(result)),
        faults=tuple(_faults(result)),
        was_contended=any(error.cls_name == PartitionContended.__name__ for error in _causes(result)),
    )


def _job_for(job: str, partition: str) -> dg.JobDefinition:
    """The job, cut to the tables that the partition's cluster has, by its scheduler; each cut is made once."""
    whole: dg.JobDefinition = _loaded["definitions"].resolve_job_def(job)
    if job != DAY_JOB:
        return whole
    settings: Settings = _loaded["settings"]
    scheduler = settings.cluster(dict(Partition.from_key(partition).values)["cluster"]).scheduler
    if scheduler not in _day_jobs:
        _day_jobs[scheduler] = whole.get_subset(asset_selection=set(day_tables(scheduler)))
    return _day_jobs[scheduler]


def _changed_tables(result: dg.ExecuteInProcessResult) -> Iterator[str]:
    for event in result.get_asset_materialization_events():
        materialisation = event.step_materialization_data.materialization
        if materialisation.metadata["outcome"].value in ("new", "changed"):
            yield materialisation.asset_key.to_user_string()


def _refusals(result: dg.ExecuteInProcessResult) -> Iterator[str]:
    for event in result.get_step_failure_events():
        refused = event.step_failure_data.user_failure_data
        if refused and refused.description:
            yield from refused.description.splitlines()


def _causes(result: dg.ExecuteInProcessResult) -> Iterator[SerializableErrorInfo]:
    for event in result.get_step_failure_events():
        if event.step_failure_data.error:
            yield event.step_failure_data.error.cause or event.step_failure_data.error


def _faults(result: dg.ExecuteInProcessResult) -> Iterator[str]:
    for event in result.get_step_failure_events():
        failure = event.step_failure_data
        is_check = failure.error is not None and failure.error.cls_name == DagsterAssetCheckFailedError.__name__
        if failure.error and not failure.user_failure_data and not is_check:
            cause = failure.error.cause or failure.error
            yield f"{event.step_key}: {cause.message.strip()}"
