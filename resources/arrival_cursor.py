"""What a sensor remembers between two looks, as text of bounded size: what it saw lately, what it accounted for.

A cursor is stored together with the requests that its tick made, so what it says is true of exactly those. Not here:
what waits to be requested (orchestration/arrivals.py).
"""

import base64
import hashlib
import json
import zlib
from collections import deque
from collections.abc import Iterable, Mapping
from typing import Any

FORM = "1:"
SEEN_AT_MOST = 4096
"""Arrivals remembered to know them when they are told again: of the last minutes, since SQS repeats soon or never."""


class CursorUnreadable(Exception):
    """A cursor was changed by hand, or written by a later version."""


def fingerprint(*parts: str) -> int:
    """64 bits that stand for these texts."""
    spelled = "\0".join(parts).encode(errors="surrogatepass")
    return int.from_bytes(hashlib.blake2b(spelled, digest_size=8).digest(), "big")


def packed(remembered: Mapping[str, Any]) -> str:
    """A cursor: compressed, since a storm may leave a thousand partitions waiting."""
    spelled = json.dumps(remembered, sort_keys=True, separators=(",", ":")).encode()
    return FORM + base64.b85encode(zlib.compress(spelled)).decode()


def unpacked(cursor: str | None) -> Mapping[str, Any]:
    """What a cursor remembers; nothing at the first look. Raises CursorUnreadable."""
    if not cursor:
        return {}
    try:
        if not cursor.startswith(FORM):
            raise ValueError("another form")
        read = json.loads(zlib.decompress(base64.b85decode(cursor.removeprefix(FORM))))
        if not isinstance(read, dict):
            raise ValueError("no object")
    except (ValueError, zlib.error, RecursionError) as error:
        raise CursorUnreadable(
            "the sensor's cursor cannot be read: set it to nothing in the UI. Nothing is lost: everything is looked at "
            "again, and what stands in the raw tables already requests no run"
        ) from error
    return read


class SeenLately:
    """Fingerprints of the latest arrivals, the oldest forgotten first."""

    def __init__(self, remembered: str = "") -> None:
        numbers = base64.b85decode(remembered)
        self._order = deque(int.from_bytes(numbers[at : at + 8], "big") for at in range(0, len(numbers), 8))
        self._known = set(self._order)

    def knows(self, *parts: str) -> bool:
        """Whether these texts were noted lately."""
        return fingerprint(*parts) in self._known

    def note(self, *parts: str) -> bool:
        """Remember these texts; whether they are new."""
        number = fingerprint(*parts)
        if number in self._known:
            return False
        self._known.add(number)
        self._order.append(number)
        if len(self._order) > SEEN_AT_MOST:
            self._known.discard(self._order.popleft())
        return True

    def forget(self, told: Iterable[tuple[str, str]]) -> None:
        """Take back what was noted."""
        numbers = {fingerprint(*parts) for parts in told}
        self._known -= numbers
        self._order = deque(number for number in self._order if number not in numbers)

    def remembered(self) -> str:
        """For the next look."""
        return _spelled(self._order)


def _spelled(numbers: Iterable[int]) -> str:
    return base64.b85encode(b"".join(number.to_bytes(8, "big") for number in numbers)).decode()
