"""Who has which device when: nothing is given twice.

Not here: who asks (the plans of both clusters).
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from chargeback.simulation.estate_plan import UNITS, Device, Host

FOREVER = 1 << 62
"""An end that nobody sees."""


@dataclass(frozen=True, slots=True)
class Grant:
    """So many UNITS of a device."""

    device: Device
    units: int = UNITS


@dataclass(frozen=True, slots=True)
class _Booking:
    starts: int
    ends: int
    units: int


class Bookings:
    """The devices' calendar."""

    def __init__(self) -> None:
        self._of: dict[str, list[_Booking]] = defaultdict(list)

    def book(self, grants: Iterable[Grant], starts: int, ends: int | None) -> None:
        """Give away grants for a stretch of time, without end if `ends` is None."""
        for grant in grants:
            self._of[grant.device.identity].append(_Booking(starts, FOREVER if ends is None else ends, grant.units))

    def is_free(self, device: Device, units: int, starts: int, ends: int | None) -> bool:
        """Whether so many units of a device can be given all that time."""
        until = FOREVER if ends is None else ends
        there = [each for each in self._of[device.identity] if each.starts < until and starts < each.ends]
        if not there:
            return True
        edges = {starts, *(each.starts for each in there if each.starts > starts)}
        most = max(sum(each.units for each in there if each.starts <= edge < each.ends) for edge in edges)
        return most + units <= UNITS

    def free_devices(self, host: Host, kind: str, units: int, starts: int, ends: int | None) -> list[Device]:
        """Devices of that kind on a host of which so many units can be given all that time."""
        return [device for device in host.of_kind(kind) if self.is_free(device, units, starts, ends)]

    def close(self, devices: Sequence[Device], starts: int, ends: int) -> None:
        """Give whatever is free of the devices to nobody."""
        for device in devices:
            self._of[device.identity].append(_Booking(starts, ends, UNITS))

    def forget(self, before: int) -> None:
        """Drop what ended before an instant: nobody will ask any more."""
        for identity, bookings in self._of.items():
            self._of[identity] = [each for each in bookings if each.ends > before]
