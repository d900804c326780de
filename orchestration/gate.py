"""`chargeback gate`: what passed and failed of a month, sample rows, and who must act; as a table, JSON or a page.

Exit codes: 0 the month is certified, 1 it is not. Not here: checks (checks/), certifying (assets/certification.py).
"""

import json
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from assets.gate_results import WARNING, PartitionResult, gate_results
from assets.materialisation import Month
from assets.release import why_not_in_force
from chargeback.contracts.certificate import CERTIFICATE
from chargeback.ledger.gate_page import render_gate
from chargeback.ledger.gate_report import CheckResult, gate_report
from chargeback.signatures.fields import Unreadable, read_instant
from chargeback.signatures.waivers import waiver_of
from checks.gate import Check
from checks.registry import ALL_CHECKS
from orchestration.approving import approve
from orchestration.asked_month import asked_month
from orchestration.certificate_proof import proof_of
from orchestration.local_files import write_file
from orchestration.signing_desk import desk_of
from orchestration.workspace import Workspace, open_workspace
from resources.setting_kinds import SettingsRefused, one_of
from resources.settings import Settings, load_settings

FORMATS = ("table", "json", "html")
FOLDER = "gate"
NARROWEST = 150
COLOURS = {"passed": "green", "warning": "yellow", "missing": "bright_black", "failed": "red"}


def gate_and_report(month: str, *, every: bool, output: str, to: Path | None, config: Path | None) -> int:
    """Print the gate of a month and write its page. Raises SettingsRefused."""
    one_of(output, FORMATS, "--format")
    settings = load_settings(config)
    workspace = open_workspace(settings, to_read=True)
    asked = asked_month(month, settings, datetime.now(UTC))
    report = report_of(asked, workspace)
    if output == "json":
        sys.stdout.write(json.dumps(report, ensure_ascii=False, sort_keys=True) + "\n")
    elif output == "html":
        sys.stdout.buffer.write(render_gate(report))
    else:
        console = Console(soft_wrap=True, highlight=False)
        _print(report, console, every=every)
        document, faults = proof_of(asked, workspace, datetime.now(UTC))
        said = f"{document}: {'; '.join(faults) or 'signed by the deployment, and follows the month before'}"
        console.print(f"document       {said.removeprefix(': ')}", markup=False)
        console.print(f"page           {kept_page(report, workspace, to)}", markup=False)
    return 0 if report["is_certified"] else 1


def waive_findings(
    month: str,
    check: str,
    *,
    until: str | None,
    by: str | None,
    key: Path | None,
    reason: str | None,
    draft: Path | None,
    config: Path | None,
) -> None:
    """Write or land a waiver of what a check found in a month.

    Raises  SettingsRefused for an unknown check, one that stops something or found nothing, and without an end;
            PeopleRefused where the signature would not count.
    """
    desk = desk_of(config)
    workspace = open_workspace(desk.settings, to_read=True)
    asked = asked_month(month, desk.settings, desk.now)
    found = gate_results(asked, lake=workspace.lake, evidence=workspace.evidence, settings=desk.settings)
    of_check = [each for (_, name), results in found.items() if name == check for each in results]
    warned = {
        each.partition: workspace.evidence.record(each.evidence)
        for each in of_check
        if each.outcome == WARNING and each.evidence is not None
    }
    if not warned:
        outcomes = ", ".join(sorted({each.outcome for each in of_check})) or "unknown"
        raise SettingsRefused(f"check {check} of {month} is {outcomes}: only findings that stop nothing are waived")
    if until is None:
        raise SettingsRefused("say when the waiver ends: --until 2026-12-01T00:00:00Z")
    try:
        ends = read_instant(until, "--until")
    except Unreadable as fault:
        raise SettingsRefused(str(fault)) from None
    if ends < asked.period.interval.end:
        raise SettingsRefused(f"a waiver holds to the end of its month, {asked.period.interval.end:%Y-%m-%dT%H:%M:%SZ}")
    console = Console(soft_wrap=True, highlight=False)
    approve(
        waiver_of(month, check, warned), by=by, reason=reason, key=key, draft=draft, until=ends, desk=desk,
        console=console,
    )  # fmt: skip


def report_of(month: Month, workspace: Workspace) -> dict[str, Any]:
    """The document of a month's gate, for what stands in the lake now."""
    lake, evidence, people, settings = workspace.lake, workspace.evidence, workspace.people, workspace.settings
    reasons = why_not_in_force(month, lake=lake, evidence=evidence, people=people, settings=settings)
    found = gate_results(month, lake=lake, evidence=evidence, settings=settings)
    checks = {(check.contract.table, check.name): check for check in ALL_CHECKS}
    results = [
        _result(checks[key], partitions, settings)
        for key, partitions in found.items()
        if partitions or not _is_of_no_cluster(checks[key], month)
    ]
    state = lake.state(CERTIFICATE, month.partition)
    return gate_report(
        month.period.month,
        results,
        is_certified=not reasons,
        certificate=state.content_hash if state and not reasons else "",
        reasons=reasons,
    )


def _is_of_no_cluster(check: Check, month: Month) -> bool:
    """Whether no cluster of this lake has the table: its scheduler is another."""
    return check.contract.partitioned_by == ("cluster", "day") and not month.days_of(check.contract)


def kept_page(report: dict[str, Any], workspace: Workspace, to: Path | None = None) -> str:
    """Write the page to a file, or where the certificate's asset links to; its address."""
    page = render_gate(report)
    if to is not None:
        write_file(to, page)
        return str(to)
    key = f"{FOLDER}/{report['month']}/gate.html"
    workspace.store.put(key, page)
    return workspace.settings.location.child(key)


def _result(check: Check, partitions: Sequence[PartitionResult], settings: Settings) -> CheckResult:
    by_outcome: dict[str, list[str]] = {}
    samples: list[dict[str, str]] = []
    findings = 0
    for each in partitions:
        by_outcome.setdefault(each.outcome, []).append(each.partition)
        if each.evidence is not None:
            findings += int(each.evidence.metrics["findings"])
            samples += [
                {"partition": each.partition, **{name: str(value) for name, value in sample.items()}}
                for sample in each.evidence.samples
                if not each.evidence.passed
            ]
    return CheckResult(
        table=check.contract.table,
        check=check.name,
        holds=check.holds,
        owner=check.owner,
        stops=check.stops,
        limit=check.tolerated(settings),
        partitions=by_outcome,
        findings=findings,
        samples=samples,
    )


def _print(report: dict[str, Any], console: Console, *, every: bool) -> None:
    console.width = max(console.width, NARROWEST)
    counts = ", ".join(f"{count} {name}" for name, count in report["counts"].items() if count)
    said = f"certified {report['certificate'][:12]}" if report["is_certified"] else "NOT certified"
    console.print(f"the gate of {report['month']}: {said}; {counts}", style="bold", markup=False)
    table = Table("check", "table", "outcome", "findings", "where", "first of them", "who acts")
    for each in report["checks"]:
        if each["outcome"] != "passed" or every:
            first = each["samples"][0] if each["samples"] else None
            found = f"{first['key']}: expected {first['expected']}, found {first['observed']}" if first else ""
            table.add_row(
                each["check"], each["table"], Text(each["outcome"], style=COLOURS[each["outcome"]]),
                str(each["findings"]), Text(each["where"]), Text(found),
                each["owner"] if each["outcome"] != "passed" else "",
            )  # fmt: skip
    if table.row_count:
        console.print(table)
    if not every and report["counts"]["passed"]:
        console.print(f"{report['counts']['passed']} checks passed: --all shows them", markup=False)
    for reason in report["reasons"][:12]:
        console.print(f"  - {reason}", markup=False)
    if len(report["reasons"]) > 12:
        console.print(f"  ... and {len(report['reasons']) - 12} more, on the page")
