"""A look at the notifications of the bucket: received, asked about, and deleted only when their requests are durable.

A message is in Dagster's hands when the cursor of the tick that received it comes back: only then is it deleted. If the
process ended before, it comes again, and what was seen lately is known by key and version. Not here: the queue
(resources/arrival_queue.py), reading messages (resources/arrival_queue_messages.py).
"""

import secrets
from collections import OrderedDict
from dataclasses import dataclass, field
from datetime import UTC, datetime

import dagster as dg

from orchestration.arrivals import Arrived, Requests
from orchestration.arrivals_desk import Desk, Look, Pace
from orchestration.arrivals_runs import runs_of
from orchestration.arrivals_told import told_result
from resources.arrival_cursor import SeenLately, packed, unpacked
from resources.arrival_queue import ArrivalQueue, Received
from resources.arrival_queue_messages import Arrival, read_message
from resources.object_store import StoredObject

MOST_MESSAGES = 1_000
WAIT_SECONDS = 1
BATCHES_HELD = 4


@dataclass(slots=True)
class Unasked:
    """Messages in our hands about which nothing was asked yet: their receipts, and what is new in them."""

    receipts: list[str] = field(default_factory=list)
    fresh: list[Arrival] = field(default_factory=list)


class QueueLook:
    """Looks at one queue. Receipts of what was received are held until the cursor shows that it is durable."""

    def __init__(self, desk: Desk, queue: ArrivalQueue) -> None:
        self._desk, self._queue = desk, queue
        self._held: OrderedDict[str, list[str]] = OrderedDict()

    def __call__(self, context: dg.SensorEvaluationContext, *, now: datetime) -> dg.SensorResult:
        """One tick. Raises QueueFailed, CursorUnreadable, and the store's failures: then nothing was deleted."""
        pace, look = Pace(), Look()
        remembered = unpacked(context.cursor)
        undeleted = self._queue.delete(self._held.pop(str(remembered.get("batch")), []))
        requests = Requests(self._desk.settings, context.sensor_name, remembered.get("waiting"))
        seen = SeenLately(remembered.get("seen", ""))
        filed = self._desk.file_incoming(look, pace, now=now)
        fresh = [Arrival(each.key, "", now, each.size) for each in filed if seen.note(each.key, "")]
        if not self._ask(fresh, requests, look, pace, now=now):
            seen.forget((each.key, "") for each in fresh)  # landing notifies of them too
        receipts = self._receive(requests, seen, look, pace, now=now)
        batch = secrets.token_hex(8)
        self._hold(batch, receipts)
        events = self._desk.settings.events
        released = requests.release(runs_of(context.instance, now=now), most=events.most_runs_a_tick, now=now)
        if undeleted:
            context.log.warning(f"{undeleted} messages could not be deleted; they come again and are known")
        cursor = {"waiting": requests.remembered(), "seen": seen.remembered(), "batch": batch}
        return told_result(context, look, released, waiting=len(requests), cursor=packed(cursor))

    def _receive(self, requests: Requests, seen: SeenLately, look: Look, pace: Pace, *, now: datetime) -> list[str]:
        """Receive until the queue is empty or the time is over; the receipts of what was asked about.

        What there was no time to ask about is given back to the queue.
        """
        receipts: list[str] = []
        unasked = Unasked()
        is_empty = False
        while not is_empty and (pace.has_time or not receipts + unasked.receipts) and len(receipts) < MOST_MESSAGES:
            messages = self._queue.receive(wait_seconds=0 if receipts or unasked.receipts else WAIT_SECONDS)
            for message in messages:
                unasked.fresh += self._read(message, seen, look)
                unasked.receipts.append(message.receipt)
            is_empty = not messages
            if is_empty or len(unasked.fresh) >= pace.at_once:
                if not self._ask(unasked.fresh, requests, look, pace, now=now):
                    break
                receipts += unasked.receipts
                unasked = Unasked()
        if unasked.receipts:
            seen.forget((each.key, each.version) for each in unasked.fresh)
            self._queue.give_back(unasked.receipts)
        return receipts

    def _read(self, message: Received, seen: SeenLately, look: Look) -> list[Arrival]:
        """The objects of landing/ that a message tells of for the first time."""
        location = self._desk.settings.location
        read = read_message(message.body, bucket=location.bucket, prefix=location.prefix)
        for refused in read.refused:
            self._desk.set_aside(look, reason=refused.reason, about=refused.about)
        landing = [each for each in read.arrivals if each.key.startswith("landing/")]
        fresh = [each for each in landing if not seen.knows(each.key, "") and seen.note(each.key, each.version)]
        look.ignored += read.ignored
        look.repeated += len(landing) - len(fresh)
        return fresh

    def _ask(self, fresh: list[Arrival], requests: Requests, look: Look, pace: Pace, *, now: datetime) -> bool:
        """Whether there was an answer, or nothing to ask."""
        at = {each.key: each.arrived_at or now for each in fresh}
        return not fresh or self._desk.ask(
            {each.key: StoredObject(each.key, each.size, at[each.key].astimezone(UTC)) for each in fresh},
            {each.key: Arrived(each.key, each.version, at[each.key]) for each in fresh},
            requests, look, pace, now=now,
        )  # fmt: skip

    def _hold(self, batch: str, receipts: list[str]) -> None:
        """Keep receipts for the next tick; those of ticks whose cursor never came back are given up."""
        self._held[batch] = receipts
        while len(self._held) > BATCHES_HELD:
            self._held.popitem(last=False)
