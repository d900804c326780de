"""What the exporters of a cluster read on a day: every device at every scrape, and what went wrong there.

Not here: the form in which it is kept (dcgm_writer.py).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from chargeback.simulation.bookings import FOREVER
from chargeback.simulation.calendar_days import SimulatedDays
from chargeback.simulation.device_activity import Holding, Reading, Work, idle_reading, mixed, reading_of
from chargeback.simulation.estate_plan import COMPUTE_SLICES, UNITS, Device, Host

STALENESS_SCRAPES = 3

Labels = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Disturbances:
    """What goes wrong with telemetry. Stretches of time are half-open seconds.

    `gaps`: host -> nothing is scraped. `blanks`: device -> the exporter prints a sentinel. `strays`: device ->
    something runs there that no scheduler knows. `doubled`: host -> a second exporter. `listed_twice`: device -> job
    number whose job map was never removed.
    """

    gaps: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    blanks: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    strays: Mapping[str, Work] = field(default_factory=dict)
    doubled: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    listed_twice: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Scrape:
    """One scrape of a device: instant in ms, what was read, whether it was blank, and the labels of its series."""

    at: int
    reading: Reading
    is_blank: bool
    labels: tuple[Labels, ...]


def scrape_instants(host: str, scrape_seconds: int, starts: int, ends: int) -> range:
    """Instants in milliseconds at which a host is scraped; every host has an offset of its own."""
    step = scrape_seconds * 1000
    offset = mixed(*host.encode()) % (step // 50) * 50
    first = starts * 1000 + (offset - starts * 1000) % step
    return range(first, ends * 1000, step)


def scrapes_of(
    host: Host,
    device: Device,
    holdings: Sequence[Holding],
    disturbances: Disturbances,
    instants: range,
    days: SimulatedDays,
) -> Iterator[Scrape]:
    """All scrapes of a device that nobody missed; `holdings` are those that have the device near these instants."""
    gap = disturbances.gaps.get(host.name, (0, 0))
    blank = disturbances.blanks.get(device.identity, (0, 0))
    stray = disturbances.strays.get(device.identity)
    memory = device.model.memory_mebibytes * device.compute_slices // COMPUTE_SLICES
    nothing = idle_reading(device.model)
    near = [
        each for each in holdings if _ends_of(each) * 1000 >= instants.start and each.held_from * 1000 < instants.stop
    ]
    edges = sorted({edge for each in near for edge in (each.held_from, each.held_until or 0, _ends_of(each))})
    works: list[tuple[Work, int]] = []
    labels: tuple[Labels, ...] = ((),)
    changes_at = 0
    for at in instants:
        second = at // 1000
        if second >= changes_at:
            there = [holding for holding in near if holding.is_held(second)]
            works = [(holding.work, _units_of(holding, device)) for holding in there]
            works += [(stray, UNITS)] if stray is not None else []
            labels = _labels(near, there, second, disturbances, device)
            changes_at = next((edge for edge in edges if edge > second), FOREVER)
        if gap[0] <= second < gap[1]:
            continue
        reading = reading_of(device.model, memory, works, at=second, hour=days.local_hour(second)) if works else nothing
        yield Scrape(at, reading, blank[0] <= second < blank[1], labels)


def _ends_of(holding: Holding) -> int:
    """When its label is gone too."""
    return FOREVER if holding.held_until is None else holding.held_until + holding.label_lag


def _units_of(holding: Holding, device: Device) -> int:
    return sum(grant.units for grant in holding.grants if grant.device.identity == device.identity)


def _labels(
    holdings: Sequence[Holding], there: Sequence[Holding], at: int, disturbances: Disturbances, device: Device
) -> tuple[Labels, ...]:
    """Labels of the series under which a scrape stands: one for each holder, else one that is left over, else none."""
    if there:
        found = tuple(dict.fromkeys(holding.label for holding in there))
    else:
        lasting = [
            holding
            for holding in holdings
            if holding.held_until is not None and holding.held_until <= at < holding.held_until + holding.label_lag
        ]
        found = tuple(holding.label for holding in lasting[-1:])
    twice = disturbances.listed_twice.get(device.identity)
    return (*found, (("hpc_job", twice),)) if found and twice else found or ((),)
