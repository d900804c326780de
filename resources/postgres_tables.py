"""Dagster's tables in PostgreSQL: all of them or none, whenever their making is killed.

Dagster makes them one by one, each in a commit of its own, and takes a storage for made as soon as its first table is
there: killed in between, it fails for ever. Here they are made in one transaction, and what such an opening left is
completed. Not here: opening the storage (postgres_storage.py).
"""

from pathlib import Path

import dagster_postgres
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from dagster._core.storage.event_log.schema import SqlEventLogStorageMetadata
from dagster._core.storage.runs.schema import RunStorageSqlMetadata
from dagster._core.storage.schedules.schema import ScheduleStorageSqlMetadata
from dagster._core.storage.sql import stamp_alembic_rev
from dagster_postgres import DagsterPostgresStorage
from dagster_postgres.utils import pg_alembic_config
from sqlalchemy import create_engine, text
from sqlalchemy.pool import NullPool

from resources.postgres_storage import SECONDS_TO_ANSWER, with_driver

LOCK = 7_311_502_034
"""Any number: the key of the lock that lets one process make tables at a time, on whatever machine."""

METADATA = (RunStorageSqlMetadata, SqlEventLogStorageMetadata, ScheduleStorageSqlMetadata)


def make_tables(address: str) -> None:
    """Make what is missing of the tables in a database, before Dagster opens it; repeating it changes nothing.

    Tables that another version of Dagster made are left to it.
    """
    driven, revisions = with_driver(address), _revisions()
    engine = create_engine(driven, poolclass=NullPool, connect_args={"connect_timeout": SECONDS_TO_ANSWER})
    newest = ScriptDirectory.from_config(revisions).get_current_head()
    with engine.begin() as connection:
        connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": LOCK})
        stands = MigrationContext.configure(connection).get_current_revision()
        if stands not in (None, newest):
            return
        for table in (table for metadata in METADATA for table in metadata.sorted_tables):
            table.create(connection, checkfirst=True)
            for index in table.indexes:
                index.create(connection, checkfirst=True)
        if stands is None:
            stamp_alembic_rev(revisions, connection)
    _note_that_nothing_old_is_to_be_converted(driven)


def _revisions() -> Config:
    return pg_alembic_config(str(Path(dagster_postgres.__file__).parent / "run_storage" / "run_storage.py"))


def _note_that_nothing_old_is_to_be_converted(driven: str) -> None:
    """What Dagster does after making its tables; each step is noted, and noted ones are not done again."""
    opened = DagsterPostgresStorage(postgres_url=driven)
    opened.run_storage.migrate()
    opened.run_storage.optimize()
    opened.event_log_storage.reindex_events()
    opened.event_log_storage.reindex_assets()
    opened.schedule_storage.migrate()
    opened.schedule_storage.optimize()
    for storage in (opened.run_storage, opened.event_log_storage, opened.schedule_storage):
        storage.dispose()
