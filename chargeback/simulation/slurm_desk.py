"""Where Slurm runs get their numbers and their devices: the first stretch of time in which enough of them are free.

Not here: which runs there are (slurm_scenes.py, slurm_arrivals.py).
"""

from collections.abc import Sequence
from random import Random

from chargeback.simulation.bookings import Bookings, Grant
from chargeback.simulation.calendar_days import HOUR, SimulatedDays, candidates
from chargeback.simulation.estate_plan import SLURM, TEAMS, Device, Estate, Host, Team

FIRST_JOB = 41_000

Places = tuple[Grant, ...]


class SlurmDesk:
    """The Slurm cluster's hosts, calendar and job numbers, and the people who submit."""

    def __init__(self, estate: Estate, days: SimulatedDays, seed: int) -> None:
        self.hosts = estate.of(SLURM)
        self.days = days
        self.bookings = Bookings()
        self.random = Random(f"{seed}/slurm")  # noqa: S311
        self._next_job = FIRST_JOB

    def number(self) -> int:
        """A job number that was never given."""
        self._next_job += 1
        return self._next_job

    def number_from(self, at_least: int) -> None:
        """Let numbers go on from there: every day has its own, whatever was drawn before."""
        self._next_job = max(self._next_job, at_least)

    def person(self, team: Team | None = None) -> tuple[str, str]:
        """Account and user of somebody of a team, of any if none is named."""
        chosen = team or self.random.choice(TEAMS)
        return chosen.account, self.random.choice(chosen.users)

    def hosts_of(self, gres: str) -> tuple[Host, ...]:
        """Hosts with that kind of GPU."""
        return tuple(host for host in self.hosts if host.model.gres == gres)

    def on_one_host(
        self,
        hosts: Sequence[Host],
        count: int,
        *,
        earliest: int,
        seconds: int | None,
        kind: str = "whole",
        profile: str = "",
        within: int = 20 * HOUR,
    ) -> tuple[Places, int] | None:
        """Devices on one host and the first instant from which they are free for so long; None if there is none.

        `count` 0 means all of the host's. Both ends are instants that the cluster's clock shows only once.
        """
        for at in self._instants(earliest, within, seconds):
            ends = None if seconds is None else at + seconds
            for host in hosts:
                free = [device for device in self.bookings.free_devices(host, kind, 100, at, ends)
                        if device.profile == profile]  # fmt: skip
                wanted = count or len(host.of_kind(kind))
                if len(free) >= wanted:
                    return self._taken(free[:wanted], at, ends), at
        return None

    def on_several_hosts(
        self, hosts: Sequence[Host], counts: Sequence[int], *, earliest: int, seconds: int, within: int = 20 * HOUR
    ) -> tuple[Places, int] | None:
        """So many whole GPUs on each of as many hosts as there are counts, all free for so long."""
        for at in self._instants(earliest, within, seconds):
            found: list[Device] = []
            left = list(counts)
            for host in hosts:
                free = self.bookings.free_devices(host, "whole", 100, at, at + seconds)
                if left and len(free) >= left[0]:
                    found += free[: left.pop(0)]
            if not left:
                return self._taken(found, at, at + seconds), at
        return None

    def whole_host(
        self, hosts: Sequence[Host], *, earliest: int, seconds: int, within: int = 30 * HOUR
    ) -> tuple[Host, int] | None:
        """A host that is empty for so long, and from when on; nothing is booked."""
        for at in self._instants(earliest, within, seconds):
            for host in hosts:
                if all(self.bookings.is_free(device, 100, at, at + seconds) for device in host.devices):
                    return host, at
        return None

    def _instants(self, earliest: int, within: int, seconds: int | None) -> list[int]:
        stray = self.random.randrange(60)
        return [
            at + stray
            for at in candidates(earliest, earliest + within)
            if self.days.is_read_once(at + stray) and (seconds is None or self.days.is_read_once(at + stray + seconds))
        ]

    def _taken(self, devices: Sequence[Device], at: int, ends: int | None) -> Places:
        grants = tuple(Grant(device) for device in devices)
        self.bookings.book(grants, at, ends)
        return grants
