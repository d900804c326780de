"""The Dagster instance of a lake: its home folder, the same for `bill` and for the UI.

Not here: what its dagster.yaml says (instance_file.py), making its databases (instance_making.py).
"""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import dagster as dg

from orchestration.dead_workers import fail_runs_of_dead_workers
from orchestration.instance_file import MARK, instance_file, pool_limits
from orchestration.instance_making import make_databases
from orchestration.run_logs import reach_run_logs
from resources.settings import Settings


def open_instance(settings: Settings) -> dg.DagsterInstance:
    """The instance in the settings' home; the folder and its dagster.yaml are made if they are not there.

    A dagster.yaml without our first line is somebody's own and is left as it is. Runs that a dead process of this
    machine left behind are marked as failed.
    Raises  SettingsRefused if the PostgreSQL of the settings is not there.
    """
    settings.home.mkdir(parents=True, exist_ok=True)
    os.environ["DAGSTER_HOME"] = str(settings.home)
    reach_run_logs(settings.location)
    require_storage(settings)
    with _one_at_a_time(settings.home / ".opening"):
        _write_file(settings)
        _make_tables(settings)
        make_databases(settings.home)
        instance = dg.DagsterInstance.get()
        _set_pools(instance, settings)
        fail_runs_of_dead_workers(instance)
        return instance


def require_storage(settings: Settings) -> None:
    """Raise SettingsRefused, in one line, if the database in which the settings keep records is not there."""
    if settings.instance.storage == "postgres":
        from resources.postgres_storage import require_postgres  # its driver is loaded only where it is used

        require_postgres(settings.instance.postgres_url_env)


def _make_tables(settings: Settings) -> None:
    if settings.instance.storage == "postgres":
        from resources.postgres_tables import make_tables

        make_tables(os.environ[settings.instance.postgres_url_env])


def _write_file(settings: Settings) -> None:
    file, text = settings.home / "dagster.yaml", instance_file(settings)
    stands = file.read_text(encoding="utf-8") if file.exists() else None
    if stands is None or (stands.startswith(MARK) and stands != text):
        file.write_text(text, encoding="utf-8")


def _set_pools(instance: dg.DagsterInstance, settings: Settings) -> None:
    """Limits of pools stand in the instance's storage, where the UI shows them; only their kind stands in the file."""
    log = instance.event_log_storage
    stand = {pool.name: pool.limit for pool in log.get_pool_limits()}
    for name, limit in pool_limits(settings).items():
        if stand.get(name) != limit:
            log.set_concurrency_slots(name, limit)


@contextmanager
def _one_at_a_time(path: Path) -> Iterator[None]:
    """Dagster makes its tables when it first opens a home; two processes at once would make them twice."""
    with path.open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
