"""Whether something is due by now. The answer is an input of what rests on it, so that a table says which it had."""

from datetime import UTC, datetime, timedelta


def is_due(end: datetime, *, days: int, at: datetime | None = None) -> bool:
    """Whether so many days after an instant have passed, now or at another instant; with 0 days nothing falls due."""
    return days > 0 and (at or datetime.now(UTC)) >= end + timedelta(days=days)
