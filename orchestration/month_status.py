"""`chargeback status`: where a month stands, what is missing, and who must act; and objections with their answers.

Not here: the stages (chargeback/ledger/month_status.py).
"""

import json
import sys
from datetime import date
from decimal import Decimal
from pathlib import Path

from rich.console import Console
from rich.table import Table
from rich.text import Text

from assets.closed_months import closed_months
from assets.enforcement import month_lines, why_parallel
from assets.materialisation import Month
from assets.release import why_not_in_force
from assets.signatures import Signatures
from chargeback.contracts.outbox import ACKNOWLEDGED
from chargeback.contracts.postings import POSTINGS
from chargeback.contracts.statements import STATEMENTS
from chargeback.ledger.month_status import DONE, LATE, MonthFacts, Stage, stages_of
from chargeback.ledger.posting_document import plain_text
from chargeback.signatures.judgement import Approvable
from chargeback.signatures.objections import Objection, answer_of, objection_of, objections_of
from orchestration.approving import approve
from orchestration.asked_month import asked_month
from orchestration.signing_desk import Desk, desk_of
from orchestration.workspace import Workspace, open_workspace
from resources.setting_kinds import SettingsRefused, one_of

FORMATS = ("table", "json")
STYLES = {DONE: "green", LATE: "red"}


def status_and_report(month: str | None, *, output: str, config: Path | None) -> None:
    """Print the stages of a month; default: the one before the running one, else the first. Raises SettingsRefused."""
    one_of(output, FORMATS, "--format")
    desk = desk_of(config)
    workspace = open_workspace(desk.settings, to_read=True)
    today = desk.now.astimezone(desk.settings.zone).date()
    asked = asked_month(month or _latest_over(today, workspace), desk.settings, desk.now)
    stages = stages_of(facts_of(asked, workspace), today=today)
    objections = _objections(asked.period.month, workspace)
    if output == "json":
        told = {
            "month": asked.period.month,
            "stages": [
                {"stage": each.name, "state": each.state, "due": each.due.isoformat() if each.due else "",
                 "missing": each.missing, "who": each.owner}
                for each in stages
            ],
            "objections": [
                {"about": each.about, "by": each.by, "reason": each.reason, "answer": each.answer or ""}
                for each in objections
            ],
        }  # fmt: skip
        sys.stdout.write(json.dumps(told, ensure_ascii=False, sort_keys=True) + "\n")
        return
    _print(asked.period.month, stages, objections)


def facts_of(month: Month, workspace: Workspace) -> MonthFacts:
    """What is known of a month now. Raises PeopleRefused where what is signed cannot be read."""
    settings, lake, people = workspace.settings, workspace.lake, workspace.people
    name, working, end = month.period.month, settings.calendar.working_days, settings.month_end
    postings = lake.scan(POSTINGS, [month.partition]).frame.select("state", "hold").collect()
    is_closed = name in closed_months(lake)
    certified = () if is_closed else why_not_in_force(
        month, lake=lake, evidence=workspace.evidence, people=people, settings=settings
    )  # fmt: skip
    return MonthFacts(
        month=name,
        ends=date.fromisoformat(month.period.days[-1]),
        cut_off=end.cut_off(month.period, working),
        objections_until=end.objections_until(month.period, working),
        is_billed=lake.state(STATEMENTS, month.partition) is not None,
        why_not_certified=certified,
        open_objections=[_told(each) for each in _objections(name, workspace) if each.answer is None],
        why_parallel=why_parallel(month, lake=lake, people=people, settings=settings),
        posted=sum(postings["state"] == ACKNOWLEDGED),
        to_post=sum(postings["hold"] == ""),
        is_closed=is_closed,
    )


def object_to(
    month: str, about: str, *, by: str | None, key: Path | None, reason: str | None, draft: Path | None,
    config: Path | None,
) -> None:  # fmt: skip
    """Write or land an objection to a line or a team of a month. Raises SettingsRefused for one that is not there."""
    desk = desk_of(config)
    workspace = open_workspace(desk.settings, to_read=True)
    asked = asked_month(month, desk.settings, desk.now)
    lines = month_lines(asked.period.month, workspace.lake)
    found = lines.filter((lines["line_id"] == about) | (lines["team"] == about))
    if found.is_empty():
        raise SettingsRefused(f"{month} has no line and no team {about!r}: chargeback statement TEAM {month}")
    thing = objection_of(month, about, amount=plain_text(sum(found["amount"], Decimal(0))))
    _approve_here(thing, by=by, key=key, reason=reason, draft=draft, desk=desk)


def answer(
    month: str, about: str, *, by: str | None, key: Path | None, reason: str | None, draft: Path | None,
    config: Path | None,
) -> None:  # fmt: skip
    """Write or land finance's answer to the first open objection to a line or team. Raises SettingsRefused."""
    desk = desk_of(config)
    workspace = open_workspace(desk.settings, to_read=True)
    waiting = [each for each in _objections(month, workspace) if each.about == about and each.answer is None]
    if not waiting:
        raise SettingsRefused(f"nobody waits for an answer about {about} of {month}: chargeback status {month}")
    _approve_here(answer_of(waiting[0]), by=by, key=key, reason=reason, draft=draft, desk=desk)


def _approve_here(thing: Approvable, *, by: str | None, key: Path | None, reason: str | None, draft: Path | None,
                  desk: Desk) -> None:  # fmt: skip
    console = Console(soft_wrap=True, highlight=False)
    approve(thing, by=by, reason=reason, key=key, draft=draft, desk=desk, console=console)


def _objections(month: str, workspace: Workspace) -> list[Objection]:
    signed = Signatures.of(workspace.people)
    return objections_of(month, signed.records, signed.keyring)


def _told(objection: Objection) -> str:
    return f"{objection.about}: {objection.reason} ({objection.by}), not answered"


def _latest_over(today: date, workspace: Workspace) -> str:
    """The month before the running one, or the running one where the lake began in it."""
    first = workspace.settings.first_day.isoformat()[:7]
    before = f"{today.year - (today.month == 1)}-{(today.month - 2) % 12 + 1:02d}"
    return max(first, before)


def _print(month: str, stages: list[Stage], objections: list[Objection]) -> None:
    console = Console(soft_wrap=True, highlight=False)
    console.width = max(console.width, 140)
    table = Table("stage", "state", "due", "missing", "who acts", title=f"where {month} stands", title_justify="left")
    for each in stages:
        state = Text(each.state, style=STYLES.get(each.state, "yellow"))
        table.add_row(each.name, state, each.due.isoformat() if each.due else "", Text(each.missing), each.owner)
    console.print(table)
    for objection in objections:
        said = f"answered: {objection.answer}" if objection.answer else "not answered"
        console.print(f"objection      {objection.about}: {objection.reason} ({objection.by}); {said}", markup=False)
