"""`chargeback enforcement`: whether a month is charged and who must act; the sponsor's and the owners' signatures.

Not here: the rule (chargeback/ledger/enforcement.py).
"""

import json
import sys
from pathlib import Path

from rich.console import Console

from assets.enforcement import month_lines, why_parallel
from chargeback.ledger.posting_document import plain_text
from chargeback.ledger.variance import ours_of
from chargeback.signatures.enforcement import acceptance_of, sponsorship_of
from chargeback.signatures.judgement import Approvable
from orchestration.approving import approve
from orchestration.asked_month import asked_month
from orchestration.signing_desk import desk_of
from orchestration.workspace import Workspace, open_workspace
from resources.setting_kinds import SettingsRefused, one_of

FORMATS = ("table", "json")


def enforcement_and_report(
    month: str,
    *,
    sponsor: bool,
    accept: str | None,
    by: str | None,
    key: Path | None,
    reason: str | None,
    draft: Path | None,
    output: str,
    config: Path | None,
) -> None:
    """Say why a month is not charged, or that it is; or sign. Raises SettingsRefused, PeopleRefused."""
    one_of(output, FORMATS, "--format")
    desk = desk_of(config)
    workspace = open_workspace(desk.settings, to_read=True)
    console = Console(soft_wrap=True, highlight=False)
    asked = asked_month(month, desk.settings, desk.now)
    if sponsor and accept:
        raise SettingsRefused("--sponsor or --accept COST_CENTRE: two people sign two records")
    if sponsor or accept:
        thing = sponsorship_of(desk.settings.enforcement.terms) if accept is None else _accepted(
            month, accept, workspace
        )  # fmt: skip
        approve(thing, by=by, reason=reason, key=key, draft=draft, desk=desk, console=console)
        return
    reasons = why_parallel(asked, lake=workspace.lake, people=workspace.people, settings=workspace.settings)
    if output == "json":
        told = {"month": month, "is_enforced": not reasons, "reasons": list(reasons)}
        sys.stdout.write(json.dumps(told, ensure_ascii=False, sort_keys=True) + "\n")
        return
    said = "runs in parallel: it is reported and charged to nobody" if reasons else "is charged"
    console.print(f"{month} {said}", markup=False)
    for each in reasons:
        console.print(f"  - {each}", markup=False)


def _accepted(month: str, cost_centre: str, workspace: Workspace) -> Approvable:
    ours = ours_of(month_lines(month, workspace.lake))
    if cost_centre not in ours:
        raise SettingsRefused(
            f"cost centre {cost_centre!r} has nothing in {month}; known: {', '.join(sorted(ours)) or 'none'}"
        )
    return acceptance_of(month, cost_centre, amount=plain_text(ours[cost_centre].amount))
