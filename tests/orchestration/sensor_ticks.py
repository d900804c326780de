"""Sensors driven tick by tick, as Dagster's daemon does it, and a plain rule of what an object touches.

The daemon here keeps the cursor, makes one run of each run key, and can lose a tick: evaluated, and nothing kept of it.
Not here: what is expected of the sensors.
"""

import hashlib
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any
from uuid import uuid4

import dagster as dg
from botocore.exceptions import ClientError
from dagster._core.definitions.sensor_definition import SensorExecutionData

from orchestration.arrivals_desk import Rules
from orchestration.definitions import definitions_for
from orchestration.jobs import all_jobs
from orchestration.sensors import queue_of, sensors_on
from orchestration.touched import Touched
from orchestration.workspace import Workspace
from resources.arrival_queue import ArrivalQueue, Received
from resources.inbox import Filed
from resources.landing import LandedObject
from resources.operation_settings import Events
from resources.settings import Settings, read_settings
from resources.storage_location import StorageLocation

NOW = datetime(2026, 10, 20, 12, tzinfo=UTC)
ENDED = (dg.DagsterRunStatus.SUCCESS, dg.DagsterRunStatus.FAILURE)


def settings_of(location: StorageLocation, events: Events | None = None) -> Settings:
    """A lake of a Slurm and a Kubernetes cluster from 1 October 2026 on."""
    read = read_settings(
        {
            "lake": {"root": "lake"},
            "billing": {"timezone": "Europe/Amsterdam", "currency": "EUR", "first_day": date(2026, 10, 1)},
            "clusters": {"slurm-a": {"timezone": "UTC"}, "k8s-b": {"scheduler": "kubernetes"}},
        },
        folder=Path(),
    )
    return replace(read, location=location, events=events or Events())


def landing_key(
    text: str, *, source: str = "slurm/sacct", cluster: str | None = "slurm-a", day: str = "2026-10-19"
) -> str:
    """The key under which a text lands."""
    of_cluster = f"cluster={cluster}/" if cluster else ""
    digest = hashlib.sha256(text.encode()).hexdigest()
    return f"landing/{source}/{of_cluster}date={day}/{day.replace('-', '')}T010000Z-{digest}.psv"


@dataclass
class PlainRules:
    """An object names the days that it touches, one a line; of people the months. What was taken touches nothing."""

    taken: set[str] = field(default_factory=set)
    asked: list[int] = field(default_factory=list)
    unusable: set[str] = field(default_factory=set)

    def file_incoming(self, workspace: Workspace, *, now: datetime, most: int) -> Filed:
        """Nothing lies in incoming/."""
        return Filed((), (), (), 0)

    def touched_partitions(self, arrived: Sequence[LandedObject], *, workspace: Workspace, now: datetime) -> Touched:
        """What the lines of the objects say."""
        self.asked.append(len(arrived))
        days: dict[str, set[str]] = {}
        months: dict[str, dict[str, frozenset[str]]] = {}
        refused = {each.key: "nobody can use it" for each in arrived if each.key in self.unusable}
        if refused and len(arrived) > 1:  # as the real rule: one that is damaged spoils those beside it
            refused = {each.key: "one of them is damaged" for each in arrived}
        for each in arrived:
            if each.key in self.taken or each.key in refused:
                continue
            for line in workspace.store.get(each.key).decode().split():
                if each.cluster:
                    days.setdefault(f"{each.cluster}|{line}", set()).add(each.key)
                else:
                    table = "ownership" if "ownership" in each.key else "rate_card"
                    of_month = months.setdefault(line, {})
                    of_month[table] = of_month.get(table, frozenset()) | {each.key}
        of_effect = {key for keys in days.values() for key in keys} | refused.keys()
        return Touched(
            {key: frozenset(keys) for key, keys in days.items()},
            months,
            frozenset(each.key for each in arrived if each.cluster and each.key not in of_effect),
            refused,
        )


@cache
def _definitions() -> dg.Definitions:
    """The graph, which no lake changes."""
    return definitions_for(settings_of(StorageLocation("lake")))


class NotedQueue(ArrivalQueue):
    """A queue that notes the receipts that it hands out."""

    def __init__(self, settings: Settings, receipts: list[str]) -> None:
        events = settings.events
        super().__init__(events.queue_url or "", endpoint_url=events.queue_endpoint_url, region=events.queue_region,
                         hidden_seconds=900)  # fmt: skip
        self._receipts = receipts

    def receive(self, *, wait_seconds: int) -> list[Received]:
        """As the queue's."""
        received = super().receive(wait_seconds=wait_seconds)
        self._receipts += [each.receipt for each in received]
        return received


class Daemon:
    """Ticks of one sensor on an instance of its own; without plain rules it asks the product's own."""

    def __init__(self, settings: Settings, rules: PlainRules | None, *, sensor: int = 0) -> None:
        self.settings, self.rules, self.now = settings, rules, NOW
        self.receipts: list[str] = []
        self.instance = dg.DagsterInstance.ephemeral()
        self.cursor: str | None = None
        self._which = sensor
        self._definitions = _definitions()
        self.restart()

    def restart(self) -> None:
        """A new process: what the sensor kept in memory is gone."""
        plain = self.rules
        rules = plain and Rules(plain.file_incoming, plain.touched_partitions, reads_ahead=False)
        sensors = sensors_on(self.settings, rules=rules, clock=lambda: self.now, connect=self._connect)
        self.sensor = sensors[self._which]
        self._repository = dg.Definitions(
            assets=self._definitions.assets, jobs=all_jobs(), sensors=sensors, resources=self._definitions.resources,
            executor=dg.in_process_executor,
        ).get_repository_def()  # fmt: skip

    def _connect(self, settings: Settings) -> ArrivalQueue:
        return NotedQueue(settings, self.receipts)

    def show_again(self) -> None:
        """Every message that was received and not deleted comes again, as it does when its timeout is over."""
        queue = queue_of(self.settings)
        for receipt in self.receipts:
            with suppress(ClientError):  # it was deleted
                queue._client.change_message_visibility(QueueUrl=queue.url, ReceiptHandle=receipt, VisibilityTimeout=0)
        self.receipts.clear()

    def evaluate(self) -> SensorExecutionData:
        """What the sensor answers now; nothing of it is kept, as if the process had been killed right then."""
        context = dg.build_sensor_context(
            instance=self.instance, cursor=self.cursor, repository_def=self._repository, sensor_name=self.sensor.name
        )
        return self.sensor.evaluate_tick(context)

    def tick(self) -> dict[str, dict[str, str]]:
        """A whole tick: cursor and requests are kept together. Returns the tags of the runs made, by partition."""
        answer = self.evaluate()
        made = {}
        for request in answer.run_requests or []:
            if request.run_key and self.runs(tags={"dagster/run_key": request.run_key}):
                continue
            tags = {**request.tags, "dagster/run_key": request.run_key or ""}
            self.instance.add_run(
                dg.DagsterRun(
                    job_name=request.job_name or "", run_id=str(uuid4()), tags=tags,
                    asset_selection=frozenset(request.asset_selection or ()),
                )
            )  # fmt: skip
            made[str(request.partition_key)] = tags
        self.cursor = answer.cursor
        self.told = answer.skip_message
        return made

    def runs(self, **filters: Any) -> list[dg.DagsterRun]:
        """The runs that were made."""
        return list(self.instance.get_runs(dg.RunsFilter(**filters)))

    def begin(self) -> None:
        """Every queued run begins."""
        self._report(dg.DagsterRunStatus.NOT_STARTED, dg.DagsterEventType.RUN_START)

    def end(self, *, well: bool = True) -> None:
        """Every run that has begun ends."""
        ends = dg.DagsterEventType.RUN_SUCCESS if well else dg.DagsterEventType.RUN_FAILURE
        self._report(dg.DagsterRunStatus.STARTED, ends)

    def _report(self, status: dg.DagsterRunStatus, event: dg.DagsterEventType) -> None:
        for run in self.runs(statuses=[status]):
            told = dg.DagsterEvent(event_type_value=event.value, job_name=run.job_name)
            self.instance.report_dagster_event(told, run.run_id)

    def wait(self, **duration: float) -> None:
        """Time passes."""
        self.now += timedelta(**duration)
