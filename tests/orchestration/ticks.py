"""Ticks of the automation sensors on the real definitions, at instants that a test chooses, without a daemon.

Contents are reported to an instance in memory as Dagster knows them: a data version of a partition, made by no run
unless a test names one. Not here: what a run does (test_automation_daemon.py).
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from functools import cached_property
from pathlib import Path
from typing import Any

import dagster as dg
from dagster._core.definitions.asset_checks.asset_check_evaluation import AssetCheckEvaluationTargetMaterializationData
from dagster._core.definitions.asset_daemon_cursor import AssetDaemonCursor
from dagster._core.events import DagsterEvent, DagsterEventType, StepMaterializationData

from orchestration.automation import BRING_UP_TO_DATE
from orchestration.definitions import definitions_for
from resources.settings import Settings, read_settings

NOON = datetime(2026, 11, 4, 11, tzinfo=UTC)
RUNNING, LAST, BEFORE_LAST = "2026-11", "2026-10", "2026-09"
Requested = dict[str, set[str]]


def estate_settings(folder: Path, *, first_day: date = date(2026, 9, 28), **automation: bool) -> Settings:
    """A Slurm cluster and a Kubernetes one; September has three days."""
    return read_settings(
        {
            "lake": {"root": "lake"},
            "billing": {"timezone": "Europe/Amsterdam", "currency": "EUR", "first_day": first_day},
            "clusters": {
                "slurm-a": {"scheduler": "slurm", "timezone": "UTC"},
                "k8s-b": {"scheduler": "kubernetes"},
            },
            "automation": automation,
        },
        folder=folder,
    )


@dataclass
class Ticks:
    """One of the sensors, with the instance that it looks at and what it remembers of its last tick."""

    settings: Settings
    sensor: str = BRING_UP_TO_DATE
    now: datetime = NOON
    instance: dg.DagsterInstance = field(default_factory=dg.DagsterInstance.ephemeral)
    cursor: AssetDaemonCursor | None = None

    @cached_property
    def definitions(self) -> dg.Definitions:
        """What Dagster loads."""
        return definitions_for(self.settings)

    def begun(self) -> "Ticks":
        """After its first tick, which never requests anything."""
        assert self.tick() == {}
        return self

    def tick(self, **after: float) -> Requested:
        """Table -> partitions that the next tick requests: after so many hours or days, else half a minute."""
        self.now += timedelta(**after or {"seconds": 30})
        sensor = self.definitions.get_sensor_def(self.sensor)
        assert isinstance(sensor, dg.AutomationConditionSensorDefinition)
        done = dg.evaluate_automation_conditions(
            self.definitions,
            self.instance,
            asset_selection=sensor.asset_selection,
            evaluation_time=self.now,
            cursor=self.cursor,
        )
        self.cursor = done.cursor
        keys = self.definitions.resolve_asset_graph().get_all_asset_keys()
        requested = {key.to_user_string(): {str(each) for each in done.get_requested_partitions(key)} for key in keys}
        return {table: partitions for table, partitions in requested.items() if partitions}

    def stands(self, table: str, *partitions: str, content: str = "a", by: dg.DagsterRun | None = None) -> None:
        """A content now stands in some partitions of a table."""
        for partition in partitions:
            made = dg.AssetMaterialization(table, partition=partition, tags={"dagster/data_version": content})
            if by is None:
                self.instance.report_runless_asset_event(made)
            else:
                self._said(DagsterEventType.ASSET_MATERIALIZATION, StepMaterializationData(made), by)

    def judged(self, table: str, check: str, partition: str, *, passed: bool, by: dg.DagsterRun) -> None:
        """A blocking check of a run gave its verdict of what stands in a partition now."""
        key = dg.AssetKey(table)
        latest = self.instance.get_latest_storage_id_by_partition(
            key, DagsterEventType.ASSET_MATERIALIZATION, {partition}
        )
        judged = AssetCheckEvaluationTargetMaterializationData(
            storage_id=latest[partition], run_id=by.run_id, timestamp=self.now.timestamp()
        )
        verdict = dg.AssetCheckEvaluation(
            key, check, passed, target_materialization_data=judged, blocking=True, partition=partition
        )
        self._said(DagsterEventType.ASSET_CHECK_EVALUATION, verdict, by)

    def _said(self, kind: DagsterEventType, what: Any, by: dg.DagsterRun) -> None:
        event = DagsterEvent(event_type_value=kind.value, job_name=by.job_name, event_specific_data=what)
        self.instance.report_dagster_event(event, by.run_id)

    def begins(self, tables: Iterable[str], partition: str) -> dg.DagsterRun:
        """A run of some tables of a partition is under way."""
        keys = [dg.AssetKey(table) for table in tables]
        job = self.definitions.resolve_implicit_job_def_def_for_assets(keys)
        assert job is not None
        tags = {"dagster/partition": partition, **_dimensions(partition)}
        return self.instance.create_run_for_job(job, asset_selection=frozenset(keys), tags=tags)

    def ends(self, run: dg.DagsterRun) -> None:
        """The run is over."""
        self.instance.report_run_canceled(run)


def _dimensions(partition: str) -> dict[str, str]:
    cluster, _, day = partition.rpartition("|")
    return {"dagster/partition/cluster": cluster, "dagster/partition/day": day} if cluster else {}
