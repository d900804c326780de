"""From Kubernetes objects to rows: each object becomes rows, is ignored for a reason, or is quarantined.

Not here: what a row of a kind is (kubernetes_pods.py, kubernetes_nodes.py, ...).
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

import polars as pl

from chargeback.usage.extract import ParsedExtract, Quarantined
from chargeback.usage.kubernetes_fields import instant, latest
from chargeback.usage.kubernetes_objects import DELETED, KubernetesObject, ObjectsRead

Row = dict[str, object]

OVER = ("Succeeded", "Failed")
"""Phases of what does not run any more."""


@dataclass(frozen=True, slots=True)
class Ignored:
    """Why an object is none of this source's records."""

    reason: str


def parsed_records(
    read: ObjectsRead,
    rows_of: Callable[[KubernetesObject], Sequence[Row] | Ignored],
    *,
    columns: Mapping[str, pl.DataType],
    full_listings_of: frozenset[str],
) -> ParsedExtract:
    """Make the rows of every object.

    `rows_of` raises ValueError for an object that cannot be read. `full_listings_of`: the kinds that count here; an
    object that lists one of them and has an unreadable record proves no absence.
    """
    rows: list[Row] = []
    quarantined = list(read.quarantined)
    ignored = Counter(read.ignored)
    for seen in read.objects:
        try:
            made = rows_of(seen)
        except ValueError as fault:
            reason = f"{name_of(seen)}: {fault}"
            quarantined.append(Quarantined(seen.line, reason, seen.excerpt, instant_of_what_is_over(seen)))
            continue
        if isinstance(made, Ignored):
            ignored[made.reason] += 1
        else:
            rows.extend({**row, "event": seen.event, "line": seen.line} for row in made)
    return ParsedExtract(
        frame=pl.DataFrame(rows, schema=dict(columns)),
        records=len(rows) + ignored.total() + len(quarantined),
        steps_ignored=ignored.total(),
        quarantined=tuple(quarantined),
        full_listings_of=frozenset() if quarantined else full_listings_of,
        ignored_reasons=dict(ignored),
    )


def name_of(seen: KubernetesObject) -> str:
    """`Pod vision/train-0`, as far as the object says it."""
    metadata = seen.body.get("metadata")
    known = metadata if isinstance(metadata, dict) else {}
    name = "/".join(str(known[part]) for part in ("namespace", "name") if known.get(part))
    return f"{seen.kind or 'object'} {name or 'without a name'}"


def instant_of_what_is_over(seen: KubernetesObject) -> datetime | None:
    """A time in an object that is over; None for one that exists: it speaks of the time when it was extracted."""
    metadata, status = (
        known if isinstance(known := seen.body.get(part), dict) else {} for part in ("metadata", "status")
    )
    if seen.event != DELETED and status.get("phase") not in OVER:
        return None
    found = []
    for holder, name in ((metadata, "creationTimestamp"), (status, "startTime"), (metadata, "deletionTimestamp")):
        try:
            found.append(instant(holder, name))
        except ValueError:
            continue
    return latest(found)
