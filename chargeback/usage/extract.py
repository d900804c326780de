"""What a parser hands back for one landed object: a frame of records, and what could not be read, each with its place.

Not here: any parsing, and which day a record belongs to.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

import polars as pl

EXCERPT_LENGTH = 200


class UnreadableExtract(ValueError):
    """The object as a whole cannot be read; the message is one line that says why and what to do."""


@dataclass(frozen=True, slots=True)
class Quarantined:
    """One record that could not be read: where it stands, why, and its first 200 characters.

    `instant` is any time that could be read in it, in UTC; it says on which day the quarantine lists it.
    """

    line: int
    reason: str
    excerpt: str
    instant: datetime | None


@dataclass(frozen=True, slots=True)
class ParsedExtract:
    """The records of one object, independent of days and of other objects.

    `frame` has the raw contract's source columns plus `line`, `overlaps_from` and `overlaps_until`: the half-open
    stretch of time that the record speaks of (zero length allowed). `records` = rows of `frame` + `steps_ignored` +
    quarantined. `gpu_partitions` is filled by sacct parsers only: partitions in which a record got or asked for a GPU.
    `full_listings_of` is filled by Kubernetes parsers only: kinds of which the object is a full listing, so that what
    is not in it did not exist when it was extracted. `ignored_reasons` says why records were left out, by count.
    """

    frame: pl.DataFrame
    records: int
    steps_ignored: int
    quarantined: tuple[Quarantined, ...]
    gpu_partitions: frozenset[str] = frozenset()
    full_listings_of: frozenset[str] = frozenset()
    ignored_reasons: Mapping[str, int] = field(default_factory=dict)
