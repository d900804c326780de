"""`chargeback assess`: some days looked at before anything is decided; no rate card and no ownership are needed.

Not here: the figures and the verdict (chargeback/ledger/assessment*.py), how days are billed (bill_days.py).
"""

import hashlib
import os
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal, InvalidOperation
from pathlib import Path

import polars as pl
from rich.console import Console
from rich.table import Table
from rich.text import Text

from assets.materialisation import Month
from chargeback.billing_period import day_interval, day_of
from chargeback.contracts.attribution import ATTRIBUTION
from chargeback.contracts.capacity import CAPACITY
from chargeback.contracts.rate_card import RATE_CARD
from chargeback.contracts.rated_usage import RATED_USAGE
from chargeback.contracts.runs import RUNS
from chargeback.ledger.assessment import assessment
from chargeback.ledger.assessment_page import render_assessment
from chargeback.ledger.capacity_totals import capacity_totals
from chargeback.ledger.node_sizes import node_sizes, with_node_sizes
from chargeback.ledger.plain_numbers import grouped
from chargeback.ledger.statement_document import Document
from chargeback.pricing.rating import rate_usage
from orchestration.bill import Pool
from orchestration.bill_days import DaysBilled, bill_days, months_of_days
from orchestration.progress import Progress, TerminalProgress
from orchestration.workers import worker_pool
from orchestration.workspace import Workspace, open_workspace
from resources.setting_kinds import SettingsRefused
from resources.settings import load_settings

FOLDER = "published/assessments"
RECORDS = {"slurm": "slurm/sacct", "kubernetes": "kubernetes/pods"}
"""Scheduler -> the source without which there is nothing to assess."""

MOST_DAYS = 366


@dataclass(frozen=True, slots=True)
class Assessed:
    """The document of an assessment and its page; `failures` are days that could not be computed, a line each."""

    document: Document
    page: bytes
    failures: tuple[str, ...]


def assess_and_report(
    *, days: int, until: str | None, price: str | None, cluster: str | None, to: Path | None, config: Path | None
) -> None:
    """Assess, write the page into the lake (or to `to`) and print verdict and path. Raises SettingsRefused."""
    workspace = open_workspace(load_settings(config))
    console = Console(soft_wrap=True, highlight=False)
    with TerminalProgress(console) as progress:
        assessed = assess(
            days=days,
            until=until,
            price=_price(price),
            cluster=cluster,
            workspace=workspace,
            settings_file=config,
            progress=progress,
            now=datetime.now(UTC),
        )
    where = _kept(assessed, workspace, to)
    _print(assessed, where, console)


def assess(
    *,
    days: int,
    until: str | None,
    price: Decimal | None,
    cluster: str | None,
    workspace: Workspace,
    settings_file: Path | None,
    progress: Progress,
    now: datetime,
    pool_of: Pool = worker_pool,
) -> Assessed:
    """Look at the last `days` days until `until` (default: the last whole day that was extracted), billing them first.

    Raises SettingsRefused for a day or cluster that cannot be looked at, PeopleRefused for an unreadable ownership.
    """
    settings = workspace.settings
    clusters = [settings.cluster(cluster).name] if cluster else sorted(settings.clusters)
    chosen = _days(days, until or _last_extracted(workspace, clusters, now), workspace, now)
    months = months_of_days(chosen, workspace, clusters)
    billed = bill_days(
        months,
        workspace=workspace,
        settings_file=settings_file,
        progress=progress,
        now=now,
        clusters=clusters,
        workers=os.cpu_count() or 1,
        pool_of=pool_of,
    )
    document = _document(chosen, months, clusters, billed, price=price, workspace=workspace)
    return Assessed(document, render_assessment(document), billed.failures)


def _document(
    days: Sequence[str],
    months: Sequence[Month],
    clusters: Sequence[str],
    billed: DaysBilled,
    *,
    price: Decimal | None,
    workspace: Workspace,
) -> Document:
    settings = workspace.settings
    partitions = [partition for month in months for partition in month.days_of(CAPACITY)]
    capacity = workspace.lake.scan(CAPACITY, partitions)
    rated = pl.concat(_rated(month, workspace) for month in months)
    failed = {run.partition for run in billed.runs if not run.succeeded}
    return assessment(
        with_node_sizes(rated.lazy(), node_sizes(capacity.frame, zone=settings.zone)).collect(),
        capacity_totals(capacity.frame),
        days=days,
        day_seconds=sum(day_interval(day, settings.zone).seconds for day in days),
        clusters=clusters,
        grouped_by="team" if workspace.landing.objects("ownership", None) else "account",
        price=price,
        currency=settings.currency,
        days_missing=len(failed | set(capacity.missing)),
    )


def _rated(month: Month, workspace: Workspace) -> pl.DataFrame:
    """What was held on the month's days, by owner, without any price."""
    policies = workspace.settings.policies
    hours = workspace.lake.scan(ATTRIBUTION, month.days_of(ATTRIBUTION)).frame
    runs = workspace.lake.scan(RUNS, month.days_of(RUNS)).frame
    owners, _ = workspace.people.ownership(month.period)
    return rate_usage(
        hours,
        runs,
        owners,
        RATE_CARD.empty(),
        period=month.period,
        currency=workspace.settings.currency_code,
        unknown_accounts=policies.unknown_accounts,
        precedence=policies.owner_precedence,
        platform_operations=policies.platform_operations,
    ).select(RATED_USAGE.column_names)


def _days(count: int, until: str, workspace: Workspace, now: datetime) -> list[str]:
    first, running = workspace.settings.first_day, day_of(now, workspace.settings.zone)
    if not 1 <= count <= MOST_DAYS:
        raise SettingsRefused(f"--days {count}: must be from 1 to {MOST_DAYS}")
    try:
        last = date.fromisoformat(until)
    except ValueError as error:
        raise SettingsRefused(f"--until {until!r} is no day; write it as 2026-10-14") from error
    if not first.isoformat() <= last.isoformat() <= running:
        raise SettingsRefused(f"day {last} is outside this lake: its first is {first}, today is {running}")
    begin = max(first, last - timedelta(days=count - 1))
    return [(begin + timedelta(days=n)).isoformat() for n in range((last - begin).days + 1)]


def _last_extracted(workspace: Workspace, clusters: Sequence[str], now: datetime) -> str:
    """The last local day that was over when a cluster's records were extracted."""
    zone = workspace.settings.zone
    landed = [
        each.extracted_at
        for name in clusters
        for each in workspace.landing.objects(RECORDS[workspace.settings.cluster(name).scheduler], name)
    ]
    if not landed:
        sources = " or ".join(sorted({RECORDS[workspace.settings.cluster(name).scheduler] for name in clusters}))
        raise SettingsRefused(f"nothing was landed for {', '.join(clusters)}: chargeback land FILE --source {sources}")
    over = date.fromisoformat(day_of(min(max(landed), now), zone)) - timedelta(days=1)
    return max(over, workspace.settings.first_day).isoformat()


def _price(text: str | None) -> Decimal | None:
    if text is None:
        return None
    try:
        price = Decimal(text)
    except InvalidOperation as error:
        raise SettingsRefused(f"--price-per-gpu-hour {text!r} is no number; write it as 2.40") from error
    if not price.is_finite() or price <= 0:
        raise SettingsRefused(f"--price-per-gpu-hour {text}: must be above 0")
    return price


def _kept(assessed: Assessed, workspace: Workspace, to: Path | None) -> str:
    """Where the page lies now: at `to`, else in the lake under a name that its content gives."""
    if to is not None:
        to.write_bytes(assessed.page)
        return str(to)
    document = assessed.document
    name = f"{document['first_day']}--{document['last_day']}-{hashlib.sha256(assessed.page).hexdigest()[:12]}.html"
    workspace.store.put_new(f"{FOLDER}/{name}", assessed.page)
    return workspace.settings.location.child(f"{FOLDER}/{name}")


def _print(assessed: Assessed, where: str, console: Console) -> None:
    document = assessed.document
    for failure in assessed.failures:
        console.print(f"not computed   {failure}", style="red", markup=False)
    console.print()
    console.print(Text(document["verdict"]["title"], style="bold"))
    console.print(document["verdict"]["reason"], markup=False)
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    for name in (document["grouped_by"], "allocated", "consumed", "of measured", "lost", "unmeasured"):
        table.add_column(name, justify="left" if name == document["grouped_by"] else "right")
    for row in (*document["owners"], *filter(None, [document["further"]]), document["total"]):
        figures = (row[f"{stem}hours"] for stem in ("", "consumed_", "lost_", "unmeasured_"))
        allocated, consumed, lost, unmeasured = (grouped(figure) for figure in figures)
        share = f"{row['consumed_per_cent']} %" if row["consumed_per_cent"] else "–"
        table.add_row(Text(row["name"]), allocated, consumed, share, lost, unmeasured)
    console.print(table)
    point = document["point"]
    worth = f" = {grouped(point['worth'])} {document['currency']}" if point["worth"] else ""
    console.print(f"one point of utilisation is {grouped(point['hours'])} GPU-hours{worth} in these days", markup=False)
    console.print(f"page           {where}", markup=False)
