"""What `chargeback ui` says at its start of what moves by itself."""

from pathlib import Path

import dagster as dg

from orchestration.automation import BRING_UP_TO_DATE, LET_OUT
from orchestration.definitions import definitions_for
from orchestration.moving import what_is_on
from tests.orchestration.ticks import estate_settings


def test_by_default_everything_is_on_but_what_lets_out(tmp_path: Path) -> None:
    on, off = what_is_on(estate_settings(tmp_path), dg.DagsterInstance.local_temp(str(tmp_path))).splitlines()

    assert on == "on: arrivals_in_directory, reconciliation, bring_up_to_date, yesterday_of_every_cluster"
    assert off.startswith("off: let_out, send, notices (")


def test_with_automation_off_nothing_is_on(tmp_path: Path) -> None:
    settings = estate_settings(tmp_path, enabled=False, publish=True)

    said = what_is_on(settings, dg.DagsterInstance.local_temp(str(tmp_path)))

    assert said.startswith("on: nothing\noff: arrivals_in_directory, ")


def test_what_it_says_is_what_dagster_loads(tmp_path: Path) -> None:
    settings = estate_settings(tmp_path)
    repository = definitions_for(settings).get_repository_def()

    said = what_is_on(settings, dg.DagsterInstance.local_temp(str(tmp_path)))

    loaded = {each.name for each in (*repository.sensor_defs, *repository.schedule_defs)}
    assert {BRING_UP_TO_DATE, LET_OUT} <= loaded
    assert all(name in said for name in loaded)
