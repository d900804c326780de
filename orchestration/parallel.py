"""`chargeback parallel`: a month beside finance's own figures, as table, page or CSV, and its sign-off.

Not here: the comparison (chargeback/ledger/variance.py), what it permits (chargeback/ledger/enforcement.py).
"""

import hashlib
import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from assets.enforcement import certificate_content, variance_of_month, why_not_signed_off
from assets.signatures import Signatures
from chargeback.contracts.team_charges import TEAM_CHARGES
from chargeback.ledger.parallel_page import render_parallel
from chargeback.ledger.parallel_report import parallel_report, render_parallel_csv
from chargeback.ledger.plain_numbers import grouped
from chargeback.ledger.statement_page import signed
from chargeback.ledger.variance import CAUSES, Variance
from chargeback.signatures.enforcement import sign_off_of
from orchestration.approving import approve
from orchestration.asked_month import asked_month
from orchestration.local_files import write_file
from orchestration.signing_desk import Desk, desk_of
from orchestration.workspace import Workspace, open_workspace
from resources.people_objects import PeopleRefused
from resources.setting_kinds import SettingsRefused, one_of

FORMATS = ("table", "json", "csv", "html")
FOLDER = "published/parallel"
NARROWEST = 160


def parallel_and_report(
    month: str,
    *,
    output: str,
    to: Path | None,
    by: str | None,
    key: Path | None,
    reason: str | None,
    draft: Path | None,
    config: Path | None,
) -> None:
    """Print the comparison and write its page; or write or land the sign-off.

    Raises  SettingsRefused for a month that is not billed or an unknown format; PeopleRefused where finance's figures
            cannot be read, or the month may not be signed off.
    """
    one_of(output, FORMATS, "--format")
    desk = desk_of(config)
    workspace = open_workspace(desk.settings, to_read=True)
    console = Console(soft_wrap=True, highlight=False)
    variance = _variance(month, workspace, desk)
    if key is not None or draft is not None:
        _sign_off(month, variance, by=by, key=key, reason=reason, draft=draft, workspace=workspace, desk=desk,
                  console=console)  # fmt: skip
        return
    report = report_of(month, variance, workspace)
    if output == "csv":
        sys.stdout.buffer.write(render_parallel_csv(report))
    elif output == "json":
        sys.stdout.write(json.dumps(report, ensure_ascii=False, sort_keys=True) + "\n")
    elif output == "html":
        sys.stdout.buffer.write(render_parallel(report))
    else:
        _print(report, console)
        console.print(f"page           {_kept(report, workspace, to)}", markup=False)


def report_of(month: str, variance: Variance, workspace: Workspace) -> Mapping[str, Any]:
    """The document of a comparison. Raises PeopleRefused."""
    settings, people, lake = workspace.settings, workspace.people, workspace.lake
    why = why_not_signed_off(month, Signatures.of(people), lake=lake, people=people, settings=settings)
    return parallel_report(
        variance,
        currency=settings.currency,
        limit_percent=settings.enforcement.unexplained_limit,
        sign_off=why,
        certificate=certificate_content(month, lake) or "",
    )


def _variance(month: str, workspace: Workspace, desk: Desk) -> Variance:
    asked = asked_month(month, desk.settings, desk.now)
    if workspace.lake.state(TEAM_CHARGES, asked.partition) is None:
        raise SettingsRefused(f"{month} was never billed: chargeback bill {month}")
    return variance_of_month(month, lake=workspace.lake, people=workspace.people, settings=workspace.settings)


def _sign_off(
    month: str,
    variance: Variance,
    *,
    by: str | None,
    key: Path | None,
    reason: str | None,
    draft: Path | None,
    workspace: Workspace,
    desk: Desk,
    console: Console,
) -> None:
    """A month that is over, whole, certified and within the limit is signed off; no other."""
    asked = asked_month(month, desk.settings, desk.now)
    refused = list(variance.why_not_within(desk.settings.enforcement.unexplained_limit))
    if desk.now < asked.period.interval.end:
        refused.append(f"{month} is not over: a parallel month is a whole one")
    if desk.settings.first_day.isoformat() > f"{month}-01":
        refused.append(f"{month} is no whole month of this lake, which begins on {desk.settings.first_day}")
    certificate = certificate_content(month, workspace.lake)
    if certificate is None:
        refused.append(f"{month} has no certificate: the gate has not passed it")
    if refused or certificate is None:
        raise PeopleRefused((*refused, "nothing was signed"))
    thing = sign_off_of(month, certificate=certificate, variance=variance.document())
    approve(thing, by=by, reason=reason, key=key, draft=draft, desk=desk, console=console)


def _kept(report: Mapping[str, Any], workspace: Workspace, to: Path | None) -> str:
    page = render_parallel(report)
    if to is not None:
        write_file(to, page)
        return str(to)
    name = hashlib.sha256(page).hexdigest()[:12]
    object_key = f"{FOLDER}/{report['month']}/{name}/parallel.html"
    workspace.store.put_new(object_key, page)
    workspace.store.put_new(f"{FOLDER}/{report['month']}/{name}/parallel.csv", render_parallel_csv(report))
    return workspace.settings.location.child(object_key)


def _print(report: Mapping[str, Any], console: Console) -> None:
    console.width = max(console.width, NARROWEST)
    table = Table(title=f"{report['month']} beside finance's own figures, {report['currency']}", title_justify="left")
    for name in ("cost centre", "ours", "finance", "difference", *CAUSES):
        table.add_column(name, justify="left" if name == "cost centre" else "right")
    for row in report["rows"]:
        causes = (signed(row["causes"][cause]) for cause in CAUSES)
        theirs = grouped(row["theirs"]) if row["theirs"] else "none"
        table.add_row(Text(row["cost_centre"]), grouped(row["ours"]), theirs, signed(row["variance"]), *causes)
    table.add_section()
    total = report["total"]
    theirs = grouped(total["theirs"]) if total["theirs"] else "none"
    causes = (signed(each["amount"]) for each in report["causes"])
    table.add_row("total", grouped(total["ours"]), theirs, signed(total["variance"]), *causes)
    console.print(table)
    share = f", {report['residue_percent']} % of what finance has" if report["residue_percent"] else ""
    residue = f"{grouped(report['residue'])} {report['currency']}{share}; the limit is {report['limit_percent']} %"
    console.print(f"unexplained    {residue}", markup=False)
    for reason in dict.fromkeys((*report["why_not_within"], *report["why_not_signed_off"])):
        console.print(f"  - {reason}", markup=False)
    console.print(f"sign-off       {'counts' if report['is_signed_off'] else 'missing'}", markup=False)
