"""Ten thousand objects at once make a bounded number of runs, in ticks of bounded length, and none is forgotten."""

import json
import os
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from resources.operation_settings import Events
from resources.storage_location import StorageLocation
from tests.orchestration.sensor_ticks import NOW, Daemon, PlainRules, landing_key, settings_of

STORM = 10_000
DAYS = [f"2026-10-{day:02}" for day in range(1, 20)]
MOST_RUNS = 5
WAVES = 4
RUNS_A_DAY = 3
"""One for the beginning of a storm, one behind it, and one more where the storm lasts longer than a run."""


def small_sacct(number: int) -> str:
    """One job of its own, within one day or over midnight of the billing zone."""
    day = DAYS[number % len(DAYS)]
    return (
        "JobIDRaw|JobID|Cluster|Account|User|QOS|Partition|State|Start|End|ElapsedRaw|AllocTRES|NodeList\n"
        f"{number}|{number}|slurm-a|vision-lab|ada|normal|gpu|COMPLETED|{day}T08:00:00|{day}T09:00:00|3600|"
        "gres/gpu:h100=1|gpu01\n"
    )


def spaces(number: int) -> str:
    """Blanks that are another text for each number."""
    return f"{number:b}".replace("0", " ").replace("1", "\t")


def storm(lake: Path, texts: list[str], *, wave: int) -> None:
    """Land every text of a wave, each at its own second of the last hours."""
    size = len(texts) // WAVES
    for number, text in list(enumerate(texts))[wave * size : (wave + 1) * size]:
        path = lake / landing_key(text)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        at = NOW.timestamp() - 20_000 + number
        os.utime(path, (at, at))


def weathered(daemon: Daemon, waves: Iterator[None]) -> tuple[Counter[str], list[float]]:
    """Ticks until nothing is left, a wave before each while there is one, runs beginning and ending between them.

    Returns the runs a partition, and the seconds of each tick.
    """
    runs, seconds = Counter[str](), list[float]()
    calm = 0
    while calm < 2:
        is_over = next(waves, "over") == "over"
        begun = time.monotonic()
        made = daemon.tick()
        seconds.append(time.monotonic() - begun)
        runs.update(made.keys())
        calm = calm + 1 if is_over and not made and daemon.told == "nothing arrived" else 0
        if len(seconds) % 3 == 0:  # a run takes three ticks
            daemon.end()
            daemon.begin()
    return runs, seconds


def test_ten_thousand_objects_make_a_bounded_number_of_runs_and_none_is_forgotten(tmp_path: Path) -> None:
    lake, rules = tmp_path / "lake", PlainRules()
    daemon = Daemon(settings_of(StorageLocation(str(lake)), Events(most_runs_a_tick=MOST_RUNS)), rules)
    texts = [f"{DAYS[number % len(DAYS)]} {spaces(number)}" for number in range(STORM)]

    runs, _ = weathered(daemon, (storm(lake, texts, wave=wave) for wave in range(WAVES)))

    assert set(runs) == {f"slurm-a|{day}" for day in DAYS}
    assert max(runs.values()) <= RUNS_A_DAY
    assert sum(rules.asked) == STORM
    assert len(daemon.cursor or "") < 20_000


@pytest.mark.slow
def test_a_storm_of_real_extracts_is_requested_in_ticks_that_dagster_lets_end(tmp_path: Path) -> None:
    lake = tmp_path / "lake"
    objects = int(os.environ.get("STORM", STORM))
    daemon = Daemon(settings_of(StorageLocation(str(lake)), Events(most_runs_a_tick=50)), None)
    texts = [small_sacct(number) for number in range(objects)]

    runs, seconds = weathered(daemon, (storm(lake, texts, wave=wave) for wave in range(WAVES)))

    figures = {"objects": objects, "ticks": len(seconds), "longest_tick_seconds": round(max(seconds), 1),
               "all_seconds": round(sum(seconds), 1), "runs": sum(runs.values()), "days": len(runs)}  # fmt: skip
    sys.stderr.write(f"\nstorm: {json.dumps(figures)}\n")
    assert set(runs) == {f"slurm-a|{day}" for day in DAYS}
    assert max(runs.values()) <= RUNS_A_DAY
    assert max(seconds) < 60
