"""Which snapshots of a cluster tell of an interval: so few that a listing that lands today touches no old day.

Not here: reading them, and what they say (the folds of each source).
"""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
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
    telling = set(SnapshotTimes(snapshots).telling(interval))
    return [at in telling for at in range(len(snapshots))]


class SnapshotTimes:
    """When some snapshots were taken, put in order once, so that many intervals can be asked about."""

    def __init__(self, snapshots: Sequence[Snapshot]) -> None:
        self._listed: dict[str, list[tuple[datetime, int]]] = {}
        for at, snapshot in enumerate(snapshots):
            for kind in snapshot.full_listings_of:
                self._listed.setdefault(kind, []).append((snapshot.extracted_at, at))
        for listed in self._listed.values():
            listed.sort()
        instants = [[instant for instant, _ in listed] for listed in self._listed.values()]
        self._spans = [
            (snapshot.overlaps_from, snapshot.overlaps_until, _followed(snapshot.extracted_at, instants), at)
            for at, snapshot in enumerate(snapshots)
            if not snapshot.full_listings_of and snapshot.overlaps_from and snapshot.overlaps_until
        ]

    def telling(self, interval: Interval) -> list[int]:
        """The places of those that tell of an interval (that_tell_of), in order."""
        around = {at for listed in self._listed.values() for at in _listings_around(listed, interval)}
        spanning = (at for begins, ends, followed, at in self._spans if _spans(begins, ends, followed, interval))
        return sorted({*around, *spanning})


def listings_of(snapshots: Sequence[Snapshot]) -> pl.DataFrame:
    """LISTINGS of some snapshots, in order of extraction."""
    rows = {(each.extracted_at, kind) for each in snapshots for kind in each.full_listings_of}
    return pl.DataFrame(sorted(rows), schema=LISTINGS, orient="row")


def _listings_around(listed: Sequence[tuple[datetime, int]], interval: Interval) -> list[int]:
    """Of the listings of one kind those from the last until the interval begins, else the first one of all."""
    begins = max(bisect_right(listed, interval.start, key=_instant) - 1, 0)
    first = bisect_left(listed, _instant(listed[begins]), key=_instant)
    behind = bisect_left(listed, interval.end, key=_instant)
    last_that_tells = _instant(listed[behind]) + SECOND_LOOK if behind < len(listed) else _instant(listed[-1])
    return [at for _, at in listed[first : bisect_right(listed, last_that_tells, key=_instant)]]


def _instant(listing: tuple[datetime, int]) -> datetime:
    return listing[0]


def _followed(instant: datetime, listed: Sequence[Sequence[datetime]]) -> datetime | None:
    """When full listings of all kinds had followed an instant; None if one never did, or there are none at all."""
    at = [bisect_right(instants, instant) for instants in listed]
    if not listed or any(place == len(instants) for place, instants in zip(at, listed, strict=True)):
        return None
    return max(instants[place] for place, instants in zip(at, listed, strict=True))


def _spans(begins: datetime, ends: datetime, followed: datetime | None, interval: Interval) -> bool:
    is_over = followed is not None and followed < interval.start and ends < interval.start
    return begins < interval.end and not is_over
