"""Where pods get their names, uids and devices on the Kubernetes cluster.

Not here: which pods there are (pod_scenes.py, shared_gpu_scenes.py, pod_arrivals.py).
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from random import Random

from chargeback.simulation.bookings import Bookings, Grant
from chargeback.simulation.calendar_days import HOUR, MINUTE, SimulatedDays, candidates
from chargeback.simulation.estate_plan import KUBERNETES, REPLICAS, TEAMS, UNITS, Device, Estate, Host, Team
from chargeback.simulation.pod_run import Container, NodeSpell, Owner, Pod, WorkloadObject

PULL_SECONDS = 45
LETTERS = "bcdfghjklmnpqrstvwxz2456789"
"""What Kubernetes makes random suffixes of."""

Ask = Mapping[str, str]


class PodDesk:
    """The Kubernetes hosts, their calendar, and what was placed so far."""

    def __init__(self, estate: Estate, days: SimulatedDays, seed: int) -> None:
        self.hosts = estate.of(KUBERNETES)
        self.days = days
        self.bookings = Bookings()
        self.random = Random(f"{seed}/kubernetes")  # noqa: S311
        self.pods: list[Pod] = []
        self.workloads: list[WorkloadObject] = []
        self.spells: list[NodeSpell] = []

    def uid(self, random: Random | None = None) -> str:
        """A uid that was never given."""
        digits = f"{(random or self.random).getrandbits(128):032x}"
        return f"{digits[:8]}-{digits[8:12]}-4{digits[13:16]}-a{digits[17:20]}-{digits[20:]}"

    def suffix(self, random: Random | None = None) -> str:
        """Five letters as Kubernetes puts behind a name."""
        return "".join((random or self.random).choice(LETTERS) for _ in range(5))

    def find(
        self, kind: str, *, count: int = 1, units: int = UNITS, profile: str = "", earliest: int, seconds: int | None,
        within: int = 20 * HOUR, hosts: tuple[Host, ...] = (),
    ) -> tuple[tuple[Grant, ...], int] | None:  # fmt: skip
        """Book devices of a kind on one host, from the first instant on from which they are free for so long."""
        stray = self.random.randrange(60)
        for at in candidates(earliest + stray, earliest + stray + within):
            ends = None if seconds is None else at + seconds
            for host in hosts or self.hosts:
                free = [device for device in self.bookings.free_devices(host, kind, units, at, ends)
                        if device.profile == profile]  # fmt: skip
                if len(free) >= count:
                    grants = tuple(Grant(device, units) for device in free[:count])
                    self.bookings.book(grants, at, ends)
                    return grants, at
        return None

    def place(
        self, scene: str, grants: tuple[Grant, ...], at: int, seconds: int | None, *, team: Team | None = None,
        random: Random | None = None, **fields: object,
    ) -> Pod:  # fmt: skip
        """A pod of a Job that has these devices from `at` on, for so long; `fields` are those of Pod."""
        chosen = random or self.random
        of_team = team or chosen.choice(TEAMS)
        word = scene.replace(" ", "-") or "train"
        job = Owner("Job", "batch/v1", f"{word}-{self.suffix(chosen)}", self.uid(chosen))
        ends = None if seconds is None else at + seconds
        given: dict[str, object] = {
            "uid": self.uid(chosen), "namespace": of_team.namespace, "name": f"{job.name}-{self.suffix(chosen)}",
            "owner": job, "labels": {"team": of_team.account, "job-name": job.name}, "host": grants[0].device.host,
            "containers": (Container("main", asked_of(grants)),), "created": at - chosen.randrange(2, 120),
            "scheduled": at, "started": at + min(PULL_SECONDS, (seconds or HOUR) // 2), "finished": ends,
            "deleted": None if ends is None else ends + chosen.choice((10 * MINUTE, 4 * HOUR, 26 * HOUR)),
            "end_cause": "completed", "seed": chosen.getrandbits(48),
        }  # fmt: skip
        make: Callable[..., Pod] = Pod
        pod = make(**{**given, **fields}, grants=grants, scenes=(scene,) if scene else ())
        self.pods.append(pod)
        return pod

    def run(
        self, scene: str, day: int, hour: float, hours: float | None, *, kind: str = "whole", count: int = 1,
        units: int = UNITS, profile: str = "", within: int = 30 * HOUR, **fields: object,
    ) -> Pod | None:  # fmt: skip
        """Find room from about that hour on and place a pod there; None if there is none."""
        seconds = None if hours is None else int(hours * HOUR) + self.random.randrange(50)
        found = self.find(
            kind, count=count, units=units, profile=profile, earliest=self.days.at(day, hour), seconds=seconds,
            within=within,
        )  # fmt: skip
        return None if found is None else self._placed(scene, *found, seconds, fields)

    def _placed(
        self, scene: str, grants: tuple[Grant, ...], at: int, seconds: int | None, fields: Mapping[str, object]
    ) -> Pod:
        place: Callable[..., Pod] = self.place
        return place(scene, grants, at, seconds, **fields)

    def also(self, pod: Pod, **changes: object) -> Pod:
        """Change a pod that was placed."""
        changed: Callable[..., Pod] = replace
        now = changed(pod, **changes)
        self.pods[self.pods.index(pod)] = now
        return now


def asked_of(grants: tuple[Grant, ...]) -> Ask:
    """Resources that a container asks for such devices."""
    device = grants[0].device
    return {_resource(device): str(len(grants)), "cpu": str(8 * len(grants)), "memory": f"{64 * len(grants)}Gi"}


def _resource(device: Device) -> str:
    if device.kind == "time-slice":
        return "nvidia.com/gpu.shared"
    return f"nvidia.com/mig-{device.profile}" if device.profile else "nvidia.com/gpu"


REPLICA_UNITS = UNITS // REPLICAS
