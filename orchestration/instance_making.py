"""The SQLite databases of a new home: made beside it, and put there whole.

Dagster makes its tables one by one, and takes a database for made as soon as it has a version: killed in between, it
fails for ever. Until a database stands in its home nothing was recorded in it, so what a dead process left is swept.
Not here: opening (instance.py).
"""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import mkdtemp

import dagster as dg

DATABASES = ("history", "schedules", "events")
MADE, MAKING = ".made", ".making-"


def make_databases(home: Path) -> None:
    """Put those databases into a home that it does not have; to be called by one process at a time.

    Each is complete or absent, whenever this is killed. A home whose dagster.yaml keeps records elsewhere gets none.
    """
    if (home / MADE).exists():
        return
    for left_behind in home.glob(f"{MAKING}*"):
        shutil.rmtree(left_behind)
    missing = [name for name in DATABASES if not (home / name).exists()]
    if missing:
        making = Path(mkdtemp(prefix=MAKING, dir=home))
        shutil.copy(home / "dagster.yaml", making)
        with _home_for_now(making), dg.DagsterInstance.get() as instance:
            instance.event_log_storage.get_pool_limits()
        for name in missing:
            if (making / name).exists():
                (making / name).rename(home / name)
        shutil.rmtree(making)
    (home / MADE).touch()


@contextmanager
def _home_for_now(home: Path) -> Iterator[None]:
    before = os.environ["DAGSTER_HOME"]
    os.environ["DAGSTER_HOME"] = str(home)
    try:
        yield
    finally:
        os.environ["DAGSTER_HOME"] = before
