"""The time of day, where a step has to be dated: nothing that is computed depends on it."""

from datetime import UTC, datetime


def now_utc() -> datetime:
    """This instant, in whole seconds."""
    return datetime.now(UTC).replace(microsecond=0)
