"""What a device does at an instant because of what runs on it: SM activity, engine activity, power, frame buffer.

Piecewise constant in quarters of an hour, computed from a seed alone, so any instant can be asked for in any order.
Not here: who samples it when (dcgm_writer.py).
"""

from collections.abc import Iterable
from dataclasses import dataclass

from chargeback.simulation.bookings import Grant
from chargeback.simulation.estate_plan import UNITS, Model

PIECE_SECONDS = 900
FULL = 10_000
"""Activity is counted in ten-thousandths."""

BURST_SECONDS = 300
"""A poker works for five minutes of each hour."""

LOADING_SECONDS = 240
"""A program reads its data first."""

_MASK = (1 << 64) - 1


@dataclass(frozen=True, slots=True)
class Work:
    """What a run does with its devices.

    `behaviour`: busy, steady, idle, starved, poker or service. It begins at `begins` (image pulled, started) and stops
    at `ends`, or goes on; in a pause it is stopped but keeps its memory.
    """

    behaviour: str
    seed: int
    begins: int
    ends: int | None
    pauses: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Holding:
    """A run, what it was granted and when it had it. `label` is what exporters write on its devices' series.

    `label_lag`: seconds that the label stays on an idle device after the end. A run that goes on has no `held_until`.
    """

    run: str
    grants: tuple[Grant, ...]
    held_from: int
    held_until: int | None
    work: Work
    label: tuple[tuple[str, str], ...]
    label_lag: int = 0

    def is_held(self, at: int) -> bool:
        """Whether it has its devices at that instant."""
        return self.held_from <= at and (self.held_until is None or at < self.held_until)


@dataclass(frozen=True, slots=True)
class Reading:
    """One scrape of a device: activities in ten-thousandths, tenths of a watt, MiB."""

    active: int
    running: int
    deciwatts: int
    fb_mebibytes: int


def reading_of(
    model: Model, memory_mebibytes: int, works: Iterable[tuple[Work, int]], *, at: int, hour: int
) -> Reading:
    """What an exporter reads of a device on which all these `works` run, each with its UNITS; `hour` is the local hour.

    Activities add up to at most FULL.
    """
    active = running = memory = 0
    for work, units in works:
        did, ran, used = _of_work(work, at, hour)
        active += did * units // UNITS
        running += ran * units // UNITS
        memory += memory_mebibytes * used * units // (FULL * UNITS)
    active, running = min(active, FULL), min(running, FULL)
    watts = model.idle_deciwatts + (model.busy_deciwatts - model.idle_deciwatts) * (active + running) // (2 * FULL)
    return Reading(active, running, watts, min(memory, memory_mebibytes))


def idle_reading(model: Model) -> Reading:
    """A device on which nothing runs."""
    return Reading(0, 0, model.idle_deciwatts, 0)


def _of_work(work: Work, at: int, hour: int) -> tuple[int, int, int]:
    """Activity, engine activity and part of the memory, in ten-thousandths, of a whole device."""
    if at < work.begins or (work.ends is not None and at >= work.ends):
        return 0, 0, 0
    if any(begins <= at < ends for begins, ends in work.pauses):
        return 0, 0, 4_000
    since = at - work.begins
    noise = mixed(work.seed, since // PIECE_SECONDS)
    if work.behaviour == "idle":
        return 0, 0, 600
    if work.behaviour == "poker":
        return (9_400, 9_700, 1_200) if at % 3600 < BURST_SECONDS else (0, 0, 1_200)
    if since < LOADING_SECONDS and work.behaviour != "service":
        return 0, 300, 2_000
    if work.behaviour == "starved":
        return 200 + noise % 900, 4_500 + noise % 3_000, 7_000
    if work.behaviour == "service":
        return _service(noise, hour)
    if work.behaviour == "steady":
        return 2_000, 2_600, 5_000
    return 5_500 + noise % 4_000, 6_000 + noise % 4_000, 6_000 + noise % 3_000


def _service(noise: int, hour: int) -> tuple[int, int, int]:
    """By day it answers, in the evening less, by night hardly anybody asks."""
    if 8 <= hour < 19:
        return 3_500 + noise % 4_000, 4_500 + noise % 4_000, 6_500
    if 6 <= hour < 23:
        return 900 + noise % 1_500, 1_600 + noise % 2_000, 6_500
    return (0, 0, 6_500) if noise % 3 else (noise % 400, 150 + noise % 600, 6_500)


def mixed(*numbers: int) -> int:
    """A number that looks drawn at random and follows from the numbers alone."""
    state = 0x9E3779B97F4A7C15
    for number in numbers:
        state = ((state ^ (number & _MASK)) * 0xBF58476D1CE4E5B9) & _MASK
        state ^= state >> 31
    return state
