"""Attribution as one would do it by hand: every sample against every hold, hour by hour, in plain loops and integers.

Slow and obvious on purpose: what chargeback/attribution computes in one pass must come to the same. It shares no code
with it. Not here: the estates that both are tried on (small_estates.py).
"""

from collections.abc import Iterator
from dataclasses import dataclass, fields
from itertools import pairwise
from typing import Any

import polars as pl

from chargeback.billing_period import Interval

QUANTITIES = {"activity": "active_ppm", "power": "power_milliwatts", "fb": "fb_used_mebibytes"}

Key = tuple[int, str, str, str, str, str]
"""hour, run, host, accelerator, sharing, gpu"""


@dataclass(slots=True)
class Held:
    """What attribution says of one hold, GPU and hour."""

    held_seconds: int = 0
    after_end_seconds: int = 0
    idle_milliseconds: int = 0
    starved_milliseconds: int = 0
    busy_milliseconds: int = 0
    unmeasured_milliseconds: int = 0
    observed_milliseconds: int = 0
    active_milliseconds: int = 0
    consumed_ppm_milliseconds: int = 0
    energy_microjoules: int | None = None
    fb_used_mebibyte_milliseconds: int | None = None
    fb_observed_milliseconds: int | None = None
    fb_max_mebibytes: int | None = None


def attributed_by_hand(
    holds: pl.DataFrame, bindings: pl.DataFrame, runs: pl.DataFrame, raw_samples: pl.DataFrame, *,
    interval: Interval, active_above_ppm: int, staleness_seconds: int,
) -> dict[Key, Held]:  # fmt: skip
    """What `attribute_hours` must say, as a dictionary."""
    ends = {run["run"]: run["workload_ended"] for run in runs.iter_rows(named=True)}
    spells = _spells_of_devices(raw_samples, interval.seconds * 1000, staleness_seconds * 1000)
    bound: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
    for binding in bindings.iter_rows(named=True):
        bound.setdefault(_hold(binding), []).append(binding)
    found: dict[Key, Held] = {}
    for hold in holds.iter_rows(named=True):
        ended = ends.get(hold["run"])
        for gpu, device, devices in _parts(hold, bound.get(_hold(hold), [])):
            for hour, begins, finishes in _hours(hold, interval):
                key = (hour, hold["run"], hold["host"], hold["accelerator"], hold["sharing"], gpu)
                row = found.setdefault(key, Held())
                for second in (begins, finishes):
                    assert interval.start.timestamp() + second <= interval.end.timestamp()
                row.held_seconds += devices * (finishes - begins)
                if ended is not None:
                    gone = int((ended - interval.start).total_seconds())
                    row.after_end_seconds += devices * max(0, finishes - max(begins, gone))
                _add_activity(row, spells.get(device, {}), begins * 1000, finishes * 1000, devices, active_above_ppm)
                row.unmeasured_milliseconds = row.held_seconds * 1000 - row.observed_milliseconds
    return found


def unheld_by_hand(
    holds: pl.DataFrame, bindings: pl.DataFrame, raw_samples: pl.DataFrame, raw_devices: pl.DataFrame, *,
    interval: Interval, active_above_ppm: int, staleness_seconds: int,
) -> dict[tuple[int, str], list[int]]:  # fmt: skip
    """Hour and GPU -> active and consumed while nobody held it: each moment between two changes looked at by itself."""
    spells = _spells_of_devices(raw_samples, interval.seconds * 1000, staleness_seconds * 1000)
    parts = _parts_of_hosts(holds, bindings, interval)
    found: dict[tuple[int, str], list[int]] = {}
    for row in raw_devices.iter_rows(named=True):
        covering = [(since, until) for since, until, gpu in parts.get(row["host"], []) if gpu in ("", row["gpu"])]
        for since, until, sample in spells.get(row["device"], {}).get("activity", []):
            if until <= 0:
                continue
            changes = {at for spell in covering for at in spell} | set(range(0, 26 * 3_600_000, 3_600_000))
            edges = sorted({max(0, since), until} | {at for at in changes if max(0, since) < at < until})
            for begins, ends in pairwise(edges):
                if ends > begins and not any(a <= begins < b for a, b in covering):
                    totals = found.setdefault((begins // 3_600_000, row["gpu"]), [0, 0])
                    totals[0] += (ends - begins) * (sample["active_ppm"] > active_above_ppm)
                    totals[1] += (ends - begins) * sample["active_ppm"]
    return {key: totals for key, totals in found.items() if totals[0]}


def _parts_of_hosts(
    holds: pl.DataFrame, bindings: pl.DataFrame, interval: Interval
) -> dict[str, list[tuple[int, int, str]]]:
    """Host -> (from, until, gpu) in milliseconds of the day; gpu is empty for what of a hold is unbound."""
    bound: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
    for binding in bindings.iter_rows(named=True):
        bound.setdefault(_hold(binding), []).append(binding)
    found: dict[str, list[tuple[int, int, str]]] = {}
    for hold in holds.iter_rows(named=True):
        begins, ends = (
            int((hold[name] - interval.start).total_seconds()) * 1000 for name in ("held_from", "held_until")
        )
        for gpu, _, _ in _parts(hold, bound.get(_hold(hold), [])):
            found.setdefault(hold["host"], []).append((begins, ends, gpu))
    return found


def as_dictionary(attribution: pl.DataFrame, interval: Interval) -> dict[Key, Held]:
    """contracts.attribution in the same shape."""
    found: dict[Key, Held] = {}
    for row in attribution.iter_rows(named=True):
        hour = int((row["hour_start"] - interval.start).total_seconds()) // 3600
        key = (hour, row["run"], row["host"], row["accelerator"], row["sharing"], row["gpu"])
        assert key not in found
        found[key] = Held(**{field.name: row[field.name] for field in fields(Held)})
    return found


def _hold(row: dict[str, Any]) -> tuple[Any, ...]:
    return tuple(row[name] for name in ("run", "host", "accelerator", "sharing", "held_from"))


def _parts(hold: dict[str, Any], bound: list[dict[str, Any]]) -> Iterator[tuple[str, int | None, int]]:
    """gpu, device and number of devices of a hold: those that are bound, and the rest."""
    left = hold["device_count"]
    for binding in bound:
        devices = binding["share_units"] // hold["share_units"]
        left -= devices
        yield binding["gpu"], binding["device"], devices
    if left:
        yield "", None, left


def _hours(hold: dict[str, Any], interval: Interval) -> Iterator[tuple[int, int, int]]:
    """Hour of the day, and the seconds of the day from which and until which it was held in that hour."""
    held_from = int((hold["held_from"] - interval.start).total_seconds())
    held_until = int((hold["held_until"] - interval.start).total_seconds())
    for hour in range(26):
        begins, finishes = max(held_from, hour * 3600), min(held_until, (hour + 1) * 3600)
        if begins < finishes:
            yield hour, begins, finishes


def _spells_of_devices(
    raw_samples: pl.DataFrame, day_end: int, staleness: int
) -> dict[int | None, dict[str, list[tuple[int, int, dict[str, Any]]]]]:
    """Device -> quantity -> (from, until, sample): how long each valid value holds."""
    by_device: dict[int | None, list[dict[str, Any]]] = {}
    for sample in raw_samples.iter_rows(named=True):
        by_device.setdefault(sample["device"], []).append(sample)
    spells: dict[int | None, dict[str, list[tuple[int, int, dict[str, Any]]]]] = {}
    for device, samples in by_device.items():
        samples.sort(key=lambda sample: sample["at_milliseconds"])
        for quantity, column in QUANTITIES.items():
            valid = [sample for sample in samples if sample[column] is not None]
            instants = [sample["at_milliseconds"] for sample in valid]
            following = [*instants[1:], day_end]
            spells.setdefault(device, {})[quantity] = [
                (at, min(after, at + staleness, day_end), sample)
                for at, after, sample in zip(instants, following, valid, strict=False)
            ]
    return spells


def _add_activity(
    row: Held, spells: dict[str, list[tuple[int, int, dict[str, Any]]]], begins: int, finishes: int, devices: int,
    active_above_ppm: int,
) -> None:  # fmt: skip
    """Add what each sample says of [begins, finishes) milliseconds."""
    for quantity, of_quantity in spells.items():
        for since, until, sample in of_quantity:
            milliseconds = devices * max(0, min(finishes, until) - max(begins, since))
            if milliseconds and quantity == "activity":
                _add_state(row, sample, milliseconds, active_above_ppm)
            elif milliseconds and quantity == "power":
                row.energy_microjoules = (row.energy_microjoules or 0) + sample["power_milliwatts"] * milliseconds
            elif milliseconds:
                used = sample["fb_used_mebibytes"]
                row.fb_used_mebibyte_milliseconds = (row.fb_used_mebibyte_milliseconds or 0) + used * milliseconds
                row.fb_observed_milliseconds = (row.fb_observed_milliseconds or 0) + milliseconds
                row.fb_max_mebibytes = max(row.fb_max_mebibytes or 0, used)


def _add_state(row: Held, sample: dict[str, Any], milliseconds: int, active_above_ppm: int) -> None:
    row.observed_milliseconds += milliseconds
    row.consumed_ppm_milliseconds += sample["active_ppm"] * milliseconds
    if sample["active_ppm"] > active_above_ppm:
        row.active_milliseconds += milliseconds
        row.busy_milliseconds += milliseconds
    elif sample["active_ppm"] == 0 and not sample["running_ppm"]:
        row.idle_milliseconds += milliseconds
    else:
        row.starved_milliseconds += milliseconds
