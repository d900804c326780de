"""What a month's own tables follow from beside the contents of its days: asked before a month is run at all.

Not here: the days themselves (plan.py), running them (bill.py).
"""

from dataclasses import replace

from assets.certification import waivers_of
from assets.closed_months import looked_at
from assets.enforcement import mode_now
from assets.materialisation import Month, month_called
from chargeback.billing_period import BillingPeriod
from chargeback.contracts.outbox import OUTBOX
from chargeback.ledger.enforcement import ENFORCED
from orchestration.plan import recalled
from orchestration.workspace import Workspace
from resources.code_version import RULES_AND_CHECKS, code_version
from resources.content_hash import fingerprint
from resources.due_dates import is_suspense_due
from resources.people_objects import PeopleRefused


def with_corrected_days(month: Month, workspace: Workspace) -> Month:
    """The month with the days of the closed months that it corrects, where records may still arrive late."""
    names = looked_at(month.period.month, lake=workspace.lake, settings=workspace.settings)
    earlier = [day for name in names for day in month_called(name, workspace.settings).days]
    return replace(month, days=(*earlier, *month.days))


def leaves_of_month(month: Month, workspace: Workspace) -> str:
    """What the month's own tables follow from beside its days: people's files, settings, code, closed months."""
    settings = workspace.settings
    days = with_corrected_days(month, workspace).days
    closed = looked_at(month.period.month, lake=workspace.lake, settings=settings)
    try:
        of_closed = {
            name: dict(
                workspace.people.rate_card(BillingPeriod(name, settings.zone), currency=settings.currency_code)[1]
            )
            for name in closed
        }
        card, card_shas = workspace.people.rate_card(month.period, currency=settings.currency_code)
        _, owner_shas = workspace.people.ownership(month.period)
        maps, _ = workspace.people.maps(month.period, settings.maps)
        waivers = waivers_of(month, workspace.people).printed() if settings.mode == ENFORCED else {}
        mode = mode_now(month, lake=workspace.lake, people=workspace.people, settings=settings)
    except PeopleRefused:
        return "refused"
    sent = workspace.lake.state(OUTBOX, month.partition)
    return fingerprint(
        {
            "code": code_version(RULES_AND_CHECKS),
            "card": {"version": card.version, "signature": card.signature, **card_shas},
            "ownership": dict(owner_shas),
            "maps": maps.rows(),
            "suspense_is_due": is_suspense_due(month.period, settings),
            "mode": mode,
            "waivers": waivers,
            "sent": sent.content_hash if sent else "",
            "journal": repr(settings.journal),
            "policies": settings.printed_policies(),
            "corrections": repr(settings.corrections),
            "closed": [closed, of_closed],
            "days": [partition.key for partition in days],
            "billed": [recalled(workspace.store, partition) for partition in days],
        }
    )
