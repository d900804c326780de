"""`chargeback job`: who ran it, where and when, what its GPUs did, what it cost on which line, and what to do.

Not here: which jobs an id may mean (chargeback/ledger/job_match.py), how it is printed (job_tables.py).
"""

import json
import sys
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import polars as pl
from rich.console import Console

from chargeback.billing_period import day_of
from chargeback.contracts.attribution import ATTRIBUTION
from chargeback.contracts.partition import Partition
from chargeback.contracts.rated_usage import RATED_USAGE
from chargeback.contracts.runs import RUNS
from chargeback.contracts.team_charges import TEAM_CHARGES
from chargeback.ledger.job_document import JobRecords, job_document, render_job_csv
from chargeback.ledger.job_match import LOOKED_AT, Meant, jobs_meant, may_be_meant, nearest
from chargeback.ledger.statement_document import Document
from orchestration.job_blocked import with_blocked
from orchestration.job_tables import print_job
from orchestration.workspace import Workspace, open_workspace
from resources.lake_records import Scanned
from resources.setting_kinds import SettingsRefused, one_of
from resources.settings import load_settings

FORMATS = ("table", "json", "csv")
MOST_CANDIDATES = 20


def show_job(asked: str, *, cluster: str | None, output: str, config: Path | None) -> None:
    """Print the job. Raises SettingsRefused for an unknown format, cluster or job, and for an ambiguous one."""
    one_of(output, FORMATS, "--format")
    workspace = open_workspace(load_settings(config), to_read=True)
    document = document_of_job(asked, cluster=cluster, workspace=workspace, now=datetime.now(UTC))
    if output == "json":
        sys.stdout.write(json.dumps(document, ensure_ascii=False, sort_keys=True) + "\n")
    elif output == "csv":
        sys.stdout.buffer.write(render_job_csv(document))
    else:
        print_job(document, Console(soft_wrap=True, highlight=False))


def document_of_job(asked: str, *, cluster: str | None, workspace: Workspace, now: datetime) -> Document:
    """The job as texts. `asked` may name its cluster before it: slurm-a/4711. Raises SettingsRefused."""
    settings = workspace.settings
    before, slash, rest = asked.partition("/")
    if slash and before in settings.clusters and cluster is None:
        asked, cluster = rest, before
    clusters = [settings.cluster(cluster).name] if cluster else sorted(settings.clusters)
    scanned = workspace.lake.scan(RUNS, _days(clusters, workspace, now))
    found = scanned.frame.filter(may_be_meant(asked)).select("day", *LOOKED_AT).collect(engine="streaming")
    meant = jobs_meant(found, asked)
    if not meant:
        raise SettingsRefused(_unknown(asked, clusters, scanned))
    if len(meant) > 1:
        raise SettingsRefused(_ambiguous(asked, meant))
    days = found.filter((pl.col("cluster") == meant[0].cluster) & pl.col("run").is_in(meant[0].runs))
    records = _records(meant[0], sorted(set(days["day"])), workspace)
    return with_blocked(job_document(meant[0], records, currency=settings.currency), records.runs, workspace)


def _records(meant: Meant, days: list[str], workspace: Workspace) -> JobRecords:
    """What stands of its runs in the tables of its days and months."""
    own = (pl.col("cluster") == meant.cluster) & pl.col("run").is_in(meant.runs)
    partitions = [Partition.of_day(meant.cluster, day) for day in days]
    months = [Partition.of_month(month) for month in sorted({day[:7] for day in days})]
    rated = workspace.lake.scan(RATED_USAGE, months)
    lines = workspace.lake.scan(TEAM_CHARGES, months).frame.select("line_id").collect()
    return JobRecords(
        runs=workspace.lake.scan(RUNS, partitions).frame.filter(own).collect(engine="streaming"),
        attribution=workspace.lake.scan(ATTRIBUTION, partitions).frame.filter(own).collect(engine="streaming"),
        rated=rated.frame.filter(own).collect(engine="streaming"),
        line_ids=frozenset(lines["line_id"]),
        unrated=rated.missing,
    )


def _days(clusters: list[str], workspace: Workspace, now: datetime) -> list[Partition]:
    settings = workspace.settings
    count = (date.fromisoformat(day_of(now, settings.zone)) - settings.first_day).days + 1
    days = [(settings.first_day + timedelta(days=n)).isoformat() for n in range(count)]
    return [Partition.of_day(cluster, day) for cluster in clusters for day in days]


def _unknown(asked: str, clusters: list[str], scanned: Scanned) -> str:
    where = f"in {', '.join(clusters)}"
    if not scanned.contents:
        return f"no job {asked} {where}: no day was computed yet; bill a month first: chargeback bill MONTH"
    days = sorted({key.rpartition("|")[2] for key in scanned.contents})
    names = ("job_id", "job_id_raw", "workload", "job_name")
    known = scanned.frame.select(*names).unique().collect(engine="streaming")
    spelled = {str(name) for column in names for name in known[column].drop_nulls()}
    close = nearest(asked, spelled | {name.rpartition("/")[2] for name in spelled})
    told = f"nearest: {', '.join(close)}" if close else "nothing is spelled like it"
    return (
        f"no job {asked} {where}: looked at the {len(scanned.contents)} days that were computed, {days[0]} to "
        f"{days[-1]}; {told}. A job is known when its day was billed: chargeback bill {days[-1][:7]}"
    )


def _ambiguous(asked: str, meant: list[Meant]) -> str:
    several_clusters = len({each.cluster for each in meant}) > 1
    rows = []
    for each in meant[:MOST_CANDIDATES]:
        alone = sum(1 for other in meant if (other.asked, other.cluster) == (each.asked, each.cluster)) == 1
        is_other = each.asked != asked or several_clusters
        typed = each.asked if alone and is_other else each.runs[0]
        option = f" --cluster {each.cluster}" if several_clusters else ""
        whose = " · ".join(part for part in (each.name, each.user, each.account, each.cluster) if part)
        runs = f" · {len(each.runs)} runs" if len(each.runs) > 1 else ""
        rows.append(f"  chargeback job {typed}{option}    {whose}{runs}")
    more = [f"  ... and {len(meant) - MOST_CANDIDATES} more"] if len(meant) > MOST_CANDIDATES else []
    return "\n".join([f"{asked} may be any of {len(meant)} jobs:", *rows, *more])
