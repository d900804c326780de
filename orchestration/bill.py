"""`chargeback bill`: from landing to the journal of one month, doing only what changed, over worker processes.

Not here: how a partition is computed (assets/), what is printed at the end (summary.py).
"""

import os
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from assets.certification import certify_month
from assets.closed_months import closed_months
from assets.materialisation import Month
from chargeback.billing_period import next_month
from chargeback.contracts.certificate import CERTIFICATE
from chargeback.contracts.partition import Partition
from chargeback.contracts.postings import POSTINGS
from chargeback.ledger.certificate import Refused
from orchestration.asked_month import asked_month
from orchestration.bill_leaves import leaves_of_month, with_corrected_days
from orchestration.jobs import DAY_JOB
from orchestration.month_run import run_month
from orchestration.plan import Plan, plan_days, recalled, remember
from orchestration.progress import Progress
from orchestration.workers import NEVER_ENDED, RunOutcome, run_partitions, warm_up, worker_pool
from orchestration.workspace import Workspace
from resources.parsers import daily_sources_of

MOST_WORKERS = 8

Pool = Callable[[Path | None, int], AbstractContextManager[Executor]]
"""Opens workers for a settings file; how many."""


@dataclass(frozen=True, slots=True)
class BillOutcome:
    """What a bill did. `refused` are the gate's reasons; `failures` are runs that stopped for another reason."""

    month: str
    days_run: tuple[RunOutcome, ...]
    days_unchanged: int
    month_run: RunOutcome | None
    refused: tuple[str, ...]
    failures: tuple[str, ...]

    @property
    def changed(self) -> bool:
        """Whether anything in the lake is another than before."""
        runs = (*self.days_run, *([self.month_run] if self.month_run else []))
        return any(run.changed_tables for run in runs)


def bill_month(
    month_name: str,
    *,
    workspace: Workspace,
    settings_file: Path | None,
    progress: Progress,
    now: datetime,
    clusters: Sequence[str] = (),
    workers: int | None = None,
    again: bool = False,
    pool_of: Pool = worker_pool,
) -> BillOutcome:
    """Bill one month; a second time it changes nothing. `clusters` limits which days are looked at, not the month.

    Raises SettingsRefused for an impossible month or cluster, PeopleRefused for an unreadable file of people.
    """
    settings = workspace.settings
    month = asked_month(month_name, settings, now)
    chosen = [settings.cluster(name).name for name in clusters] or sorted(settings.clusters)
    count = max(1, min(workers or os.cpu_count() or 1, MOST_WORKERS))
    with pool_of(settings_file, count) as pool:
        read_landing(workspace, chosen, progress, begin_work=lambda: warm_up(pool, count))
        plan = plan_days(
            with_corrected_days(month, workspace),
            observations=workspace.observations,
            people=workspace.people,
            settings=settings,
            store=workspace.store,
            clusters=chosen,
            now=now,
            again=again,
        )
        if not plan.days and month_name in closed_months(workspace.lake):
            return BillOutcome(month_name, (), len(plan.unchanged), None, (), ())
        if not plan.days and not again and _stands(month, leaves_of_month(month, workspace), workspace):
            return BillOutcome(month_name, (), len(plan.unchanged), None, (), ())
        days = run_partitions(
            pool, DAY_JOB, [partition.key for partition, _ in plan.days], ended=noted(plan, workspace, progress)
        )
        if month_name in closed_months(workspace.lake):
            return _of_closed_month(month_name, tuple(days), plan)
        month_run = run_month(pool, month, workspace.lake, progress)
    return _outcome(month, tuple(days), plan, month_run, workspace)


def refusals_of(
    month: Month, month_run: RunOutcome, runs: Sequence[RunOutcome], workspace: Workspace
) -> tuple[str, ...]:
    """The gate's reasons against the month after these runs, none if it is published; that is remembered."""
    if month_run.succeeded:
        remember(workspace.store, month.partition, leaves_of_month(month, workspace))
        return ()
    refused = [reason for run in runs for reason in (*run.failed_checks, *run.refusals)]
    if month_run.run_id != NEVER_ENDED:
        judged = certify_month(
            month,
            lake=workspace.lake,
            evidence=workspace.evidence,
            people=workspace.people,
            settings=workspace.settings,
        )
        refused = [*(judged.reasons if isinstance(judged, Refused) else ()), *refused]
    return _each_once(refused)


def _outcome(
    month: Month, days: tuple[RunOutcome, ...], plan: Plan, month_run: RunOutcome, workspace: Workspace
) -> BillOutcome:
    runs = (*days, month_run)
    return BillOutcome(
        month=month.period.month,
        days_run=days,
        days_unchanged=len(plan.unchanged),
        month_run=month_run,
        refused=refusals_of(month, month_run, runs, workspace),
        failures=tuple(f"{run.partition}: {fault}" for run in runs for fault in run.faults),
    )


def _of_closed_month(month_name: str, days: tuple[RunOutcome, ...], plan: Plan) -> BillOutcome:
    """A closed month has its days brought up to date and no more: the difference is another month's to book."""
    reason = (
        f"{month_name} is closed and may not change: its days are up to date, and what they change of it is a "
        f"correction in the earliest open month: chargeback bill {next_month(month_name)}, or a later one"
    )
    return BillOutcome(
        month=month_name,
        days_run=days,
        days_unchanged=len(plan.unchanged),
        month_run=None,
        refused=(reason,) if any(run.changed_tables for run in days) else (),
        failures=tuple(f"{run.partition}: {fault}" for run in days for fault in run.faults),
    )


def _each_once(reasons: Sequence[str]) -> tuple[str, ...]:
    """The same check of the same content is told once, in the words that come first; causes before what follows."""
    told: dict[str, str] = {}
    for reason in reasons:
        told.setdefault(reason.partition(" failed: ")[0], reason)
    return tuple(sorted(told.values(), key=lambda reason: "materialise it" in reason))


def read_landing(
    workspace: Workspace, clusters: Sequence[str], progress: Progress, *, begin_work: Callable[[], None]
) -> None:
    """Parse what landed and was not parsed yet, so that the plan knows which days it touches.

    Something new means that there will be runs: `begin_work` lets the workers load meanwhile.
    """
    landed = [
        each
        for cluster in clusters
        for source in daily_sources_of(workspace.settings.cluster(cluster).scheduler)
        for each in workspace.landing.objects(source, cluster)
    ]
    unread = [each for each in landed if not workspace.observations.is_read(each)]
    if not unread:
        return
    begin_work()
    progress.begin("reading landing objects", len(unread))
    for each in unread:
        workspace.observations.read(each)
        progress.step(each.key)


def noted(plan: Plan, workspace: Workspace, progress: Progress) -> Callable[[RunOutcome], None]:
    """Remember every day as it is billed: a bill that was killed goes on where it stopped."""
    leaves_of = {partition.key: leaves for partition, leaves in plan.days}
    if plan.days:
        progress.begin("days", len(plan.days))

    def ended(outcome: RunOutcome) -> None:
        if outcome.succeeded:
            remember(workspace.store, Partition.from_key(outcome.partition), leaves_of[outcome.partition])
        progress.step(outcome.partition)

    return ended


def _stands(month: Month, leaves: str, workspace: Workspace) -> bool:
    """Whether the month was billed from these very leaves and its certificate and outbox stand."""
    tables = (CERTIFICATE, POSTINGS)
    return recalled(workspace.store, month.partition) == leaves and all(
        workspace.lake.state(table, month.partition) is not None for table in tables
    )
