"""The sensors that move the lake: one notices arrivals, one finds what was lost. They request runs, nothing else.

Not here: what follows from a raw table by itself (automation.py), how a look works (sqs.py, listing.py, reconcile.py).
"""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Protocol

import dagster as dg

from orchestration.arrivals_desk import Desk, Rules
from orchestration.jobs import all_jobs
from orchestration.listing import ListingLook
from orchestration.reconcile import ReconciliationLook
from resources.setting_kinds import SettingsRefused
from resources.settings import Settings

if TYPE_CHECKING:
    from resources.arrival_queue import ArrivalQueue

BY_NOTIFICATION = "arrivals_by_notification"
BY_LISTING = "arrivals_by_listing"
IN_DIRECTORY = "arrivals_in_directory"
RECONCILIATION = "reconciliation"
SENSORS = (BY_NOTIFICATION, BY_LISTING, IN_DIRECTORY, RECONCILIATION)

Clock = Callable[[], datetime]


class Look(Protocol):
    """What a tick does."""

    def __call__(self, context: dg.SensorEvaluationContext, *, now: datetime) -> dg.SensorResult:
        """One tick."""


def utc_now() -> datetime:
    """This instant."""
    return datetime.now(UTC)


def sensors_on(
    settings: Settings,
    *,
    rules: Rules | None = None,
    clock: Clock = utc_now,
    connect: "Callable[[Settings], ArrivalQueue] | None" = None,
) -> list[dg.SensorDefinition]:
    """The sensors of a lake: one for arrivals, by notification where there is a queue, and the reconciliation.

    Raises SettingsRefused for a queue whose lake is a directory. Opens nothing.
    """
    name, description, look = _arrivals(settings, rules, connect or queue_of)
    return [
        _sensor(settings, name, description, look, clock),
        _sensor(
            settings, RECONCILIATION,
            "Holds all of landing against the raw tables and requests what was lost on the way; a partition that keeps "
            "failing at most once a day.",
            ReconciliationLook(Desk(settings, rules)), clock,
        ),
    ]  # fmt: skip


def queue_of(settings: Settings) -> "ArrivalQueue":
    """The queue of the settings. A message stays hidden for several ticks, so that it is deleted before it is back."""
    from resources.arrival_queue import ArrivalQueue

    events = settings.events
    return ArrivalQueue(
        events.queue_url or "",
        endpoint_url=events.queue_endpoint_url,
        region=events.queue_region or settings.location.region,
        hidden_seconds=120 + 4 * events.look_every_seconds,
    )


def _arrivals(
    settings: Settings, rules: Rules | None, connect: "Callable[[Settings], ArrivalQueue]"
) -> tuple[str, str, Look]:
    desk = Desk(settings, rules)
    if settings.events.queue_url:
        if not settings.location.is_s3:
            raise SettingsRefused(
                "events.queue_url is set, but [lake] root is a directory, which sends no notifications: take queue_url "
                "out, and the directory is listed"
            )
        told = "Reads the bucket's notifications from SQS and requests the partitions that the objects touch."
        return BY_NOTIFICATION, told, _queue_look(settings, desk, connect)
    told = "Lists landing and requests the partitions that new objects touch."
    return BY_LISTING if settings.location.is_s3 else IN_DIRECTORY, told, ListingLook(desk)


def _queue_look(settings: Settings, desk: Desk, connect: "Callable[[Settings], ArrivalQueue]") -> Look:
    """A look at the queue that is made at the first tick: boto3 is imported only where it is used."""
    made: list[Look] = []

    def look(context: dg.SensorEvaluationContext, *, now: datetime) -> dg.SensorResult:
        from orchestration.sqs import QueueLook

        if not made:
            made.append(QueueLook(desk, connect(settings)))
        return made[0](context, now=now)

    return look


def _sensor(settings: Settings, name: str, description: str, look: Look, clock: Clock) -> dg.SensorDefinition:
    def evaluate(context: dg.SensorEvaluationContext) -> dg.SensorResult:
        return look(context, now=clock())

    is_on = settings.automation.enabled
    return dg.SensorDefinition(
        name=name,
        evaluation_fn=evaluate,
        jobs=all_jobs(),
        minimum_interval_seconds=settings.events.look_every_seconds,
        default_status=dg.DefaultSensorStatus.RUNNING if is_on else dg.DefaultSensorStatus.STOPPED,
        description=description,
    )
