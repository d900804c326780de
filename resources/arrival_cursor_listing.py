"""Which objects of a listing were looked at: exact, and of one size whatever their number.

Objects are looked at in order of modification, so those after a position are new. A store's clock may be set back, two
objects may have one time, and a slow write may show up late, so a position alone loses some. What lies at or before it
is therefore accounted for by sums of fingerprints in a thousand buckets: where a bucket does not add up, an object came
(or went) there, and that bucket is looked at again. Not here: what is done with an object.
"""

import base64
import zlib
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from resources.arrival_cursor import fingerprint
from resources.object_store import StoredObject

BUCKETS = 1024
MODULUS = 2**64
PORTION = 32
"""New objects that are accounted for together."""

Position = tuple[float, str]
"""Seconds since 1970 of the modification, then the key."""


@dataclass(frozen=True, slots=True)
class Portion:
    """Objects to look at; `Accounted.account` notes that all were. `total` is what their bucket then adds up to."""

    objects: tuple[StoredObject, ...]
    bucket: int | None = None
    total: int = 0


class Accounted:
    """The objects of some folders that were looked at."""

    def __init__(self, remembered: Mapping[str, Any] | None = None) -> None:
        told = remembered or {}
        self._position: Position = (float(told.get("time", 0)), str(told.get("key", "")))
        numbers = zlib.decompress(base64.b85decode(told["sums"])) if told else bytes(8 * BUCKETS)
        self._sums = [int.from_bytes(numbers[at : at + 8], "big") for at in range(0, 8 * BUCKETS, 8)]

    def unaccounted(self, listing: Sequence[StoredObject]) -> Iterator[Portion]:
        """What was never looked at, or might not have been: late ones first, then new ones in order of modification."""
        before: dict[int, list[StoredObject]] = defaultdict(list)
        found = [0] * BUCKETS
        new: list[StoredObject] = []
        for each in listing:
            if _position(each) > self._position:
                new.append(each)
                continue
            number = _fingerprint(each)
            before[number % BUCKETS].append(each)
            found[number % BUCKETS] = (found[number % BUCKETS] + number) % MODULUS
        for bucket, total in enumerate(found):
            if total != self._sums[bucket]:
                yield Portion(self._late(before[bucket], (total - self._sums[bucket]) % MODULUS), bucket, total)
        new.sort(key=_position)
        for start in range(0, len(new), PORTION):
            yield Portion(tuple(new[start : start + PORTION]))

    def account(self, portion: Portion) -> None:
        """Take note that all objects of a portion were looked at."""
        if portion.bucket is not None:
            self._sums[portion.bucket] = portion.total
            return
        for each in portion.objects:
            number = _fingerprint(each)
            self._sums[number % BUCKETS] = (self._sums[number % BUCKETS] + number) % MODULUS
        self._position = _position(portion.objects[-1])

    def remembered(self) -> Mapping[str, Any]:
        """For the next look."""
        numbers = b"".join(number.to_bytes(8, "big") for number in self._sums)
        time, key = self._position
        return {"time": time, "key": key, "sums": base64.b85encode(zlib.compress(numbers)).decode()}

    @staticmethod
    def _late(objects: Sequence[StoredObject], missing: int) -> tuple[StoredObject, ...]:
        """The one object that a bucket lacks, if it is one; else all of the bucket."""
        alone = tuple(each for each in objects if _fingerprint(each) == missing)
        return alone or tuple(objects)


def _position(stored: StoredObject) -> Position:
    return stored.modified_at.timestamp(), stored.key


def _fingerprint(stored: StoredObject) -> int:
    return fingerprint(stored.key, str(stored.size), stored.modified_at.isoformat())
