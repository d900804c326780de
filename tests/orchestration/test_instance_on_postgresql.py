"""The first opening of a home whose records are kept in PostgreSQL, killed on its way: the next one finds its way."""

import subprocess
import sys
from pathlib import Path

import pytest
from dagster import DagsterRunStatus, job
from dagster._core.storage.event_log.schema import SqlEventLogStorageMetadata
from dagster._core.storage.runs.schema import RunStorageSqlMetadata
from sqlalchemy import create_engine

from orchestration.instance import open_instance
from resources.postgres_storage import with_driver
from tests.estates import Estate
from tests.services.postgresql import postgresql

pytestmark = [pytest.mark.timeout(600), pytest.mark.debian]


@job
def nothing_to_wait_for() -> None:
    """A run that ends where it begins."""


def test_tables_whose_making_was_killed_again_and_again_are_made_whole_by_the_next_opening(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    estate = Estate.begun_in(tmp_path, people=False)
    estate.config.write_text(estate.config.read_text() + '\n[instance]\nstorage = "postgres"\n')
    monkeypatch.setenv("DAGSTER_HOME", "")

    with postgresql() as address:
        monkeypatch.setenv("CHARGEBACK_POSTGRES_URL", address)
        killed = subprocess.run(
            [sys.executable, "-m", "tests.orchestration.killed_openings", str(estate.config), "12"],
            cwd=Path(__file__).parents[2], capture_output=True, text=True, check=True,
        )  # fmt: skip
        instance = open_instance(estate.settings)
        nothing_to_wait_for.execute_in_process(instance=instance)
        statuses = [run.status for run in instance.get_runs()]
        pools = {pool.name for pool in instance.event_log_storage.get_pool_limits()}
        sensors = instance.all_instigator_state()
        instance.dispose()

    assert int(killed.stdout) > 0
    assert statuses == [DagsterRunStatus.SUCCESS]
    assert pools == {"landing", "finance"}
    assert list(sensors) == []


def test_tables_of_which_a_killed_opening_made_only_some_are_completed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    estate = Estate.begun_in(tmp_path, people=False)
    estate.config.write_text(estate.config.read_text() + '\n[instance]\nstorage = "postgres"\n')
    monkeypatch.setenv("DAGSTER_HOME", "")

    with postgresql() as address:
        monkeypatch.setenv("CHARGEBACK_POSTGRES_URL", address)
        engine = create_engine(with_driver(address), isolation_level="AUTOCOMMIT")
        for metadata in (RunStorageSqlMetadata, SqlEventLogStorageMetadata):
            with engine.connect() as connection:  # each in a commit of its own, as Dagster makes them
                for table in metadata.sorted_tables:
                    table.create(connection, checkfirst=True)
                    if table.name in ("runs", "event_logs"):
                        break
        engine.dispose()

        instance = open_instance(estate.settings)
        nothing_to_wait_for.execute_in_process(instance=instance)
        statuses = [run.status for run in instance.get_runs()]
        instance.dispose()

    assert statuses == [DagsterRunStatus.SUCCESS]
