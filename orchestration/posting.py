"""`chargeback post`, `reverse` and `tie-out`: what is sent to the finance system, taken back, and held against it.

Exit codes: 0 everything stands there and ties; 1 the guard refused, or a document was rejected, or nobody knows.
Not here: the steps of a sending (assets/sending.py), the guard (assets/release.py).
"""

import json
import re
import sys
from collections import Counter
from pathlib import Path

import dagster as dg
from rich.console import Console
from rich.table import Table
from rich.text import Text

from assets.enforcement import why_parallel
from assets.posting_month import PostingDesk
from chargeback.ledger.plain_numbers import grouped, plain_amount
from chargeback.ledger.posting_plan import REFUSED, Planned
from chargeback.ledger.statement_page import signed
from chargeback.ledger.tie_out import TieOut
from orchestration.asked_month import asked_month
from orchestration.workspace import Workspace, open_workspace
from resources.clock import now_utc
from resources.finance_system import FinanceFailure
from resources.posting_systems import finance_system
from resources.setting_kinds import SettingsRefused, one_of
from resources.settings import load_settings

FORMATS = ("table", "json")
NARROWEST = 140
_KEY = re.compile(r"gpu-cb:.*:(?P<month>\d{4}-\d\d):[^:]+:[^:]+:r\d+")


def post_and_report(month: str, *, dry_run: bool, again: bool, output: str, config: Path | None) -> int:
    """Send a month, or say what would be sent. Raises SettingsRefused, StoreFailure."""
    one_of(output, FORMATS, "--format")
    workspace, console = open_workspace(load_settings(config)), Console(soft_wrap=True, highlight=False)
    asked = asked_month(month, workspace.settings, now_utc())
    desk = _desk(workspace, console if output == "table" else None)
    if dry_run:
        planned = desk.planned(asked, again=again)
        refused = why_parallel(asked, lake=workspace.lake, people=workspace.people, settings=workspace.settings)
        _show_plan(planned, refused, output, workspace, console)
        return 1 if refused or any(each.action == REFUSED for each in planned) else 0
    try:
        planned, sent = desk.post(asked, again=again)
    except dg.Failure as failure:
        return _refused(failure, output, console)
    not_sent = {each.document.key: each.reason for each in planned if each.action == REFUSED}
    counts = Counter(each.action for each in planned)
    if output == "json":
        told = {"month": month, "planned": dict(counts), "acknowledged": sent.acknowledged, "rejected": sent.rejected,
                "unanswered": sent.unanswered, "refused": not_sent}  # fmt: skip
        sys.stdout.write(json.dumps(told, ensure_ascii=False, sort_keys=True) + "\n")
    else:
        for key, reason in not_sent.items():
            console.print(f"refused      {key}: {reason}", markup=False)
        said = ", ".join(f"{count} {action}" for action, count in sorted(counts.items())) or "no entries"
        console.print(f"{month}: {said}; {len(sent.acknowledged)} acknowledged by {desk.system.name} now", markup=False)
    return 0 if sent.is_well and not not_sent else 1


def reverse_and_report(document_key: str, *, reason: str, config: Path | None) -> int:
    """Take one document back. Raises SettingsRefused for a key of no document that stands there."""
    found = _KEY.fullmatch(document_key)
    if found is None:
        raise SettingsRefused(f"{document_key!r} is no document key; chargeback tie-out MONTH shows them")
    if not reason.strip():
        raise SettingsRefused("say why it is taken back: --reason TEXT")
    workspace, console = open_workspace(load_settings(config)), Console(soft_wrap=True, highlight=False)
    asked = asked_month(found["month"], workspace.settings, now_utc())
    try:
        sent = _desk(workspace, console).reverse(asked, document_key, reason=reason.strip())
    except dg.Failure as failure:
        return _refused(failure, "table", console)
    except ValueError as fault:
        raise SettingsRefused(str(fault)) from None
    return 0 if sent.is_well and sent.acknowledged else 1


def tie_out_and_report(month: str, *, output: str, config: Path | None) -> int:
    """Compare. Raises SettingsRefused; a finance system that does not answer is told in a line."""
    one_of(output, FORMATS, "--format")
    workspace = open_workspace(load_settings(config), to_read=True)
    console = Console(soft_wrap=True, highlight=False)
    asked = asked_month(month, workspace.settings, now_utc())
    desk = _desk(workspace, None)
    try:
        tied = desk.tie_out(asked)
    except FinanceFailure as failure:
        Console(stderr=True, soft_wrap=True, highlight=False).print(f"chargeback: {failure}", style="red", markup=False)
        return 1
    if output == "json":
        sys.stdout.write(json.dumps(_told(month, tied), ensure_ascii=False, sort_keys=True) + "\n")
    else:
        _show_tie_out(month, tied, desk, workspace, console)
    return 0 if tied.ties else 1


def _desk(workspace: Workspace, console: Console | None) -> PostingDesk:
    def told(line: str) -> None:
        if console is not None:
            console.print(line, markup=False)

    return PostingDesk(
        workspace.lake, workspace.evidence, workspace.people, workspace.settings,
        finance_system(workspace.settings, workspace.store), told,
    )  # fmt: skip


def _refused(failure: dg.Failure, output: str, console: Console) -> int:
    reasons = (failure.description or "").splitlines()
    if output == "json":
        sys.stdout.write(json.dumps({"refused": reasons}, ensure_ascii=False) + "\n")
    else:
        for reason in reasons:
            console.print(f"refused        {reason}", style="red", markup=False)
    return 1


def _show_plan(
    planned: list[Planned], refused: tuple[str, ...], output: str, workspace: Workspace, console: Console
) -> None:
    money = workspace.settings.currency
    rows = [
        {"document": each.document.key, "action": each.action, "reason": each.reason,
         "amount": plain_amount(each.document.debit_amount, money)}
        for each in planned
    ]  # fmt: skip
    if output == "json":
        told = {"would_be_refused": list(refused), "entries": rows}
        sys.stdout.write(json.dumps(told, ensure_ascii=False, sort_keys=True) + "\n")
        return
    console.width = max(console.width, NARROWEST)
    table = Table("document", "would", f"debits, {money.code}", "because")
    table.columns[2].justify = "right"
    for row in rows:
        table.add_row(Text(row["document"]), row["action"], grouped(row["amount"]), Text(row["reason"]))
    console.print(table)
    for reason in refused:
        console.print(f"refused        {reason}", markup=False)
    console.print("a dry run: nothing was sent", markup=False)


def _show_tie_out(month: str, tied: TieOut, desk: PostingDesk, workspace: Workspace, console: Console) -> None:
    currency = workspace.settings.currency
    table = Table(
        "account", "sent", desk.system.name, "difference", title=f"{month}, {currency.code}: debits less credits"
    )
    for column in table.columns[1:]:
        column.justify = "right"
    for each in tied.accounts:
        texts = (plain_amount(amount, currency) for amount in (each.ours, each.theirs))
        table.add_row(each.account, *map(grouped, texts), signed(plain_amount(each.difference, currency)))
    console.print(table)
    for finding in tied.findings:
        console.print(f"  - {finding}", markup=False)
    console.print("ties out" if tied.ties else "does NOT tie out", markup=False)


def _told(month: str, tied: TieOut) -> dict[str, object]:
    accounts = [
        {"account": each.account, "ours": f"{each.ours:f}", "theirs": f"{each.theirs:f}",
         "difference": f"{each.difference:f}"}
        for each in tied.accounts
    ]  # fmt: skip
    return {"month": month, "ties": tied.ties, "accounts": accounts, "findings": list(tied.findings)}
