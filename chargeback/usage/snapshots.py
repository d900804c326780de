"""Which snapshots of a cluster tell of an interval: so few that a listing that lands today touches no old day.

Not here: reading them, and what they say (the folds of each source).
"""

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Protocol

import polars as pl

from chargeback.billing_period import Interval
from chargeback.contracts.contract import INSTANT

SECOND_LOOK = timedelta(hours=1)
"""How long after the first full listing behind an interval others tell of it too: they find what it may have missed."""


LISTINGS = {"extracted_at": INSTANT, "kind": pl.String()}
"""One row per full listing of a kind."""


class Snapshot(Protocol):
    """One landed object."""

    @property
    def extracted_at(self) -> datetime:
        """When it was extracted."""

    @property
    def full_listings_of(self) -> frozenset[str]:
        """The kinds that it lists in full."""

    @property
    def overlaps_from(self) -> datetime | None:
        """The first instant that one of its records speaks of."""

    @property
    def overlaps_until(self) -> datetime | None:
        """The last one."""


def that_tell_of(snapshots: Sequence[Snapshot], interval: Interval) -> list[bool]:
    """Of each snapshot whether it tells of the interval.

    A full listing does from the last one of its kind before the interval until an hour after the first one at its end
    or later, whatever is in it: it says who was not there. Any other does if one of its records spans a part of the
    interval; and also if no full listing follows it before the interval, since what it shows may last until then.
    """
    listed: dict[str, list[datetime]] = {}
    for snapshot in sorted(snapshots, key=lambda each: each.extracted_at):
        for kind in snapshot.full_listings_of:
            listed.setdefault(kind, []).append(snapshot.extracted_at)
    return [
        _is_listing_around(snapshot, listed, interval)
        if snapshot.full_listings_of
        else _spans(snapshot, listed, interval)
        for snapshot in snapshots
    ]


def listings_of(snapshots: Sequence[Snapshot]) -> pl.DataFrame:
    """LISTINGS of some snapshots, in order of extraction."""
    rows = {(each.extracted_at, kind) for each in snapshots for kind in each.full_listings_of}
    return pl.DataFrame(sorted(rows), schema=LISTINGS, orient="row")


def _is_listing_around(snapshot: Snapshot, listed: Mapping[str, Sequence[datetime]], interval: Interval) -> bool:
    return any(
        _first_that_tells(listed[kind], interval) <= snapshot.extracted_at <= _last_that_tells(listed[kind], interval)
        for kind in snapshot.full_listings_of
    )


def _first_that_tells(instants: Sequence[datetime], interval: Interval) -> datetime:
    """The last one until the interval begins, else the first."""
    return instants[max(bisect_right(instants, interval.start) - 1, 0)]


def _last_that_tells(instants: Sequence[datetime], interval: Interval) -> datetime:
    behind = bisect_left(instants, interval.end)
    return instants[behind] + SECOND_LOOK if behind < len(instants) else instants[-1]


def _spans(snapshot: Snapshot, listed: Mapping[str, Sequence[datetime]], interval: Interval) -> bool:
    if snapshot.overlaps_from is None or snapshot.overlaps_until is None:
        return False
    following = [_first_after(snapshot.extracted_at, instants) for instants in listed.values()]
    known = [each for each in following if each is not None]
    is_superseded = bool(following) and len(known) == len(following) and max(known) < interval.start
    is_over = is_superseded and snapshot.overlaps_until < interval.start
    return snapshot.overlaps_from < interval.end and not is_over


def _first_after(instant: datetime, instants: Sequence[datetime]) -> datetime | None:
    at = bisect_right(instants, instant)
    return instants[at] if at < len(instants) else None
