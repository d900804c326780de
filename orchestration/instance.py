"""The Dagster instance of a lake: its home folder, the same for `bill` and for the UI."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import dagster as dg

from orchestration.run_logs import reach_run_logs, run_logs_section
from resources.settings import Settings

INSTANCE_FILE = Path(__file__).parent.parent / "dagster.yaml"


def open_instance(settings: Settings) -> dg.DagsterInstance:
    """The instance in the settings' home; the folder and its dagster.yaml are made if they are not there.

    A dagster.yaml that stands there already (PostgreSQL, say) is left as it is.
    """
    settings.home.mkdir(parents=True, exist_ok=True)
    os.environ["DAGSTER_HOME"] = str(settings.home)
    reach_run_logs(settings.location)
    with _one_at_a_time(settings.home / ".opening"):
        configured = settings.home / "dagster.yaml"
        if not configured.exists():
            configured.write_text(INSTANCE_FILE.read_text() + run_logs_section(settings))
        return dg.DagsterInstance.get()


@contextmanager
def _one_at_a_time(path: Path) -> Iterator[None]:
    """Dagster makes its tables when it first opens a home; two processes at once would make them twice."""
    with path.open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
