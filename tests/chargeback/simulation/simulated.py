"""Simulated estates that several tests look at, each made once, with its truth; and small readers of that truth."""

import gzip
from collections import defaultdict
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from functools import lru_cache
from typing import Any
from zoneinfo import ZoneInfo

import polars as pl

from chargeback.simulation.estate_plan import BILLING_ZONE
from chargeback.simulation.made import Made
from chargeback.simulation.simulate import simulated_estate
from chargeback.simulation.truth import Truth

ZONE = ZoneInfo(BILLING_ZONE)


@dataclass(frozen=True, eq=False)
class SimulatedEstate:
    """Its objects, and what is true of it as JSON would have it."""

    objects: tuple[Made, ...]
    truth: Truth

    def of(self, cluster: str) -> dict[str, dict[str, Any]]:
        """day -> what is true of a cluster."""
        return self.truth.clusters[cluster]["days"]  # type: ignore[return-value]

    def landed(self, cluster: str, source: str) -> list[Made]:
        """Objects of one source."""
        return [made for made in self.objects if made.cluster == cluster and made.source.startswith(source)]


@lru_cache(maxsize=8)
def simulated(gpus: int, days: int, first_day: str, seed: int = 7, scrape_seconds: int = 300) -> SimulatedEstate:
    """An estate by its arguments."""
    truth = Truth()
    made = simulated_estate(
        gpus=gpus, days=days, seed=seed, first_day=date.fromisoformat(first_day), scrape_seconds=scrape_seconds,
        truth=truth,
    )  # fmt: skip
    return SimulatedEstate(tuple(made), truth)


def small_estate() -> SimulatedEstate:
    """Sixteen GPUs over the change of the clock: 24 to 27 October."""
    return simulated(16, 4, "2026-10-24")


def month_end() -> SimulatedEstate:
    """Twenty-four GPUs over a month's end: 29 October to 2 November."""
    return simulated(24, 5, "2026-10-29", seed=11)


def content_of(made: Made) -> bytes:
    """Its bytes, uncompressed."""
    return gzip.decompress(made.content) if made.extension.endswith(".gz") else made.content


def gpu_seconds_by(frame: pl.DataFrame, *keys: str) -> dict[tuple[str, ...], Fraction]:
    """Exact GPU-seconds of holds by columns."""
    found: dict[tuple[str, ...], Fraction] = defaultdict(Fraction)
    for row in frame.iter_rows(named=True):
        seconds = int((row["held_until"] - row["held_from"]).total_seconds()) * row["device_count"]
        found[tuple(row[key] for key in keys)] += Fraction(seconds * row["share_units"], row["units_per_gpu"])
    return dict(found)


def true_gpu_seconds(held: dict[str, dict[str, str]]) -> dict[tuple[str, ...], Fraction]:
    """(run, accelerator) -> GPU-seconds of a day's `held`."""
    return {(run, accelerator): Fraction(text) for run, of in held.items() for accelerator, text in of.items()}


def capacity_by_accelerator(capacity: pl.DataFrame) -> dict[str, dict[str, Fraction]]:
    """GPU-seconds in each state, from contracts.capacity."""
    found: dict[str, dict[str, Fraction]] = defaultdict(lambda: defaultdict(Fraction))
    for row in capacity.iter_rows(named=True):
        for name, value in row.items():
            if name.endswith("_unit_seconds"):
                state = name.removesuffix("_unit_seconds")
                found[row["accelerator"]][state] += Fraction(value, row["units_per_gpu"])
    return {accelerator: dict(states) for accelerator, states in found.items()}
