"""`chargeback close`: a certified month that its controller signed, closed on every month table. There is no reopening.

Cut short anywhere, the same command goes on where it stopped, whatever a run made of the open tables meanwhile
(close_contents.py); repeated, it changes nothing.
Not here: the property on the tables (resources/lake_closing.py), what is made of later changes (assets/corrections.py).
"""

import re
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from rich.console import Console

from assets.closed_months import closed_months
from assets.materialisation import Month, month_called
from assets.release import why_not_in_force
from chargeback.billing_period import next_month
from chargeback.contracts.certificate import CERTIFICATE
from chargeback.contracts.postings import POSTINGS
from chargeback.contracts.published import PUBLISHED
from chargeback.contracts.registry import MONTHLY
from chargeback.signatures.fields import Unreadable
from chargeback.signatures.judgement import Approvable, Counted, LandedRecord, judge
from chargeback.signatures.keyring import Keyring
from chargeback.signatures.record import Record, SignedRecord
from orchestration.close_contents import (
    CLOSING_ORDER,
    certified_contents,
    contents_by_partition,
    differing,
    put_back,
)
from orchestration.close_focus import let_out_closed
from orchestration.key_signing import signed_with
from orchestration.local_files import write_file
from orchestration.signing_desk import Desk, desk_of
from orchestration.workspace import Workspace, open_workspace
from resources.lake_records import LakeRefusal
from resources.people_objects import PeopleRefused
from resources.setting_kinds import SettingsRefused

KIND = "closing"


@dataclass(frozen=True, slots=True)
class Closed:
    """What a closing came to. `is_repeat`: every table was closed before. `put_back`: what was made certified again."""

    month: str
    certificate_hash: str
    by: str
    is_repeat: bool
    put_back: tuple[str, ...] = ()


def close_and_report(
    month: str, *, by: str | None, key: Path | None, reason: str | None, draft: Path | None, config: Path | None
) -> None:
    """Close a month, or write the draft that its controller signs. Raises what `close` does."""
    desk = desk_of(config)
    workspace = open_workspace(desk.settings)
    console = Console(soft_wrap=True, highlight=False)
    if draft is not None:
        record = _draft(month, by=by, reason=reason, workspace=workspace, now=desk.now)
        write_file(draft, SignedRecord(record).content())
        console.print(
            f"draft of {record.told()} in {draft}; next: chargeback key sign {draft} --key FILE", markup=False
        )
        return
    if key is not None:
        _sign_and_land(month, by=by, reason=reason, key=key, desk=desk, workspace=workspace)
    closed = close(month, workspace=workspace, desk=desk)
    for line in closed.put_back:
        console.print(line, markup=False)
    let_out_closed(month, closed.certificate_hash, workspace)
    said = "was closed before" if closed.is_repeat else "is closed"
    console.print(f"{closed.month} {said} under certificate {closed.certificate_hash[:12]}, {closed.by}", markup=False)
    console.print(f"what changes of it from now on is a correction in {next_month(month)}", markup=False)


def close(month: str, *, workspace: Workspace, desk: Desk) -> Closed:
    """Close every month table under the certificate that stands, by a controller's landed record.

    One that began goes on under the certificate that it began with: it was verified then, and what a run has made of
    tables that were still open is put back to what was certified. Source: docs/decisions/0032.
    Raises  PeopleRefused with every reason: the month is not over or not next in order, its certificate is missing or
            does not hold, nobody who may has signed exactly that certificate, a table has another content than the
            certified one; LakeRefusal where that comes between, or what was certified is not kept any more.
    """
    lake = workspace.lake
    begun_under = _closed_under(month, workspace)
    if month in closed_months(lake):
        return Closed(month, begun_under or "", "for good", is_repeat=True)
    billed = _billed(month, workspace, desk.now)
    content = begun_under or _verified(billed, workspace)
    approval = _approval(month, content, desk)
    contents = certified_contents(month, content, workspace)
    differs = differing(month, contents, workspace)
    if begun_under is None:
        _refuse(tuple(each.told(month) for each in differs))
    told = put_back(month, differs, workspace)
    lake.close_month(
        month,
        by=approval.told(),
        certificate_hash=content,
        contracts=CLOSING_ORDER,
        contents=contents_by_partition(month, contents),
    )
    return Closed(month, content, approval.told(), is_repeat=False, put_back=told)


def _draft(month: str, *, by: str | None, reason: str | None, workspace: Workspace, now: datetime) -> Record:
    """What the controller is to sign: month and certificate. Refused like the closing itself."""
    if not (by or "").strip() or not (reason or "").strip():
        raise SettingsRefused("say who prepares the closing and why: --by NAME --reason TEXT")
    billed = _billed(month, workspace, now)
    content = _closed_under(month, workspace) or _verified(billed, workspace)
    return Record(KIND, month, content, str(by).strip(), str(reason).strip())


def _sign_and_land(
    month: str, *, by: str | None, reason: str | None, key: Path, desk: Desk, workspace: Workspace
) -> None:
    """The controller signs in one go; a month that is closed already is signed no more."""
    if month in closed_months(workspace.lake):
        return
    record = _draft(month, by=by, reason=reason, workspace=workspace, now=desk.now)
    signed = signed_with(record, desk=desk, key=key, name=f"closing of {month}")
    desk.landing.land(signed.content(), source="approvals", cluster=None, extracted_at=desk.now, extension="json")


def _billed(month: str, workspace: Workspace, now: datetime) -> Month:
    """The month, if it is over and the next to be closed. Raises SettingsRefused, PeopleRefused."""
    settings = workspace.settings
    first = settings.first_day.isoformat()[:7]
    if not re.fullmatch(r"\d{4}-(0[1-9]|1[0-2])", month) or month < first:
        raise SettingsRefused(f"{month!r} is no month of this lake; write it as 2026-10, the first is {first}")
    billed = month_called(month, settings)
    ends = billed.period.interval.end
    if now < ends:
        raise PeopleRefused((f"{month} is not over: it ends at {ends:%Y-%m-%dT%H:%M:%SZ}, close it after that",))
    closed = closed_months(workspace.lake)
    earliest = next_month(max(closed)) if closed else first
    if earliest < month:
        raise PeopleRefused((f"{month} cannot be closed while {earliest} is open: months close in order",))
    return billed


def _why_not_certified(billed: Month, workspace: Workspace) -> tuple[str, ...]:
    """Why the certificate that stands is no ground to close on: missing, of other contents, or nothing was let out."""
    reasons = why_not_in_force(
        billed, lake=workspace.lake, evidence=workspace.evidence, people=workspace.people, settings=workspace.settings
    )
    never = [
        f"{table.table} {billed.period.month}: was never written, and could not be after closing: chargeback bill"
        for table in (PUBLISHED, POSTINGS)
        if workspace.lake.state(table, billed.partition) is None
    ]
    return (*reasons, *never)


def _approval(month: str, content: str, desk: Desk) -> Counted:
    """The first landed record that counts. Raises PeopleRefused with every reason that none does."""
    keyring: Keyring = desk.keyring()
    try:
        records, _ = desk.people.signed.records()
    except Unreadable as fault:
        raise PeopleRefused((str(fault),)) from None
    about = [each for each in records if (each.signed.record.kind, each.signed.record.subject) == (KIND, month)]
    reasons: list[str] = []
    for landed in sorted(about, key=lambda each: (each.landed_at, each.object_key)):
        judged = _judged(landed, month, content, keyring, desk.now)
        if isinstance(judged, Counted):
            return judged
        reasons += judged
    nobody = (
        f"nobody has signed the closing of {month} with certificate {content[:12]}: a controller does, with "
        "--key FILE --by NAME --reason TEXT, or signs the file that --draft writes"
    )
    raise PeopleRefused((*(reasons or [nobody]), f"{month} stays open"))


def _judged(
    landed: LandedRecord, month: str, content: str, keyring: Keyring, now: datetime
) -> Counted | tuple[str, ...]:
    thing = Approvable(KIND, month, content, landed.signed.record.prepared_by)
    return judge(landed, thing, keyring=keyring, holds_until=now)


def _verified(billed: Month, workspace: Workspace) -> str:
    """The certificate that stands and holds. Raises PeopleRefused with every reason why none does."""
    _refuse(_why_not_certified(billed, workspace))
    state = workspace.lake.state(CERTIFICATE, billed.partition)
    return state.content_hash if state else ""


def _closed_under(month: str, workspace: Workspace) -> str | None:
    """The certificate under which any month table is closed already."""
    under = {workspace.lake.closed_under(contract, month) for contract in MONTHLY} - {None}
    if len(under) > 1:
        raise LakeRefusal(f"{month} is closed under several certificates: {', '.join(sorted(map(str, under)))}")
    return next(iter(under), None)


def _refuse(reasons: tuple[str, ...]) -> None:
    if reasons:
        raise PeopleRefused((*reasons, "nothing was closed"))
