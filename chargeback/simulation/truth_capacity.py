"""What became of every GPU-second of a day, the slow way: cut the day at every change and look at each stretch.

Source: design.md 5.4. Not here: the rule that is held against it (chargeback/usage/capacity.py).
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from chargeback.simulation.bookings import FOREVER
from chargeback.simulation.device_activity import Holding
from chargeback.simulation.estate_plan import COMPUTE_SLICES, Host

STATES = (
    "held", "out_of_service_planned", "out_of_service_unplanned", "reserved_unused", "blocked", "unallocated"
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class CapacitySpell:
    """A whole host is in one of STATES as far as nobody holds it."""

    host: str
    state: str
    starts: int
    ends: int


def capacity_of_day(
    hosts: Sequence[Host], holdings: Sequence[Holding], spells: Sequence[CapacitySpell], interval: tuple[int, int]
) -> dict[str, dict[str, str]]:
    """GPU-seconds of each state by accelerator.

    What a GPU in MIG mode has beyond its slices is blocked, and stands with its largest profile.
    """
    found: dict[str, dict[str, Fraction]] = defaultdict(lambda: dict.fromkeys(("capacity", *STATES), Fraction(0)))
    for host in hosts:
        for accelerator, (capacity, remainder) in _capacities(host).items():
            held = list(_held_on(host, accelerator, holdings))
            here = [spell for spell in spells if spell.host == host.name]
            for begins, ends in _stretches(held, here, interval):
                left = capacity
                states = _claims(begins, held, here, capacity, remainder)
                for state in STATES:
                    taken = min(states.get(state, Fraction(0)), left) if state != "unallocated" else left
                    found[accelerator][state] += taken * (ends - begins)
                    left -= taken
                found[accelerator]["capacity"] += capacity * (ends - begins)
    return {name: {state: str(value) for state, value in of.items()} for name, of in found.items()}


def _capacities(host: Host) -> dict[str, tuple[Fraction, Fraction]]:
    """Accelerator -> GPUs and, of these, what no slice uses."""
    gpus: dict[str, Fraction] = defaultdict(Fraction)
    cut = {device.uuid for device in host.devices if device.instance}
    for device in host.devices:
        gpus[device.accelerator] += Fraction(device.compute_slices, COMPUTE_SLICES)
    unused = {name: Fraction(0) for name in gpus}
    if cut:
        largest = max((device for device in host.devices if device.instance), key=lambda device: device.compute_slices)
        slices = sum((Fraction(d.compute_slices, COMPUTE_SLICES) for d in host.devices if d.instance), Fraction(0))
        unused[largest.accelerator] = len(cut) - slices
        gpus[largest.accelerator] += unused[largest.accelerator]
    return {name: (count, unused[name]) for name, count in gpus.items()}


def _held_on(host: Host, accelerator: str, holdings: Sequence[Holding]) -> Iterator[tuple[int, int, Fraction]]:
    for holding in holdings:
        until = FOREVER if holding.held_until is None else holding.held_until
        for grant in holding.grants:
            if grant.device.host == host.name and grant.device.accelerator == accelerator:
                yield holding.held_from, until, grant.device.share(grant.units)


def _stretches(
    held: Sequence[tuple[int, int, Fraction]], spells: Sequence[CapacitySpell], interval: tuple[int, int]
) -> Iterator[tuple[int, int]]:
    starts, ends = interval
    edges = {starts, ends}
    for begins, until, _ in held:
        edges |= {begins, until}
    for spell in spells:
        edges |= {spell.starts, spell.ends}
    inside = sorted(edge for edge in edges if starts <= edge <= ends)
    yield from pairwise(inside)


def _claims(
    at: int, held: Sequence[tuple[int, int, Fraction]], spells: Sequence[CapacitySpell], capacity: Fraction,
    remainder: Fraction,
) -> dict[str, Fraction]:  # fmt: skip
    """What each state would have at an instant, were it the first to take."""
    claims = {spell.state: capacity for spell in spells if spell.starts <= at < spell.ends}
    claims["blocked"] = remainder
    claims["held"] = sum((share for begins, until, share in held if begins <= at < until), Fraction(0))
    return claims
