"""The report of `chargeback arrivals`, from Dagster's records and the lake. Changes nothing in the lake."""

import json
import statistics
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

import dagster as dg
from dagster._core.scheduler.instigation import SensorInstigatorData
from rich.console import Console
from rich.table import Table

from orchestration.arrivals import ARRIVED_AT, LATENCY_SECONDS, NOTICED_BY, OBJECTS, Requests
from orchestration.arrivals_desk import REFUSED
from orchestration.arrivals_runs import PARTITION_TAG
from orchestration.instance import open_instance
from orchestration.sensors import SENSORS
from resources.arrival_cursor import CursorUnreadable, unpacked
from resources.inbox_refusals import NOT_OURS
from resources.kept_records import NO_RECORD, record_in, text_in
from resources.object_store import ObjectMissing, ObjectStore, StoredObject
from resources.open_store import store_at
from resources.settings import Settings, load_settings

MOST_SET_ASIDE = 20
INCOMING_REFUSED = "incoming-refused/"


@dataclass(frozen=True, slots=True)
class Requested:
    """A run that arrivals requested."""

    partition: str
    objects: int
    arrived_at: str
    requested_at: str
    latency_seconds: float
    noticed_by: str
    status: str


@dataclass(frozen=True, slots=True)
class SetAside:
    """What nobody could use. `kept_as` is the object in the lake that says so."""

    since: str
    about: str
    reason: str
    kept_as: str


@dataclass(frozen=True, slots=True)
class ArrivalsReport:
    """The latest requests, newest first, with their latency from arrival to request; what waits; what was set aside."""

    requests: tuple[Requested, ...]
    median_latency_seconds: float | None
    longest_latency_seconds: float | None
    waiting: dict[str, int]
    set_aside: tuple[SetAside, ...]
    set_aside_count: int
    incoming_refused_count: int


def show_arrivals(*, limit: int, as_json: bool, config: Path | None) -> None:
    """Print the report. Raises SettingsRefused."""
    settings = load_settings(config)
    report = arrivals_report(open_instance(settings), store_at(settings.location), settings, limit=limit)
    if as_json:
        sys.stdout.write(json.dumps(asdict(report), ensure_ascii=False, sort_keys=True) + "\n")
    else:
        print_arrivals(report, Console(soft_wrap=True, highlight=False))


def arrivals_report(
    instance: dg.DagsterInstance, store: ObjectStore, settings: Settings, *, limit: int
) -> ArrivalsReport:
    """The report, of at most `limit` requests."""
    records = instance.get_run_records(dg.RunsFilter(tags={NOTICED_BY: list(SENSORS)}), limit=limit)
    requests = tuple(_requested(record) for record in records)
    latencies = [each.latency_seconds for each in requests]
    kept = sorted(store.list(REFUSED), key=lambda each: (each.modified_at, each.key), reverse=True)
    return ArrivalsReport(
        requests=requests,
        median_latency_seconds=statistics.median(latencies) if latencies else None,
        longest_latency_seconds=max(latencies, default=None),
        waiting=_waiting(instance, settings),
        set_aside=tuple(_set_aside(each, store) for each in kept[:MOST_SET_ASIDE]),
        set_aside_count=len(kept),
        incoming_refused_count=len(store.list(INCOMING_REFUSED)),
    )


def _set_aside(stored: StoredObject, store: ObjectStore) -> SetAside:
    """What a record says; of another file that lies there, or that is gone by now, that it is none."""
    since = _spelled(stored.modified_at)
    try:
        said = record_in(store.get(stored.key))
        return SetAside(since, text_in(said, "about"), text_in(said, "reason"), stored.key)
    except (ObjectMissing, *NO_RECORD):
        return SetAside(since, stored.key, NOT_OURS, stored.key)


def _requested(record: dg.RunRecord) -> Requested:
    tags = record.dagster_run.tags
    return Requested(
        partition=tags.get(PARTITION_TAG, ""),
        objects=int(tags[OBJECTS]),
        arrived_at=tags[ARRIVED_AT],
        requested_at=_spelled(record.create_timestamp),
        latency_seconds=float(tags[LATENCY_SECONDS]),
        noticed_by=tags[NOTICED_BY],
        status=record.dagster_run.status.value,
    )


def _waiting(instance: dg.DagsterInstance, settings: Settings) -> dict[str, int]:
    """Sensor -> partitions that it will request; a cursor that nobody can read is the sensor's to tell."""
    waiting = {}
    for state in instance.all_instigator_state() if instance.schedule_storage else ():
        data = state.instigator_data
        if state.name not in SENSORS or not isinstance(data, SensorInstigatorData):
            continue
        try:
            waiting[state.name] = len(Requests(settings, state.name, unpacked(data.cursor).get("waiting")))
        except CursorUnreadable:
            continue
    return waiting


def print_arrivals(report: ArrivalsReport, console: Console) -> None:
    """Two tables and what they sum up to."""
    if not report.requests:
        console.print("no run was requested by an arrival yet; are the sensors on? See them in: chargeback ui")
    else:
        _print_table(
            console, "Latest requests",
            ("partition", "objects", "arrived", "requested", "after", "noticed by", "run"),
            [(each.partition, str(each.objects), each.arrived_at, each.requested_at, f"{each.latency_seconds:,.1f} s",
              each.noticed_by, each.status) for each in report.requests],
        )  # fmt: skip
        console.print(
            f"from arrival to request: median {report.median_latency_seconds:,.1f} s, "
            f"longest {report.longest_latency_seconds:,.1f} s, of {len(report.requests)} requests"
        )
    for sensor, count in sorted(report.waiting.items()):
        console.print(f"{sensor}: {count} partitions wait to be requested")
    if report.set_aside:
        _print_table(
            console, f"Set aside, {len(report.set_aside)} of {report.set_aside_count}", ("since", "what", "why"),
            [(each.since, each.about, each.reason) for each in report.set_aside],
        )  # fmt: skip
    if report.incoming_refused_count:
        console.print(f"{report.incoming_refused_count} objects in {INCOMING_REFUSED}: files that nobody could file")


def _print_table(console: Console, title: str, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    table = Table(title=title, title_justify="left", box=None, pad_edge=False)
    for name in columns:
        table.add_column(name, justify="right" if name in ("objects", "after") else "left", overflow="fold")
    for row in rows:
        table.add_row(*(_plain(cell) for cell in row))
    console.print(table, markup=False)


def _plain(text: str) -> str:
    """A cell without what a terminal would obey: what was set aside is written by strangers."""
    return "".join(letter if letter.isprintable() else " " for letter in text)


def _spelled(instant: datetime) -> str:
    return instant.astimezone(UTC).isoformat(timespec="seconds")
