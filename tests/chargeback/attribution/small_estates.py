"""Small random estates: one host each, with GPUs, holds, bindings and samples that are awkward on purpose.

Whole GPUs, MIG slices, replicas and shards; holds that overlap, touch, share, begin on a sample or on the hour; series
with gaps, missing values, a sample carried in, and instants on every kind of boundary. Not here: what is right of them.
"""

from dataclasses import dataclass, field
from datetime import timedelta
from random import Random
from typing import Any

import polars as pl

from chargeback.billing_period import Interval
from chargeback.contracts.bindings import BINDINGS
from chargeback.contracts.contract import Contract
from chargeback.contracts.holds import HOLDS
from chargeback.contracts.raw_devices import RAW_DEVICES
from chargeback.contracts.raw_samples import RAW_SAMPLES
from chargeback.contracts.runs import RUNS
from tests.tables import a_table_of

KINDS = {"whole": (1, 1), "mig": (3, 7), "time-slice": (1, 3), "shard": (1, 8)}


@dataclass
class SmallEstate:
    """Rows of holds, bindings, runs and samples of one or more hosts."""

    day: Interval
    holds: list[dict[str, Any]] = field(default_factory=list)
    bindings: list[dict[str, Any]] = field(default_factory=list)
    runs: list[dict[str, Any]] = field(default_factory=list)
    samples: list[dict[str, Any]] = field(default_factory=list)
    gpus: list[dict[str, Any]] = field(default_factory=list)

    def add_host(self, seed: int) -> None:
        """One more host, which follows from its seed and its place."""
        random = Random(seed)
        host = f"n{len({hold['host'] for hold in self.holds})}-{seed}"
        kind = random.choice(list(KINDS))
        devices = range(len(self.gpus), 10**9)
        gpus = [(device, f"{host}-GPU-{at}") for at, device in zip(range(random.randint(1, 3)), devices, strict=False)]
        self.gpus += [{"device": device, "host": host, "gpu": gpu} for device, gpu in gpus]
        instants = _instants(random, self.day.seconds)
        for device, _ in gpus:
            self._add_samples(random, device, instants)
        for number in range(random.randint(1, 4)):
            self._add_hold(random, f"{host}-run-{number}", host, kind, gpus, instants)

    def frames(self) -> tuple[pl.DataFrame, pl.DataFrame, pl.DataFrame, pl.DataFrame]:
        """holds, bindings, runs and raw_samples by their contracts."""
        return (
            _frame(HOLDS, self.holds).unique(HOLDS.key, keep="first", maintain_order=True),
            _frame(BINDINGS, self.bindings).unique(BINDINGS.key, keep="first", maintain_order=True),
            _frame(RUNS, self.runs),
            _frame(RAW_SAMPLES, self.samples),
        )

    def devices(self) -> pl.DataFrame:
        """raw_devices: every GPU, all day, without labels."""
        return _frame(RAW_DEVICES, self.gpus)

    def _add_samples(self, random: Random, device: int, instants: list[int]) -> None:
        """A series over some of the instants: values, zeros, and nothing at all in some columns."""
        has_power, has_fb = random.random() < 0.7, random.random() < 0.7
        carried_in = [-random.randint(1, 400_000)] if random.random() < 0.5 else []
        chosen = {at * 1000 for at in instants if random.random() < 0.6}
        chosen |= {random.randrange(self.day.seconds * 1000) for _ in range(random.randint(0, 6))}
        for at in sorted(carried_in + list(chosen)):
            self.samples.append({
                "device": device,
                "at_milliseconds": at,
                "active_ppm": random.choice([None, 0, 0, 1, 199_999, 200_000, 200_001, 1_000_000]),
                "running_ppm": random.choice([None, 0, 5, 1_000_000]),
                "power_milliwatts": random.choice([None, 0, 75_000, 700_000]) if has_power else None,
                "fb_used_mebibytes": random.choice([None, 0, 17, 81_000]) if has_fb else None,
            })  # fmt: skip

    def _add_hold(
        self, random: Random, run: str, host: str, kind: str, gpus: list[tuple[int, str]], instants: list[int]
    ) -> None:
        """A hold of some devices, on none, some or all of the GPUs that it needs; sometimes a second, later one."""
        share_units, units = KINDS[kind]
        begins, middle, ends = sorted(random.sample([*instants, 0, self.day.seconds, *_some(random, self.day)], 3))
        bound = random.sample(gpus, random.randint(0, len(gpus)))
        per_gpu = random.randint(1, 3) if kind == "shard" else 1
        count = len(bound) * per_gpu + random.choice([0, 0, 1]) or 1
        spells = [(begins, ends)] if random.random() < 0.7 else [(begins, middle), (middle, ends)]
        for since, until in spells:
            if since == until:
                continue
            hold = {
                "run": run, "host": host, "accelerator": "a100", "sharing": kind, "split": "one host",
                "held_from": self.day.start + timedelta(seconds=since),
                "held_until": self.day.start + timedelta(seconds=until),
                "share_units": share_units, "units_per_gpu": units,
            }  # fmt: skip
            self.holds.append({**hold, "device_count": count})
            self.bindings += [
                {**hold, "gpu": gpu, "device": random.choice([device, device, device, None]),
                 "share_units": share_units * per_gpu, "evidence": "prolog map"}
                for device, gpu in bound
            ]  # fmt: skip
        ended = random.choice([None, self.day.start + timedelta(seconds=random.randrange(-100, self.day.seconds))])
        self.runs.append({"run": run, "workload_ended": ended})


def _instants(random: Random, day_seconds: int) -> list[int]:
    """Seconds at which things tend to happen: a scrape grid for a while, full hours, the ends of the day."""
    start, step = random.randrange(day_seconds - 7200), random.choice([30, 60, 97])
    grid = [start + step * at for at in range(40)]
    hours = [3600 * hour for hour in range(1 + day_seconds // 3600)]
    return sorted({*grid, *random.sample(hours, 5)} - {0, day_seconds})


def _some(random: Random, day: Interval) -> list[int]:
    return random.sample(range(1, day.seconds), 4)


def _frame(contract: Contract, rows: list[dict[str, Any]]) -> pl.DataFrame:
    blank = a_table_of(contract, f"{contract.columns[0].name}\nc").row(0, named=True)
    return pl.DataFrame([{**blank, **row} for row in rows], schema=contract.schema)
