"""Stages timed in turn with the least that any program must do with the same data: CPU seconds, some rounds, a table.

Not here: what is timed (day_of_holds.py, day_of_samples.py).
"""

import io
import resource
import statistics
import time
from collections.abc import Callable, Mapping

import polars as pl
from rich.console import Console
from rich.table import Table

ROUNDS = 5

Work = Callable[[], object]


def time_in_turn(stages: Mapping[str, tuple[Work, Work]]) -> None:
    """Run every stage and its limit, round by round, and print what they cost."""
    costs: dict[str, list[tuple[float, float]]] = {name: [] for name in stages}
    for _ in range(ROUNDS):
        for name, (work, limit) in stages.items():
            costs[name].append((_cpu_seconds(work), _cpu_seconds(limit)))
    table = Table(title=f"CPU seconds, {ROUNDS} rounds: min / median / max", title_justify="left")
    for heading in ("stage", "ours", "limit", "ratio of medians"):
        table.add_column(heading)
    for name, rounds in costs.items():
        ours, limit = [ours for ours, _ in rounds], [limit for _, limit in rounds]
        ratio = statistics.median(ours) / max(statistics.median(limit), 1e-9)
        table.add_row(name, _spread(ours), _spread(limit), f"{ratio:.1f}")
    console = Console(width=120)
    console.print(table)
    console.print(f"peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024:,} MiB")


def written_and_read(frame: pl.DataFrame) -> pl.DataFrame:
    """The limit of a stage that makes a table: write it as Parquet, in memory, and read it back."""
    written = io.BytesIO()
    frame.write_parquet(written, compression="zstd")
    return pl.read_parquet(io.BytesIO(written.getvalue()))


def _cpu_seconds(work: Work) -> float:
    before = time.process_time()
    work()
    return time.process_time() - before


def _spread(seconds: list[float]) -> str:
    return " / ".join(f"{figure:.2f}" for figure in (min(seconds), statistics.median(seconds), max(seconds)))
