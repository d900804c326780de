"""A process that opens a new home again and again, each time in a child of its own that is killed on its way.

    python -m tests.orchestration.killed_openings CONFIG MOMENTS

Everything is imported once, so that the kills fall into the making of the databases. Prints how many children died.
"""

import os
import sys
from pathlib import Path

import resources.event_log  # noqa: F401  (Dagster would import it in each child)
from orchestration.instance import open_instance
from resources.settings import load_settings
from tests.orchestration.killed_commands import is_killed_after

SECONDS = 2.0


def main() -> None:
    """Kill a child at each of so many moments of its first seconds; each goes on where the one before it died."""
    settings, moments = load_settings(Path(sys.argv[1])), int(sys.argv[2])
    killed = 0
    for moment in range(moments):
        child = os.fork()
        if child == 0:
            open_instance(settings)
            os._exit(0)
        killed += is_killed_after(SECONDS * (moment + 1) / moments, child)
    sys.stdout.write(f"{killed}\n")


if __name__ == "__main__":
    main()
