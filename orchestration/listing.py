"""A look at the listing of landing/, for stores that send no notifications, a local directory among them.

Not here: which objects of a listing were looked at before (resources/arrival_cursor_listing.py).
"""

from datetime import datetime

import dagster as dg

from orchestration.arrivals import Arrived, Requests
from orchestration.arrivals_desk import Desk, Look, Pace
from orchestration.arrivals_runs import runs_of
from orchestration.arrivals_told import told_result
from resources.arrival_cursor import packed, unpacked
from resources.arrival_cursor_listing import Accounted, Portion
from resources.object_store import StoredObject


class ListingLook:
    """Lists landing/, and asks about what was not looked at before."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    def __call__(self, context: dg.SensorEvaluationContext, *, now: datetime) -> dg.SensorResult:
        """One tick. Raises CursorUnreadable and the store's failures: the next tick then sees the same again."""
        pace, look = Pace(), Look()
        remembered = unpacked(context.cursor)
        requests = Requests(self._desk.settings, context.sensor_name, remembered.get("waiting"))
        accounted = Accounted(remembered.get("listing"))
        self._desk.file_incoming(look, pace, now=now)
        self._ask_about_new(accounted, requests, look, pace, now=now)
        events = self._desk.settings.events
        released = requests.release(runs_of(context.instance, now=now), most=events.most_runs_a_tick, now=now)
        cursor = {"waiting": requests.remembered(), "listing": accounted.remembered()}
        return told_result(context, look, released, waiting=len(requests), cursor=packed(cursor))

    def _ask_about_new(
        self, accounted: Accounted, requests: Requests, look: Look, pace: Pace, *, now: datetime
    ) -> None:
        portions: list[Portion] = []
        objects = 0
        for portion in accounted.unaccounted(self._desk.workspace().store.list("landing/")):
            portions.append(portion)
            objects += len(portion.objects)
            if objects >= pace.at_once:
                if not self._ask(portions, accounted, requests, look, pace, now=now) or not pace.has_time:
                    return
                portions, objects = [], 0
        self._ask(portions, accounted, requests, look, pace, now=now)

    def _ask(self, portions: list[Portion], accounted: Accounted, requests: Requests, look: Look, pace: Pace, *,
             now: datetime) -> bool:  # fmt: skip
        """Whether there was an answer: only then the portions are accounted for."""
        stored = {each.key: each for portion in portions for each in portion.objects}
        arrived = {key: _arrived(each) for key, each in stored.items()}
        if stored and not self._desk.ask(stored, arrived, requests, look, pace, now=now):
            return False
        for portion in portions:
            accounted.account(portion)
        return True


def _arrived(stored: StoredObject) -> Arrived:
    return Arrived(stored.key, f"{stored.size} {stored.modified_at.isoformat()}", stored.modified_at)
