"""One attempt of a Slurm job as it really was, and what befell whole hosts. Not here: who prints it when."""

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction

from chargeback.simulation.bookings import Grant
from chargeback.simulation.calendar_days import MINUTE, zulu
from chargeback.simulation.device_activity import Holding, Work
from chargeback.simulation.estate_plan import Device

TIERS = {"normal": "standard", "high": "standard", "low": "preemptible", "committed": "reserved"}
"""QOS -> tier."""

END_CAUSES = {
    "COMPLETED": "completed",
    "FAILED": "failed",
    "CANCELLED": "cancelled",
    "TIMEOUT": "timeout",
    "OUT_OF_MEMORY": "out of memory",
    "PREEMPTED": "preempted",
    "REQUEUED": "evicted",
    "NODE_FAIL": "platform fault",
}


@dataclass(frozen=True, slots=True)
class SlurmRun:
    """One run of a job. `state` is its last one; `ended` is None if nobody sees its end, `started` if it never did.

    `asked` is what a run that never started had asked for: gres type and count. `scenes` names what it is to show.
    """

    job_id_raw: int
    job_id: str
    account: str
    user: str
    job_name: str
    grants: tuple[Grant, ...]
    submitted: int
    started: int | None
    ended: int | None
    state: str = "COMPLETED"
    qos: str = "normal"
    partition: str = "gpu"
    reason: str = "None"
    limit_minutes: int = 2880
    behaviour: str = "busy"
    seed: int = 0
    is_interactive: bool = False
    is_exclusive: bool = False
    reservation: str = ""
    pauses: tuple[tuple[int, int], ...] = ()
    asked: tuple[str, int] = ("", 0)
    cpu_host: str = ""
    scenes: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        """JobIDRaw@Start; never started: @Submit."""
        return f"{self.job_id_raw}@{zulu(self.submitted if self.started is None else self.started)}"

    @property
    def tier(self) -> str:
        """By its QOS."""
        return TIERS[self.qos]

    @property
    def workload_class(self) -> str:
        """`srun` and `salloc` are interactive, all else is batch."""
        return "interactive" if self.is_interactive else "batch"

    @property
    def end_cause(self) -> str:
        """Why it ended."""
        return END_CAUSES[self.state]

    @property
    def share(self) -> Fraction:
        """GPUs that it has while it runs."""
        return sum((grant.device.share(grant.units) for grant in self.grants), Fraction(0))

    @property
    def hosts(self) -> tuple[str, ...]:
        """Its hosts, sorted."""
        return tuple(sorted({grant.device.host for grant in self.grants})) or tuple(filter(None, (self.cpu_host,)))

    def devices_by_gres(self) -> Counter[str]:
        """How many devices of each gres type it was granted."""
        return Counter(grant.device.gres for grant in self.grants)

    def devices_on(self, host: str) -> tuple[Device, ...]:
        """Its devices on a host."""
        return tuple(grant.device for grant in self.grants if grant.device.host == host)

    def is_running(self, at: int) -> bool:
        """Whether it has started and not ended."""
        return self.started is not None and self.started <= at and (self.ended is None or at < self.ended)

    def suspended_seconds(self, at: int) -> int:
        """How long it had been suspended until an instant."""
        return sum(max(0, min(ends, at) - begins) for begins, ends in self.pauses)

    def is_suspended(self, at: int) -> bool:
        """Whether it is suspended at that instant."""
        return any(begins <= at < ends for begins, ends in self.pauses)

    def holding(self) -> Holding | None:
        """What it held; None if it never started or had no GPUs."""
        if self.started is None or not self.grants or self.started == self.ended:
            return None
        work = Work(self.behaviour, self.seed, self.started, self.ended, self.pauses)
        return Holding(self.key, self.grants, self.started, self.ended, work, (("hpc_job", str(self.job_id_raw)),))


@dataclass(frozen=True, slots=True)
class HostSpell:
    """Something that befell a whole host: down, drained (`unplanned`), in maintenance (`planned`), or reserved."""

    host: str
    kind: str
    starts: int
    ends: int
    name: str
    reason: str = ""
    account: str = ""

    @property
    def is_event(self) -> bool:
        """Node events are printed by `show event`, the others by `show reservation`."""
        return self.kind in ("down", "drain")


def limit_minutes_of(seconds: int) -> int:
    """The limit of a run that ran into it: Slurm notices up to a minute late."""
    return seconds // MINUTE
