"""What devices did while they were held, the slow way: walk over the samples that were written, one after the other.

A sample of a device holds from its instant until the next one of that device, at most the staleness, cut at the day's
end. Idle: neither activity nor engine activity. Active: above 0.20. Starved: observed and neither.
Source: design.md 5.5. Not here: the rules that are held against it (chargeback/attribution).
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from chargeback.simulation.bookings import FOREVER
from chargeback.simulation.device_activity import Holding

ACTIVE_ABOVE_PPM = 200_000
HOUR_MILLISECONDS = 3_600_000


@dataclass(frozen=True, slots=True)
class Sampled:
    """One valid sample: instant in milliseconds since 1970, activities in ppm, power in mW (None if not sampled)."""

    at: int
    active_ppm: int
    running_ppm: int
    milliwatts: int | None


@dataclass(frozen=True, slots=True)
class Stretch:
    """A sample and the milliseconds of the day for which it holds."""

    starts: int
    ends: int
    sample: Sampled


Observed = Mapping[str, Sequence[Stretch]]
"""Stretches of every device, in order of time."""


def observed_of_day(samples: Mapping[str, Sequence[Sampled]], interval: tuple[int, int], staleness: int) -> Observed:
    """For how long each sample of a day holds. `samples`: per device, in order, from before the day's start on."""
    return {device: list(_stretches(of_device, interval, staleness)) for device, of_device in samples.items()}


def activity_of_day(holdings: Sequence[Holding], observed: Observed) -> dict[str, dict[str, dict[str, int | None]]]:
    """Run -> device -> figures of truth.py, `activity`."""
    found: dict[str, dict[str, dict[str, int | None]]] = defaultdict(dict)
    for holding in holdings:
        until = FOREVER if holding.held_until is None else holding.held_until
        for grant in holding.grants:
            device = grant.device.identity
            lengths = [
                (stretch.sample, _common(stretch, holding.held_from * 1000, until * 1000))
                for stretch in observed.get(device, ())
            ]
            found[holding.run][device] = _figures([(sample, length) for sample, length in lengths if length > 0])
    return found


def unallocated_of_day(
    holdings: Sequence[Holding], observed: Observed, interval: tuple[int, int]
) -> dict[str, dict[str, int]]:
    """Device -> milliseconds active, and ppm x ms, while nobody held it: of the hours in which it was active then."""
    held: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for holding in holdings:
        until = FOREVER if holding.held_until is None else holding.held_until
        for grant in holding.grants:
            held[grant.device.identity].append((holding.held_from * 1000, until * 1000))
    found: dict[str, dict[str, int]] = {}
    for device, stretches in observed.items():
        active: dict[int, int] = defaultdict(int)
        consumed: dict[int, int] = defaultdict(int)
        for stretch in stretches:
            for hour, piece in _by_hour(stretch, interval[0] * 1000) if stretch.sample.active_ppm else ():
                length = _free_length(piece, held[device])
                consumed[hour] += stretch.sample.active_ppm * length
                active[hour] += length if stretch.sample.active_ppm > ACTIVE_ABOVE_PPM else 0
        hours = [hour for hour, length in active.items() if length]
        if hours:
            found[device] = {
                "active": sum(active[hour] for hour in hours), "consumed": sum(consumed[hour] for hour in hours)
            }  # fmt: skip
    return found


def _by_hour(stretch: Stretch, day_start: int) -> Iterator[tuple[int, Stretch]]:
    """The parts of a stretch, each within one hour of the day."""
    begins = stretch.starts
    while begins < stretch.ends:
        hour = (begins - day_start) // HOUR_MILLISECONDS
        ends = min(stretch.ends, day_start + (hour + 1) * HOUR_MILLISECONDS)
        yield hour, Stretch(begins, ends, stretch.sample)
        begins = ends


def _stretches(samples: Sequence[Sampled], interval: tuple[int, int], staleness: int) -> Iterator[Stretch]:
    starts, ends = interval[0] * 1000, interval[1] * 1000
    for at, sample in enumerate(samples):
        following = samples[at + 1].at if at + 1 < len(samples) else FOREVER
        until = min(following, sample.at + staleness * 1000, ends)
        if until > starts and sample.at < ends:
            yield Stretch(max(sample.at, starts), until, sample)


def _common(stretch: Stretch, begins: int, until: int) -> int:
    return min(stretch.ends, until) - max(stretch.starts, begins)


def _free_length(stretch: Stretch, held: Sequence[tuple[int, int]]) -> int:
    """Milliseconds of the stretch in which none of the holds lasts."""
    inside = {edge for hold in held for edge in hold if stretch.starts < edge < stretch.ends}
    edges = sorted({stretch.starts, stretch.ends, *inside})
    return sum(
        end - start for start, end in pairwise(edges) if not any(begins <= start < until for begins, until in held)
    )


def _figures(parts: Sequence[tuple[Sampled, int]]) -> dict[str, int | None]:
    idle = sum(length for sample, length in parts if sample.active_ppm == 0 and sample.running_ppm == 0)
    active = sum(length for sample, length in parts if sample.active_ppm > ACTIVE_ABOVE_PPM)
    observed = sum(length for _, length in parts)
    powered = [(sample.milliwatts, length) for sample, length in parts if sample.milliwatts is not None]
    return {
        "observed": observed,
        "idle": idle,
        "active": active,
        "starved": observed - idle - active,
        "consumed": sum(sample.active_ppm * length for sample, length in parts),
        "energy": sum(milliwatts * length for milliwatts, length in powered) if powered else None,
    }
