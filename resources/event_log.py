"""Dagster's event log in one SQLite file, with its connection kept open.

Dagster's own storage opens a file a run and a connection a statement, which costs seconds a run where a bill makes a
run a day. Measured on two cores, a run of 22 empty steps: 3.5 s with the default, 2.5 s with one file, 0.9 s with this.
"""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property
from typing import Any, Self

from dagster._core.storage.event_log import ConsolidatedSqliteEventLogStorage
from dagster._serdes import ConfigurableClassData
from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.pool import QueuePool

WAIT_FOR_LOCK_SECONDS = 60


class KeptOpenEventLog(ConsolidatedSqliteEventLogStorage):
    """ConsolidatedSqliteEventLogStorage over one pooled engine; the file is `$DAGSTER_HOME/events/event_log.db`."""

    @classmethod
    def config_type(cls) -> dict[str, Any]:
        """Nothing to configure: the file lies in the instance's home."""
        return {}

    @classmethod
    def from_config_value(cls, inst_data: ConfigurableClassData | None, config_value: Mapping[str, Any]) -> Self:
        """Open the log of the instance that $DAGSTER_HOME names."""
        return cls(inst_data=inst_data, base_dir=os.path.join(os.environ["DAGSTER_HOME"], "events"), **config_value)

    @cached_property
    def _engine(self) -> Engine:
        engine = create_engine(
            self._conn_string,
            poolclass=QueuePool,
            pool_size=4,
            max_overflow=32,
            connect_args={"timeout": WAIT_FOR_LOCK_SECONDS, "check_same_thread": False},
        )

        @event.listens_for(engine, "connect")
        def _survive_a_crash_of_ours(connection: Any, _record: object) -> None:
            # With a write-ahead log, NORMAL loses nothing but on loss of power, and never corrupts.
            connection.execute("PRAGMA synchronous=NORMAL")

        return engine

    def has_table(self, table_name: str) -> bool:
        """Whether the file has a table, asked once: it is asked of every event, and a table that is there stays."""
        if table_name not in self._tables_seen and super().has_table(table_name):
            self._tables_seen.add(table_name)
        return table_name in self._tables_seen

    @cached_property
    def _tables_seen(self) -> set[str]:
        return set()

    @contextmanager
    def _connect(self) -> Iterator[Connection]:
        with self._engine.begin() as connection:
            yield connection
