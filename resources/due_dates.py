"""Whether something is due by now. The answer is an input of what rests on it, so that a table says which it had."""

from datetime import UTC, datetime, timedelta


def due_at(end: datetime, *, days: int) -> datetime:
    """The instant at which something falls due: so many days of 24 hours after another."""
    return end + timedelta(days=days)


def is_due(end: datetime, *, days: int) -> bool:
    """Whether so many days after an instant have passed; with 0 days nothing ever falls due."""
    return days > 0 and datetime.now(UTC) >= due_at(end, days=days)
