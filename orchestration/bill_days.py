"""Bill some days and no month: from landing to attribution, doing only what changed, over worker processes.

Not here: the month's own tables (bill.py), what is made of the days (assess.py).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from assets.materialisation import Month, month_called
from orchestration.bill import MOST_WORKERS, Pool, noted, read_landing
from orchestration.jobs import DAY_JOB
from orchestration.plan import Plan, plan_days
from orchestration.progress import Progress
from orchestration.workers import RunOutcome, run_partitions, warm_up, worker_pool
from orchestration.workspace import Workspace


@dataclass(frozen=True, slots=True)
class DaysBilled:
    """What became of the days: runs that were done now, and how many stood as they were."""

    runs: tuple[RunOutcome, ...]
    unchanged_count: int

    @property
    def failures(self) -> tuple[str, ...]:
        """A line for each day of a cluster that could not be computed, with the first reason."""
        failed = (run for run in self.runs if not run.succeeded)
        return tuple(
            f"{run.partition}: {next(iter((*run.faults, *run.refusals, *run.failed_checks)), 'no reason given')}"
            for run in failed
        )


def bill_days(
    months: Sequence[Month],
    *,
    workspace: Workspace,
    settings_file: Path | None,
    progress: Progress,
    now: datetime,
    clusters: Sequence[str],
    workers: int,
    pool_of: Pool = worker_pool,
) -> DaysBilled:
    """Bring the days of `months_of_days` up to date. Those that follow from the same inputs are not run again."""
    count = max(1, min(workers, MOST_WORKERS))
    runs: list[RunOutcome] = []
    unchanged = 0
    with pool_of(settings_file, count) as pool:
        read_landing(workspace, clusters, progress, begin_work=lambda: warm_up(pool, count))
        for month in months:
            plan = _planned(month, workspace, clusters, now)
            unchanged += len(plan.unchanged)
            keys = [partition.key for partition, _ in plan.days]
            runs += run_partitions(pool, DAY_JOB, keys, ended=noted(plan, workspace, progress))
    return DaysBilled(tuple(runs), unchanged)


def months_of_days(days: Sequence[str], workspace: Workspace, clusters: Sequence[str]) -> list[Month]:
    """The months that some days lie in, each with these days of these clusters only, in order."""
    months = [month_called(name, workspace.settings) for name in sorted({day[:7] for day in days})]
    chosen = {(cluster, day) for cluster in clusters for day in days}
    return [
        replace(
            month,
            days=tuple(
                partition
                for partition in month.days
                if (dict(partition.values)["cluster"], dict(partition.values)["day"]) in chosen
            ),
        )
        for month in months
    ]


def _planned(month: Month, workspace: Workspace, clusters: Sequence[str], now: datetime) -> Plan:
    return plan_days(
        month,
        observations=workspace.observations,
        people=workspace.people,
        settings=workspace.settings,
        store=workspace.store,
        clusters=clusters,
        now=now,
        again=False,
    )
