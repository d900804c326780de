"""The Dagster instance of a lake: its home folder, the same for `bill` and for the UI."""

import os
import shutil
from pathlib import Path

import dagster as dg

from resources.settings import Settings

INSTANCE_FILE = Path(__file__).parent.parent / "dagster.yaml"


def open_instance(settings: Settings) -> dg.DagsterInstance:
    """The instance in the settings' home; the folder and its dagster.yaml are made if they are not there.

    A dagster.yaml that stands there already (PostgreSQL, say) is left as it is.
    """
    settings.home.mkdir(parents=True, exist_ok=True)
    configured = settings.home / "dagster.yaml"
    if not configured.exists():
        shutil.copyfile(INSTANCE_FILE, configured)
    os.environ["DAGSTER_HOME"] = str(settings.home)
    return dg.DagsterInstance.get()
