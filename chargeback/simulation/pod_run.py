"""One pod as it really was, and the workload objects around pods. Not here: who lists it when."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from chargeback.simulation.bookings import Grant
from chargeback.simulation.device_activity import Holding, Work

TIERS = {"standard": "standard", "spot": "preemptible", "committed": "reserved"}
"""PriorityClass -> tier."""


@dataclass(frozen=True, slots=True)
class Container:
    """A container and what it asks; `kind` is `main` or `init`."""

    name: str
    resources: Mapping[str, str]
    kind: str = "main"


@dataclass(frozen=True, slots=True)
class Owner:
    """The controller of a pod."""

    kind: str
    api_version: str
    name: str
    uid: str


@dataclass(frozen=True, slots=True)
class Pod:
    """One pod from creation until it is gone; instants that nobody sees are None.

    `deleted`: it is gone from the API. `is_silent`: nobody watched that, so it holds by the rules until `missing_from`,
    the first full listing without it. `exported_as`: labels that the exporter writes on its devices.
    """

    uid: str
    namespace: str
    name: str
    host: str
    containers: tuple[Container, ...]
    grants: tuple[Grant, ...]
    created: int
    scheduled: int | None
    started: int | None = None
    finished: int | None = None
    exit_code: int = 0
    exit_reason: str = "Completed"
    disrupted: int | None = None
    disruption_reason: str = ""
    status_reason: str = ""
    deleted: int | None = None
    is_silent: bool = False
    missing_from: int | None = None
    waiting_reason: str = "ContainerCreating"
    owner: Owner | None = None
    labels: Mapping[str, str] = field(default_factory=dict)
    annotations: Mapping[str, str] = field(default_factory=dict)
    priority_class: str = "standard"
    scheduler_name: str = "default-scheduler"
    restart_policy: str = "Never"
    deadline_seconds: int | None = None
    workload_class: str = "batch"
    end_cause: str = ""
    workload_ended: int | None = None
    behaviour: str = "busy"
    seed: int = 0
    label_lag: int = 0
    exported_as: tuple[tuple[str, str], ...] | None = None
    scenes: tuple[str, ...] = ()

    @property
    def tier(self) -> str:
        """By its PriorityClass."""
        return TIERS[self.priority_class]

    @property
    def held_until(self) -> int | None:
        """The first of: last container's finish, disruption, deletion; silently gone: the listing that misses it."""
        gone = self.missing_from if self.is_silent else self.deleted
        proofs = [at for at in (self.finished, self.disrupted, gone) if at is not None]
        return min(proofs) if proofs else None

    @property
    def ends_working(self) -> int | None:
        """When its program stopped."""
        stops = [at for at in (self.finished, self.disrupted, self.deleted) if at is not None]
        return min(stops) if stops else None

    def exists(self, at: int) -> bool:
        """Whether the API has it at that instant."""
        return self.created <= at and (self.deleted is None or at < self.deleted)

    def holding(self) -> Holding | None:
        """What it held; None if it was never scheduled or holds no GPU itself."""
        if self.scheduled is None or not self.grants:
            return None
        begins = self.scheduled if self.started is None else self.started
        ends = self.scheduled if self.started is None else self.ends_working
        own = (
            ("exported_container", "main"), ("exported_namespace", self.namespace), ("exported_pod", self.name)
        )  # fmt: skip
        label = own if self.exported_as is None else self.exported_as
        work = Work(self.behaviour, self.seed, begins, ends)
        return Holding(self.uid, self.grants, self.scheduled, self.held_until, work, label, self.label_lag)


@dataclass(frozen=True, slots=True)
class WorkloadObject:
    """A RayJob, RayCluster or Kueue Workload: what it is, when it existed, and its status as of its end.

    `gpus` is the quota of a Kueue Workload, `cluster_name` the cluster of a RayJob.
    """

    kind: str
    uid: str
    namespace: str
    name: str
    created: int
    ended: int | None
    deleted: int | None = None
    owner: Owner | None = None
    queue: str = ""
    gpus: int = 0
    pods: int = 0
    cluster_name: str = ""


@dataclass(frozen=True, slots=True)
class NodeSpell:
    """A node is cordoned (`cordon`) or does not report (`not ready`) for a stretch of time."""

    host: str
    kind: str
    starts: int
    ends: int
