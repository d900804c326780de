"""Which sensors and schedules of a lake are on: as the settings say, unless somebody switched one in the UI."""

from collections.abc import Iterator

import dagster as dg
from dagster._core.scheduler.instigation import InstigatorStatus

from orchestration.automation import automation_sensors
from orchestration.jobs import schedules_on
from orchestration.notify import notice_sensor
from orchestration.partitions import calendar_of
from orchestration.sensors import sensors_on
from resources.settings import Settings


def what_is_on(settings: Settings, instance: dg.DagsterInstance) -> str:
    """A line of what moves by itself, and one of what does not."""
    switched = {state.instigator_name: state.status for state in instance.all_instigator_state()}
    on: list[str] = []
    off: list[str] = []
    for name, is_on_by_default in _defaults(settings):
        status = switched.get(name, InstigatorStatus.DECLARED_IN_CODE)
        is_on = is_on_by_default if status == InstigatorStatus.DECLARED_IN_CODE else status == InstigatorStatus.RUNNING
        (on if is_on else off).append(name)
    said = f"on: {', '.join(on) or 'nothing'}\noff: {', '.join(off) or 'nothing'}"
    return f"{said} ([automation] in chargeback.toml, or Automation in the UI)"


def _defaults(settings: Settings) -> Iterator[tuple[str, bool]]:
    for sensor in (*sensors_on(settings), *automation_sensors(settings), notice_sensor(settings)):
        yield sensor.name, sensor.default_status == dg.DefaultSensorStatus.RUNNING
    for schedule in schedules_on(calendar_of(settings), settings):
        yield schedule.name, schedule.default_status == dg.DefaultScheduleStatus.RUNNING
