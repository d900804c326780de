"""Progress of a bill, and how a terminal shows it: one bar a stage; without a terminal a line for a tenth of one."""

from types import TracebackType
from typing import Protocol, Self

from rich import progress as rich_progress
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TaskID, TextColumn, TimeElapsedColumn


class Progress(Protocol):
    """Told of what is going on; how it is shown is the caller's."""

    def begin(self, what: str, total: int) -> None:
        """A stage with so many steps begins."""

    def step(self, what: str) -> None:
        """One step of the stage ended."""


class TerminalProgress:
    """Shows stages as bars; used as a context."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._bars = rich_progress.Progress(
            TextColumn("{task.description:<26}"),
            BarColumn(bar_width=32),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TextColumn("{task.fields[at]}", style="dim"),
            console=console,
            disable=not console.is_terminal,
        )
        self._stage: TaskID | None = None
        self._done = 0
        self._total = 0
        self._what = ""

    def __enter__(self) -> Self:
        self._bars.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._bars.stop()

    def begin(self, what: str, total: int) -> None:
        """A stage with so many steps begins."""
        self._what, self._total, self._done = what, total, 0
        self._stage = self._bars.add_task(what, total=total, at="")
        if not self._console.is_terminal:
            self._console.print(f"{what}: {total}")

    def step(self, what: str) -> None:
        """One step of the stage ended."""
        self._done += 1
        if self._stage is not None:
            self._bars.update(self._stage, advance=1, at=what.rpartition("/")[2][:40])
        if not self._console.is_terminal and self._done * 10 // self._total > (self._done - 1) * 10 // self._total:
            self._console.print(f"{self._what}: {self._done} of {self._total}")
