"""Processes that are started to be killed: from a fork server, since 500 fresh interpreters would take hours.

The server has imported and done nothing else, so no runtime of Delta, polars or Tokio is alive where it forks: each
process starts its own, as a spawned one does. Not here: what they do (attempts.py), and when they die (storm.py).
"""

import multiprocessing
import multiprocessing.forkserver
import os
import random
import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing.context import ForkServerContext
from pathlib import Path

from tests.chaos.attempts import Attempt, Outcome, run, workers_of

SECONDS_TO_END = 600
SIGKILLED = -signal.SIGKILL


@dataclass(frozen=True)
class Ended:
    """How a process ended. `killed` is what was killed: nothing, the whole group, or one worker."""

    killed: str
    outcome: Outcome | None
    said: str

    @property
    def is_done(self) -> bool:
        """Whether it did all that it was to do."""
        return self.outcome is not None and not self.outcome.reasons

    @property
    def reasons(self) -> tuple[str, ...]:
        """Why it is not done, if it was not killed: what it reported, else its last words."""
        if self.outcome is not None:
            return self.outcome.reasons
        if self.killed:
            return ()
        return ((self.said.strip().splitlines() or ["ended without a word"])[-1],)


@contextmanager
def fork_server() -> Iterator[ForkServerContext]:
    """A server of this storm's own, with everything imported; its processes have the environment of now.

    A process has one fork server: one that stands already, with other imports and environment, is ended first.
    """
    server, context = multiprocessing.forkserver._forkserver, multiprocessing.get_context("forkserver")
    before = list(server._preload_modules)  # type: ignore[attr-defined]
    server._stop()  # type: ignore[attr-defined]
    context.set_forkserver_preload(["tests.chaos.preloaded"])
    try:
        yield context
    finally:
        server._stop()  # type: ignore[attr-defined]
        context.set_forkserver_preload(before)


def attempted(
    context: ForkServerContext, attempt: Attempt, config: Path, *, kill_after: float | None, chance: random.Random
) -> Ended:
    """Start it; kill it after so many seconds unless it has ended by then: its group or, by chance, one worker."""
    said = config.with_name("said.txt")
    hears, tells = context.Pipe(duplex=False)
    process = context.Process(target=run, args=(attempt, config, said, tells))
    process.start()
    tells.close()
    process.join(SECONDS_TO_END if kill_after is None else kill_after)
    killed = ""
    if process.is_alive():
        workers = workers_of(process.pid or 0)
        if workers and chance.random() < 0.4:
            os.kill(chance.choice(workers), signal.SIGKILL)
            killed = "a worker of a bill"
            process.join(SECONDS_TO_END)
        if process.is_alive():
            kill_group(process.pid or 0)
            process.join()
            killed = killed or ("a bill with its workers" if workers else type(attempt).__name__)
    if not killed.startswith("a worker") and process.exitcode != SIGKILLED:
        killed = ""  # it ended by itself in the very instant
    heard = None
    with suppress(EOFError):
        heard = hears.recv() if hears.poll() else None
    hears.close()
    return Ended(killed, heard, said.read_text(errors="replace") if said.exists() else "")


def kill_group(leader: int) -> None:
    """Kill a process and all that belongs to it, and wait until the kernel knows none of them any more."""
    try:
        os.killpg(leader, signal.SIGKILL)
    except ProcessLookupError:  # killed before it could lead a group
        with suppress(ProcessLookupError):
            os.kill(leader, signal.SIGKILL)
