"""One landing object as it was read: how much is in it, what could not be read, of which time it speaks.

Not here: reading (parse_cache.py), and which objects speak of a day (observations.py).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Any

from chargeback.billing_period import Interval, day_of
from chargeback.usage.extract import ParsedExtract, Quarantined, UnreadableExtract
from chargeback.usage.slurm_devices import device_map_said
from chargeback.usage.slurm_nodes import inventory_said
from resources.landing import LandedObject
from resources.settings import Settings

SAID = {"slurm/nodes": inventory_said, "slurm/devices": device_map_said}
"""How the listings are hashed of which equal ones in a row count as one."""


@dataclass(frozen=True, slots=True)
class ParsedObject:
    """What one landing object holds, but for the records themselves."""

    landed: LandedObject
    records: int
    steps_ignored: int
    quarantined: tuple[Quarantined, ...]
    gpu_partitions: frozenset[str]
    full_listings_of: frozenset[str]
    overlaps_from: datetime | None
    overlaps_until: datetime | None
    is_readable: bool
    said: str | None = None
    """Hash of what a listing without times says of the inventory: equal for listings that say the same."""

    @property
    def extracted_at(self) -> datetime:
        """When it was extracted."""
        return self.landed.extracted_at

    def overlaps(self, interval: Interval) -> bool:
        """Whether one of its records can speak of the interval."""
        if self.overlaps_from is None or self.overlaps_until is None:
            return False
        return self.overlaps_from < interval.end and self.overlaps_until >= interval.start

    def days_of_quarantined(self, record: Quarantined, settings: Settings) -> frozenset[str]:
        """The local days that an unreadable record is shown on, so that it blocks the months that it may belong to.

        Its own day, else the object's last. Where no time can be read it may speak of the month that the object was
        taken in or of the one before: it stands on the day of extraction and on the last day of that earlier month.
        Never before the lake's first day nor after the extraction, where no bill would look.
        """
        taken = day_of(self.landed.extracted_at, settings.zone)
        known = record.instant or self.overlaps_until
        month_before = (date.fromisoformat(taken).replace(day=1) - timedelta(days=1)).isoformat()
        days = (day_of(known, settings.zone),) if known else (month_before, taken)
        return frozenset(max(settings.first_day.isoformat(), min(day, taken)) for day in days)


def summary_of(outcome: ParsedExtract | UnreadableExtract, *, source: str) -> dict[str, object]:
    """What is kept of a reading beside its frame, as JSON; an unreadable object is one unreadable record."""
    if isinstance(outcome, UnreadableExtract):
        unreadable = Quarantined(line=1, reason=f"the whole object: {outcome}", excerpt="", instant=None)
        return _summary(records=1, quarantined=(unreadable,), is_readable=False)
    return _summary(
        records=outcome.records,
        quarantined=outcome.quarantined,
        is_readable=True,
        steps=outcome.steps_ignored,
        partitions=outcome.gpu_partitions,
        kinds=outcome.full_listings_of,
        first=outcome.frame["overlaps_from"].min(),
        last=outcome.frame["overlaps_until"].max(),
        said=SAID[source](outcome.frame) if source in SAID and len(outcome.frame) else None,
    )


def recalled(landed: LandedObject, summary: Mapping[str, Any]) -> ParsedObject:
    """The same object again. Raises KeyError, TypeError or ValueError for what is no summary."""
    return ParsedObject(
        landed=landed,
        records=summary["records"],
        steps_ignored=summary["steps_ignored"],
        quarantined=tuple(
            Quarantined(line=q["line"], reason=q["reason"], excerpt=q["excerpt"], instant=_instant(q["instant"]))
            for q in summary["quarantined"]
        ),
        gpu_partitions=frozenset(summary["gpu_partitions"]),
        full_listings_of=frozenset(summary["full_listings_of"]),
        overlaps_from=_instant(summary["overlaps_from"]),
        overlaps_until=_instant(summary["overlaps_until"]),
        is_readable=summary["is_readable"],
        said=summary["said"],
    )


def _summary(
    *,
    records: int,
    quarantined: tuple[Quarantined, ...],
    is_readable: bool,
    steps: int = 0,
    partitions: frozenset[str] = frozenset(),
    kinds: frozenset[str] = frozenset(),
    first: object = None,
    last: object = None,
    said: str | None = None,
) -> dict[str, object]:
    return {
        "is_readable": is_readable,
        "said": said,
        "records": records,
        "steps_ignored": steps,
        "gpu_partitions": sorted(partitions),
        "full_listings_of": sorted(kinds),
        "overlaps_from": _spelled(first),
        "overlaps_until": _spelled(last),
        "quarantined": [
            {"line": q.line, "reason": q.reason, "excerpt": q.excerpt, "instant": _spelled(q.instant)}
            for q in quarantined
        ],
    }


def _spelled(instant: object) -> str | None:
    return instant.astimezone(UTC).isoformat() if isinstance(instant, datetime) else None


def _instant(text: str | None) -> datetime | None:
    return datetime.fromisoformat(text) if text else None
