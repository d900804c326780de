"""Kubernetes objects as the API shows them, landed at instants, and the raw rows of a day that follow from them.

Not here: what is expected of them.
"""

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import polars as pl

from chargeback.billing_period import day_interval
from chargeback.contracts.contract import INSTANT
from chargeback.usage.extract import ParsedExtract
from chargeback.usage.kubernetes_pods import parse_pods
from chargeback.usage.pod_observations import raw_pods_of_day
from chargeback.usage.snapshots import listings_of, that_tell_of
from tests.tables import instant

UTC = ZoneInfo("UTC")
CLUSTER = "k8s-b"
DAY, NEXT_DAY, THIRD_DAY = "2026-07-08", "2026-07-09", "2026-07-10"


def time(text: str) -> str:
    """`10:00` of the day, `+1 00:10` of the next one, in the API's spelling."""
    days, _, clock = text.rpartition(" ")
    day = date.fromisoformat(DAY) + timedelta(days=int(days or 0))
    return f"{day.isoformat()}T{clock}{':00' if len(clock) == 5 else ''}Z"


def at(text: str) -> datetime:
    """The same as an instant."""
    return instant(time(text))


def pod(
    uid: str = "u-1",
    *,
    created: str = "09:00",
    scheduled: str | None = "09:00",
    started: str | None = None,
    finished: str | None = None,
    phase: str | None = None,
    **metadata: Any,
) -> dict[str, Any]:
    """A pod of one container with one GPU; times are those of `time`."""
    state: dict[str, Any] = {}
    if finished:
        state = {"terminated": {"exitCode": 0, "startedAt": time(started or finished), "finishedAt": time(finished)}}
    elif started:
        state = {"running": {"startedAt": time(started)}}
    bound = {"type": "PodScheduled", "status": "True", "lastTransitionTime": time(scheduled)} if scheduled else None
    waits = {"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "lastTransitionTime": time(created)}
    limits = {"limits": {"nvidia.com/gpu": "1"}}
    return {
        "metadata": {"name": f"pod-{uid}", "namespace": "vision", "uid": uid, "creationTimestamp": time(created)}
        | metadata,
        "spec": {"containers": [{"name": "main", "resources": limits}], **({"nodeName": "node-1"} if bound else {})},
        "status": {
            "phase": phase or ("Succeeded" if finished else "Running" if started else "Pending"),
            "conditions": [bound or waits],
            "containerStatuses": [{"name": "main", "state": state}],
        },
    }


def api_list(kind: str, *items: Any, api_version: str = "v1", **metadata: str) -> bytes:
    """A full listing as the API answers it."""
    listed = {"apiVersion": api_version, "kind": f"{kind}List", "metadata": metadata, "items": list(items)}
    return json.dumps(listed).encode()


def pod_list(*pods: Any) -> bytes:
    """A full listing of pods."""
    return api_list("Pod", *pods)


def kubectl_list(*objects: Any) -> bytes:
    """What `kubectl get -o json` prints: no proof that there is nothing else."""
    return json.dumps({"apiVersion": "v1", "kind": "List", "items": list(objects)}).encode()


def events(*seen: tuple[str, Mapping[str, Any]]) -> bytes:
    """Watch events, one a line."""
    return b"".join(json.dumps({"type": kind, "object": body}).encode() + b"\n" for kind, body in seen)


@dataclass(frozen=True)
class Landed:
    """One parsed object with what its place in landing/ says."""

    extracted_at: datetime
    extract: ParsedExtract

    @property
    def full_listings_of(self) -> frozenset[str]:
        """The kinds that it lists in full."""
        return self.extract.full_listings_of

    @property
    def overlaps_from(self) -> datetime | None:
        """The first instant that one of its records speaks of."""
        return self.frame["overlaps_from"].min()  # type: ignore[return-value]

    @property
    def overlaps_until(self) -> datetime | None:
        """The last one."""
        return self.frame["overlaps_until"].max()  # type: ignore[return-value]

    @property
    def frame(self) -> pl.DataFrame:
        """Its records as they are read from landing/."""
        landed = pl.lit(self.extracted_at, dtype=INSTANT)
        known = self.extract.frame.with_columns(overlaps_from=pl.col("overlaps_from").fill_null(landed))
        until = pl.coalesce("overlaps_until", pl.max_horizontal("overlaps_from", landed))
        return known.with_columns(
            overlaps_until=until, object=pl.lit(f"landed at {self.extracted_at:%d %H:%M}"), extracted_at=landed
        )


def rows_of_day(
    objects: Iterable[tuple[str, bytes]],
    day: str = DAY,
    *,
    parse: Callable[..., ParsedExtract] = parse_pods,
    fold: Callable[..., pl.DataFrame] = raw_pods_of_day,
    zone: ZoneInfo = UTC,
) -> pl.DataFrame:
    """The raw rows of a day out of objects, each with the time at which it was extracted."""
    interval = day_interval(day, zone)
    landed = sorted(
        (Landed(at(extracted), parse(content, cluster=CLUSTER, zone=None)) for extracted, content in objects),
        key=lambda each: each.extracted_at,
    )
    telling = [each for each, tells in zip(landed, that_tell_of(landed, interval), strict=True) if tells]
    seen = pl.concat([each.frame for each in telling or landed], how="vertical")
    return fold(seen if telling else seen.clear(), listings_of(telling), cluster=CLUSTER, day=day, interval=interval)
