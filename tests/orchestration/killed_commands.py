"""A process that gives one command again and again, each time in a child of its own that is killed on its way.

    python -m tests.orchestration.killed_commands MODULES ATTEMPTS COMMAND...

`MODULES`, separated by commas, are imported once, so that the kills fall into the work and not into the imports. The
first child is left alone, and says how long the whole takes; it works on `--config` of a lake beside, `calm.toml`.
Prints how many children were killed.
"""

import importlib
import os
import signal
import sys
import time
from collections.abc import Sequence
from pathlib import Path

CALM = "calm.toml"


def in_child(arguments: Sequence[str]) -> int:
    """Give the command in a forked child; its process id."""
    from orchestration.cli import app

    child = os.fork()
    if child == 0:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        app(list(arguments), standalone_mode=False)
        os._exit(0)
    return child


def is_killed_after(seconds: float, child: int) -> bool:
    """Whether a child was killed by a kill that comes so late, and not ended before it."""
    time.sleep(seconds)
    os.kill(child, signal.SIGKILL)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL


def main() -> None:
    """Kill each child at another point between its beginning and the time that the whole takes."""
    modules, attempts, arguments = sys.argv[1].split(","), int(sys.argv[2]), sys.argv[3:]
    for module in modules:
        importlib.import_module(module)
    config = Path(arguments[arguments.index("--config") + 1])
    begun = time.monotonic()
    calm = in_child([str(config.with_name(CALM)) if each == str(config) else each for each in arguments])
    assert os.waitpid(calm, 0)[1] == 0
    whole = time.monotonic() - begun
    killed = 0
    for attempt in range(attempts):
        killed += is_killed_after(whole * (attempt + 0.5) / attempts, in_child(arguments))
    sys.stdout.write(f"{killed}\n")


if __name__ == "__main__":
    main()
