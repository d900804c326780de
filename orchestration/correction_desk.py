"""`chargeback corrections`: the corrections of a month with who must act, and the draft that its controller signs.

Not here: what they are (assets/corrections.py), what is shown of each (chargeback/ledger/correction_report.py), signing
(key_signing.py).
"""

import json
import sys
from pathlib import Path
from typing import Any

import polars as pl
from rich.console import Console
from rich.table import Table

from assets.closed_months import closed_months
from chargeback.contracts.corrections import CORRECTIONS
from chargeback.ledger.correction_policy import approvable_corrections, approved, records_about
from chargeback.ledger.correction_report import BLOCKED, correction_report, render_report_csv
from chargeback.ledger.plain_numbers import grouped
from chargeback.ledger.statement_page import signed
from chargeback.signatures.fields import Unreadable
from chargeback.signatures.record import Record, SignedRecord
from orchestration.asked_month import asked_month
from orchestration.local_files import write_file
from orchestration.signing_desk import Desk, desk_of
from orchestration.workspace import Workspace, open_workspace
from resources.people_objects import PeopleRefused
from resources.setting_kinds import SettingsRefused, one_of

FORMATS = ("table", "json", "csv")
NARROWEST = 160


def corrections_and_report(
    month: str, *, draft: Path | None, reason: str | None, output: str, config: Path | None
) -> None:
    """Print them, or write the draft.

    Raises  SettingsRefused for an unknown format or month, one that was not billed, a draft without a reason or with
            nothing to be signed; PeopleRefused where a signed record cannot be read.
    """
    one_of(output, FORMATS, "--format")
    desk = desk_of(config)
    workspace = open_workspace(desk.settings, to_read=True)
    rows = _rows(month, workspace, desk)
    report = report_of(rows, month=month, workspace=workspace, desk=desk)
    console = Console(soft_wrap=True, highlight=False)
    if draft is not None:
        record = drafted(rows, report, reason=reason)
        write_file(draft, SignedRecord(record).content())
        told = f"draft of {record.told()} in {draft}; next, by the controller: chargeback key sign {draft} --key FILE"
        console.print(told, markup=False)
    elif output == "csv":
        sys.stdout.buffer.write(render_report_csv(report))
    elif output == "json":
        sys.stdout.write(json.dumps(report, ensure_ascii=False, sort_keys=True) + "\n")
    else:
        _print(report, console)


def report_of(rows: pl.DataFrame, *, month: str, workspace: Workspace, desk: Desk) -> dict[str, Any]:
    """The report of contracts.corrections of a month, judged by the records that have landed by now."""
    settings = desk.settings
    try:
        records, _ = desk.people.signed.records()
    except Unreadable as fault:
        raise PeopleRefused((str(fault),)) from None
    keyring, _ = desk.people.signed.keyring()
    now = approved(rows, records_about(records, month=month), keyring=keyring, month=month)
    said = now.filter("needs_approval")["approval"].head(1).to_list()
    return correction_report(
        rows,
        month=month,
        is_closed=month in closed_months(workspace.lake),
        approval_now=said[0] if said else "",
        policy=settings.corrections.policy(fiscal_year_first_month=settings.calendar.fiscal_year_first_month),
        currency=settings.currency,
    )


def drafted(rows: pl.DataFrame, report: dict[str, Any], *, reason: str | None) -> Record:
    """The record of exactly the lines and amounts that wait for the controller; prepared by the rule itself.

    Raises SettingsRefused without a reason, or where nothing waits.
    """
    if not (reason or "").strip():
        raise SettingsRefused("say why these corrections are right: --reason TEXT")
    if not report["to_be_signed"]:
        raise SettingsRefused(f"{report['month']}: no correction waits for the controller; nothing is to be signed")
    thing = approvable_corrections(rows, month=report["month"])
    return Record(thing.kind, thing.subject, thing.content_sha256, thing.prepared_by, str(reason).strip())


def _rows(month: str, workspace: Workspace, desk: Desk) -> pl.DataFrame:
    """contracts.corrections of the month. Raises SettingsRefused where it was never computed."""
    asked = asked_month(month, desk.settings, desk.now)
    scanned = workspace.lake.scan(CORRECTIONS, [asked.partition])
    if scanned.missing:
        raise SettingsRefused(f"the corrections of {month} were never computed: chargeback bill {month}")
    return scanned.frame.collect()


def _print(report: dict[str, Any], console: Console) -> None:
    console.width = max(console.width, NARROWEST)
    state = "closed" if report["is_closed"] else "open"
    console.print(f"corrections that {report['month']} books ({state})", style="bold", markup=False)
    if not report["rows"]:
        console.print("none: no closed month says anything else today", markup=False)
        return
    table = Table("state", "corrects", "team", "line", "reason", "stood", "now", report["currency"])
    for row in report["rows"]:
        style = "yellow" if row["state"] == BLOCKED else ""
        amounts = (grouped(row["stood_amount"]), grouped(row["fresh_amount"]), signed(row["amount"]))
        told = (row["state"], row["corrects_month"], row["team"], row["line_id"], row["reason"])
        table.add_row(*told, *amounts, style=style)
    console.print(table)
    for each in report["states"]:
        amount = f"{signed(each['amount'])} {report['currency']}"
        lines = "1 line" if each["lines"] == 1 else f"{each['lines']} lines"
        console.print(f"{each['state']}: {lines}, {amount}; {each['acts']}", markup=False)
    if report["to_be_signed"]:
        console.print(f"to be signed: content {report['to_be_signed']}", markup=False)
