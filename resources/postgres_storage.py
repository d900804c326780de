"""Dagster's records in PostgreSQL, by the address in an environment variable.

dagster-postgres installs psycopg2, and SQLAlchemy from 2.1 on takes `postgresql://` for psycopg 3, which is not there:
the driver is named here, whatever the address says. Dagster opens a connection a statement, each with a
handshake, unless it is a web server; here a process keeps its own. Not here: which variable (instance_file.py).
"""

import os
from collections.abc import Mapping
from typing import Any, Self

from dagster._serdes import ConfigurableClassData
from dagster_postgres import DagsterPostgresStorage
from dagster_postgres.utils import pg_url_from_config
from sqlalchemy import create_engine
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError
from sqlalchemy.pool import NullPool

from resources.setting_kinds import SettingsRefused

DRIVER = "postgresql+psycopg2"
SECONDS_TO_ANSWER = 10
LONGEST_STATEMENT_MILLISECONDS = 600_000
CONNECTION_KEPT_SECONDS = 600
CONNECTIONS_BEYOND_ONE = 20


class PostgresStorage(DagsterPostgresStorage):
    """DagsterPostgresStorage that takes an address as people write it: postgresql://USER:PW@HOST:5432/DATABASE."""

    @classmethod
    def from_config_value(cls, inst_data: ConfigurableClassData | None, config_value: Mapping[str, Any]) -> Self:
        """Open the storage at the configured address, by the driver that is installed."""
        opened = cls(inst_data=inst_data, postgres_url=with_driver(pg_url_from_config(config_value)))
        for storage in (opened.run_storage, opened.event_log_storage, opened.schedule_storage):
            storage.optimize_for_webserver(
                statement_timeout=LONGEST_STATEMENT_MILLISECONDS,
                pool_recycle=CONNECTION_KEPT_SECONDS,
                max_overflow=CONNECTIONS_BEYOND_ONE,
            )
        return opened


def with_driver(address: str) -> str:
    """The same address with the driver named. Raises ValueError for what is no address of a PostgreSQL."""
    return _parsed(address).set(drivername=DRIVER).render_as_string(hide_password=False)


def require_postgres(variable: str) -> None:
    """Ask the database whether it is there before anything relies on it.

    Raises  SettingsRefused in one line that has no password: variable missing, no address, or nobody answers.
    """
    address = os.environ.get(variable)
    if not address:
        raise SettingsRefused(
            f"instance.storage is 'postgres' and the environment variable {variable} is not set: "
            "set it to postgresql://USER:PW@HOST:5432/DATABASE"
        )
    try:
        parsed = _parsed(address)
    except ValueError as error:
        raise SettingsRefused(f"{variable}: {error}") from None
    try:
        arguments = {"connect_timeout": SECONDS_TO_ANSWER}
        create_engine(parsed.set(drivername=DRIVER), poolclass=NullPool, connect_args=arguments).connect().close()
    except DBAPIError as error:
        said = " ".join(str(error.orig).split())
        raise SettingsRefused(
            f"the PostgreSQL of {variable} does not answer as user {parsed.username or '(none)'} at "
            f"{parsed.host or '(no host)'}:{parsed.port or 5432}, database {parsed.database or '(none)'}: "
            f"{_without_password(said, parsed)}"
        ) from None


def _parsed(address: str) -> URL:
    try:
        url = make_url(address)
    except (ArgumentError, ValueError):
        raise ValueError("it is no address; write it as postgresql://USER:PW@HOST:5432/DATABASE") from None
    if url.drivername.partition("+")[0] not in ("postgresql", "postgres"):
        raise ValueError(f"it is an address of {url.drivername}, not of postgresql")
    return url


def _without_password(said: str, url: URL) -> str:
    return said.replace(str(url.password), "***") if url.password else said
