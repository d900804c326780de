"""`chargeback notify`, and the sensor that does the same: who must act on what of the last two months, said once.

Exit codes: 0 all was said, 1 an address could not be reached. Not here: sending (resources/notices.py).
"""

from collections.abc import Sequence
from datetime import UTC, date, datetime
from pathlib import Path

import dagster as dg
from rich.console import Console

from assets.materialisation import month_called
from chargeback.billing_period import BillingPeriod
from chargeback.contracts.outbox import OUTBOX, REJECTED, SENT
from chargeback.contracts.partition import Partition
from chargeback.ledger.month_status import LATE, stages_of
from chargeback.ledger.outbox import standings_of
from orchestration.month_status import facts_of
from orchestration.workspace import Workspace, open_workspace
from resources.notices import Notice, addresses_in, tell
from resources.setting_kinds import SettingsRefused
from resources.settings import Settings, load_settings

SENSOR = "notices"
LOOK_EVERY_SECONDS = 600


def notify_and_report(*, dry_run: bool, config: Path | None) -> int:
    """Say what is new, or print it. Raises SettingsRefused where no address is set, PeopleRefused."""
    workspace = open_workspace(load_settings(config), to_read=True)
    console = Console(soft_wrap=True, highlight=False)
    notices = notices_of(workspace, datetime.now(UTC))
    if dry_run:
        for notice in notices:
            console.print(f"{notice.title}: {notice.body}", markup=False)
        console.print(f"{len(notices)} things to act on; a dry run: nobody was told", markup=False)
        return 0
    addresses = addresses_in(workspace.settings.notices.addresses_env)
    if not addresses:
        raise SettingsRefused(f"nobody to tell: set {workspace.settings.notices.addresses_env} to slack://..., ...")
    try:
        told = tell(notices, addresses=addresses, store=workspace.store)
    except ValueError as fault:
        raise SettingsRefused(str(fault)) from None
    console.print(
        f"{len(told.sent)} told now, {len(told.before)} before, {len(told.failed)} not: an address does not answer",
        markup=False,
    )
    return 1 if told.failed else 0


def notices_of(workspace: Workspace, now: datetime) -> list[Notice]:
    """What somebody must act on: late stages and open objections of the last months, documents without a good end."""
    today = now.astimezone(workspace.settings.zone).date()
    found: list[Notice] = []
    for name in _months(today, workspace):
        facts = facts_of(month_called(name, workspace.settings), workspace)
        found += [
            Notice(f"GPU chargeback {name}: {stage.name} is late", f"{stage.missing}; {stage.owner} acts")
            for stage in stages_of(facts, today=today)
            if stage.state == LATE
        ]
        found += [Notice(f"GPU chargeback {name}: an objection", f"{each}; finance answers")
                  for each in facts.open_objections]  # fmt: skip
        rows = workspace.lake.scan(OUTBOX, [Partition.of_month(name)]).frame.collect()
        found += [
            Notice(f"GPU chargeback {name}: {key} is {each.state}", f"{each.reason or 'no answer'}; finance acts")
            for key, each in sorted(standings_of(rows).items())
            if each.state in (REJECTED, SENT)
        ]
    return found


def notice_sensor(settings: Settings) -> dg.SensorDefinition:
    """Looks every ten minutes; on if notices.enabled and automation.enabled. Requests no run."""

    def look(_context: dg.SensorEvaluationContext) -> dg.SkipReason:
        workspace = open_workspace(settings, to_read=True)
        addresses = addresses_in(settings.notices.addresses_env)
        told = tell(notices_of(workspace, datetime.now(UTC)), addresses=addresses, store=workspace.store)
        return dg.SkipReason(f"{len(told.sent)} told now, {len(told.before)} before, {len(told.failed)} not reached")

    is_on = settings.notices.enabled and settings.automation.enabled
    return dg.SensorDefinition(
        name=SENSOR,
        evaluation_fn=look,
        minimum_interval_seconds=LOOK_EVERY_SECONDS,
        default_status=dg.DefaultSensorStatus.RUNNING if is_on else dg.DefaultSensorStatus.STOPPED,
        description="Tells people what they must act on: late stages, objections, documents without an answer.",
    )


def _months(today: date, workspace: Workspace) -> Sequence[str]:
    """The running month and the one before, as far as the lake has them."""
    running = BillingPeriod(today.isoformat()[:7], workspace.settings.zone)
    first = workspace.settings.first_day.isoformat()[:7]
    return [name for name in (running.previous.month, running.month) if name >= first]
