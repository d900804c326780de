"""What follows by itself: the condition under which each table is requested, and the three sensors that look.

    raw tables                 arrival sensors and the nightly schedule request them (sensors.py, jobs.py), nothing here
    runs .. attribution        when a table of that (cluster, day) that they are made from changed
    rate_card, maps, ownership arrival sensors; here each morning, as a month begins without a new file
    rated_usage .. journal     when a day, card or ownership of that month changed and no day is under way; each morning
    rated_usage                the same, and of any open month on the morning after its suspense fell due
    corrections                the same, and when a day of a closed month changed: for the earliest open month
    certificate                the same, of months that are over: the running one would always be refused
    published, postings        when the certificate changed; their sensor is off unless automation.publish
    outbox                     when postings changed; its sensor is off unless automation.send: it sends

A closed month is never requested. Not here: what an asset does when it is requested, and what it refuses.
"""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

import dagster as dg

from chargeback.contracts.attribution import ATTRIBUTION
from chargeback.contracts.contract import Contract
from chargeback.contracts.registry import DAILY, MONTHLY
from chargeback.contracts.runs import RUNS
from orchestration.conditions import ClosedMonthChanged, ContentChanged, OfOpenMonth, RequestedNow, UnderWay
from orchestration.suspense_due import SuspenseFellDue
from resources.lake import Lake
from resources.settings import Settings

EACH_MORNING = "0 5 * * *"
MONTH_BEFORE_TOO = timedelta(days=63)
"""From the end of the running month back past the beginning of the month before, and of no other: two have 59 to 62."""

BRING_UP_TO_DATE = "bring_up_to_date"
LET_OUT = "let_out"
LET_OUT_TABLES = ("published", "postings")
SEND = "send"
SENT_TABLE = "outbox"
PEOPLE_TABLES = ("ownership", "maps", "rate_card")

Condition = dg.AutomationCondition[Any]


def condition_of(contract: Contract, lake: Lake, settings: Settings) -> Condition | None:
    """When a table is requested by itself; None for raw tables, which only arrivals and people request."""
    if contract.stage == "raw":
        return None
    if contract in DAILY:
        return _not_yet_up_to_date() & ~UnderWay(DAILY)
    if contract.table == SENT_TABLE:
        return _not_yet_up_to_date() & dg.AutomationCondition.all_deps_blocking_checks_passed() & ~UnderWay(MONTHLY)
    open_month = OfOpenMonth(lake)
    if contract.table in PEOPLE_TABLES:
        return _each_morning(settings) & ~UnderWay(MONTHLY) & open_month
    wanted = _not_yet_up_to_date() & ~_days_requested_now() | _each_morning(settings)
    if contract.table == "corrections":
        wanted = wanted | _late_for_closed_months(lake)
    if contract.table == "rated_usage" and settings.policies.suspense_due_days:
        wanted = wanted | _struck(settings) & SuspenseFellDue(lake, settings)
    if contract.table == "certificate" or contract.table in LET_OUT_TABLES:
        wanted = wanted & _is_over() & dg.AutomationCondition.all_deps_blocking_checks_passed()
    return wanted & ~UnderWay(MONTHLY) & open_month


def said_of(contract: Contract, settings: Settings) -> str:
    """What requests a table, as its description says it."""
    if contract.stage == "raw":
        return "arriving objects that touch the day, and each night's schedule for yesterday"
    if contract in DAILY:
        return "arriving objects; also any change of a table of that day that it is made from"
    if contract.table in PEOPLE_TABLES:
        return "an arriving file that changes the month; each morning for the running month and the one before"
    if contract.table == SENT_TABLE:
        by_itself = "new postings" if settings.automation.send else "nobody but you: automation.send is off"
        return f"{by_itself}. Refused while the month runs in parallel"
    if contract.table in LET_OUT_TABLES:
        by_itself = "a new certificate" if settings.automation.publish else "nobody but you: automation.publish is off"
        return f"{by_itself}. Never for a closed month, and refused without a certificate that holds"
    if contract.table == "rated_usage" and settings.policies.suspense_due_days:
        return (
            "any change of what it is made from, once no day of the month is under way; each morning, for the running "
            "month and the one before, and for a month whose suspense fell due. Never for a closed month"
        )
    if contract.table == "corrections":
        return "the same as statements; also a changed day of a closed month, for the earliest open month"
    changed = "any change of what it is made from, once no day of the month is under way; each morning"
    if contract.table == "certificate":
        return f"for months that are over: {changed}. Never for a closed month"
    return f"{changed}, for the running month and the one before. Never for a closed month"


def automation_sensors(settings: Settings) -> list[dg.AutomationConditionSensorDefinition]:
    """One sensor for everything up to the certificate, one for what is let out, each to be stopped by itself."""
    let_out, send = dg.AssetSelection.assets(*LET_OUT_TABLES), dg.AssetSelection.assets(SENT_TABLE)
    automation = settings.automation
    return [
        _sensor(
            BRING_UP_TO_DATE,
            dg.AssetSelection.all() - let_out - send,
            "Requests what follows from changed days, cards and ownership, up to the certificate.",
            is_on=automation.enabled,
            look_every_seconds=settings.events.look_every_seconds,
        ),
        _sensor(
            LET_OUT,
            let_out,
            "Requests published documents and postings of a newly certified month. Nothing is sent.",
            is_on=automation.enabled and automation.publish,
            look_every_seconds=settings.events.look_every_seconds,
        ),
        _sensor(
            SEND,
            send,
            "Sends prepared postings of a charged month to the finance system.",
            is_on=automation.enabled and automation.send,
            look_every_seconds=settings.events.look_every_seconds,
        ),
    ]


def conditions_of(contracts: Mapping[str, Contract], settings: Settings) -> dict[str, Condition]:
    """Table -> its condition, of those that have one."""
    lake = Lake(settings.location)
    found = {table: condition_of(contract, lake, settings) for table, contract in contracts.items()}
    return {table: condition for table, condition in found.items() if condition is not None}


def _sensor(
    name: str, target: dg.AssetSelection, description: str, *, is_on: bool, look_every_seconds: int
) -> dg.AutomationConditionSensorDefinition:
    return dg.AutomationConditionSensorDefinition(
        name=name,
        target=target,
        description=description,
        default_status=dg.DefaultSensorStatus.RUNNING if is_on else dg.DefaultSensorStatus.STOPPED,
        minimum_interval_seconds=look_every_seconds,
        emit_backfills=False,  # one run a partition, as everywhere
        use_user_code_server=True,  # our own conditions are known there only
    )


def _not_yet_up_to_date() -> Condition:
    """Something that it is made from changed since it was last requested, or is requested now in the same run."""
    automation = dg.AutomationCondition
    changed = automation.any_deps_match(ContentChanged()).since(automation.newly_requested())
    together = automation.any_deps_match(automation.will_be_requested())
    waits = automation.any_deps_in_progress()
    return changed.with_label("something it is made from changed") & ~waits | together.with_label("made together")


def _days_requested_now() -> Condition:
    days = dg.AssetSelection.assets(*(contract.table for contract in DAILY))
    return dg.AutomationCondition.any_deps_match(RequestedNow()).allow(days).with_label("a day is requested now")


def _late_for_closed_months(lake: Lake) -> Condition:
    late = ClosedMonthChanged(lake, (ATTRIBUTION, RUNS)).since(dg.AutomationCondition.newly_requested())
    return late.with_label("a closed month's day changed")


def _each_morning(settings: Settings) -> Condition:
    """Whatever is under way: where objects arrive without a pause, the month is brought up to date all the same."""
    recent = dg.AutomationCondition.in_latest_time_window(MONTH_BEFORE_TOO)
    return (_struck(settings) & recent).with_label("each morning, the running month and the one before")


def _struck(settings: Settings) -> Condition:
    automation = dg.AutomationCondition
    return automation.cron_tick_passed(EACH_MORNING, settings.timezone).since(automation.newly_requested())


def _is_over() -> Condition:
    return (~dg.AutomationCondition.in_latest_time_window()).with_label("the month is over")
