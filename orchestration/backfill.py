"""`chargeback backfill`: some days computed again from landing, then the months that they lie in, over processes.

A kill at any instant loses nothing: the same request goes on where it stopped, and still compares with what stood
before its first start. Not here: what it remembers (backfill_memory.py), how it is told (backfill_command.py).
"""

import os
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

from assets.materialisation import Month, month_called
from chargeback.billing_period import day_of
from chargeback.contracts.partition import Partition
from chargeback.ledger.recomputation import recomputation
from orchestration.backfill_figures import closed_among, standing
from orchestration.backfill_memory import BackfillMemory, keep, memory_key, recall
from orchestration.bill import MOST_WORKERS, Pool, noted, read_landing, refusals_of
from orchestration.bill_days import months_of_days
from orchestration.jobs import DAY_JOB
from orchestration.month_run import run_month
from orchestration.plan import Plan, plan_days
from orchestration.progress import Progress
from orchestration.workers import RunOutcome, run_partitions, warm_up, worker_pool
from orchestration.workspace import Workspace
from resources.code_version import RULES_AND_CHECKS, code_version
from resources.setting_kinds import SettingsRefused
from resources.settings import Settings


@dataclass(frozen=True, slots=True)
class BackfillOutcome:
    """What became of it: the document of what changed, the gate's reasons, and runs that stopped for another one.

    `went_on` says that an earlier start had been cut short; `runs` are those of this start.
    """

    document: dict[str, Any]
    refused: tuple[str, ...]
    failures: tuple[str, ...]
    went_on: bool
    runs: tuple[RunOutcome, ...]


def backfill(
    first_day: str,
    last_day: str,
    *,
    workspace: Workspace,
    settings_file: Path | None,
    progress: Progress,
    now: datetime,
    clusters: Sequence[str] = (),
    workers: int | None = None,
    pool_of: Pool = worker_pool,
) -> BackfillOutcome:
    """Compute the days from `first_day` to `last_day`, both included, again; then their open months.

    Raises SettingsRefused for days or clusters that the lake does not have, PeopleRefused for an unreadable file.
    """
    settings = workspace.settings
    names = _days(first_day, last_day, settings, now)
    chosen = sorted({settings.cluster(name).name for name in clusters} or settings.clusters)
    days = months_of_days(names, workspace, chosen)
    closed = closed_among(workspace.lake, days)
    months = [month_called(month.period.month, settings) for month in days if month.period.month not in closed]
    count = max(1, min(workers or os.cpu_count() or 1, MOST_WORKERS))
    with pool_of(settings_file, count) as pool:
        memory, went_on = _begun(names, chosen, days, months, workspace, now)
        warm_up(pool, count)
        read_landing(workspace, chosen, progress, begin_work=lambda: None)
        desk = _Desk(memory, workspace)
        runs = _run_days(pool, days, desk, chosen, progress, now)
        refused = [reason for run in runs for reason in run.failed_checks if _month_of(run) in closed]
        for month in months:
            month_run = run_month(pool, month, workspace.lake, progress)
            of_month = [run for run in (*runs, month_run) if _month_of(run) == month.period.month]
            refused += refusals_of(month, month_run, of_month, workspace)
            runs.append(month_run)
    failures = tuple(f"{run.partition}: {fault}" for run in runs for fault in run.faults)
    if not failures:
        desk.note(replace(desk.memory, finished=True))
    after, _ = standing(workspace.lake, days, [month_called(name, settings) for name in memory.months])
    document = recomputation(
        memory.before,
        after,
        days=names,
        clusters=chosen,
        months=[month.period.month for month in months],
        closed_months=closed,
        currency=settings.currency,
    )
    return BackfillOutcome(document, tuple(dict.fromkeys(refused)), failures, went_on, tuple(runs))


@dataclass(slots=True)
class _Desk:
    """The backfill's memory while it works: every note is in the lake before the next thing is begun."""

    memory: BackfillMemory
    workspace: Workspace

    def note(self, memory: BackfillMemory) -> None:
        self.memory = memory
        keep(self.workspace.store, memory)


def _begun(
    names: Sequence[str],
    clusters: Sequence[str],
    days: Sequence[Month],
    months: Sequence[Month],
    workspace: Workspace,
    now: datetime,
) -> tuple[BackfillMemory, bool]:
    """What is remembered of an unfinished start of this very request, else a new memory, written before any work.

    Days that other code computed are not done; what stood before stays what stood before.
    """
    code = code_version(RULES_AND_CHECKS)
    found = recall(workspace.store, memory_key(names[0], names[-1], clusters))
    if found is not None and not found.finished:
        done = found.done if found.code_version == code else frozenset()
        memory = replace(found, code_version=code, done=done)
    else:
        before, versions = standing(workspace.lake, days, months)
        memory = BackfillMemory(
            first_day=names[0],
            last_day=names[-1],
            clusters=tuple(clusters),
            months=tuple(month.period.month for month in months),
            code_version=code,
            started_at=now.isoformat(),
            before=before,
            versions=versions,
        )
    keep(workspace.store, memory)
    return memory, found is not None and not found.finished


def _run_days(
    pool: Executor, days: Sequence[Month], desk: _Desk, clusters: Sequence[str], progress: Progress, now: datetime
) -> list[RunOutcome]:
    """Run the days that are not done yet, all months' in one stage."""
    workspace = desk.workspace
    plans = [
        plan_days(
            month, observations=workspace.observations, people=workspace.people, settings=workspace.settings,
            store=workspace.store, clusters=clusters, now=now, again=True,
        )
        for month in days
    ]  # fmt: skip
    planned = tuple((partition, leaves) for plan in plans for partition, leaves in plan.days)
    wanted = Plan(tuple(each for each in planned if each[0].key not in desk.memory.done), ())
    ended = _noting(noted(wanted, workspace, progress), desk)
    return run_partitions(pool, DAY_JOB, [partition.key for partition, _ in wanted.days], ended=ended)


def _month_of(run: RunOutcome) -> str:
    """The month that a day's or month's run is part of."""
    return Partition.from_key(run.partition).values[-1][1][:7]


def _noting(billed: Callable[[RunOutcome], None], desk: _Desk) -> Callable[[RunOutcome], None]:
    def ended(outcome: RunOutcome) -> None:
        billed(outcome)
        if outcome.succeeded:
            desk.note(desk.memory.with_done(Partition.from_key(outcome.partition).key))

    return ended


def _days(first: str, last: str, settings: Settings, now: datetime) -> list[str]:
    begin, end = _day(first), _day(last)
    running = day_of(now, settings.zone)
    if begin > end:
        raise SettingsRefused(f"{first} is after {last}; write the first day first")
    for day in (begin, end):
        if not settings.first_day.isoformat() <= day.isoformat() <= running:
            raise SettingsRefused(
                f"day {day} is outside this lake: its first is {settings.first_day}, the running one is {running}"
            )
    return [(begin + timedelta(days=n)).isoformat() for n in range((end - begin).days + 1)]


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError as error:
        raise SettingsRefused(f"{text!r} is no day; write it as 2026-10-14") from error
