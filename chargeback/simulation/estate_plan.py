"""The estate that is simulated: two clusters, their hosts, GPUs and slices, and the teams that work there.

Half of the GPUs are under Slurm (`slurm-a`), half under Kubernetes (`k8s-b`); hosts have eight, the last ones of a kind
fewer. Not here: what runs (workload_plan.py), what devices do (device_activity.py).
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from random import Random

SLURM, KUBERNETES = "slurm-a", "k8s-b"
CLUSTERS = {SLURM: "slurm", KUBERNETES: "kubernetes"}
"""Cluster -> scheduler."""

BILLING_ZONE = "Europe/Amsterdam"
"""Days and months begin in this zone, and the Slurm cluster prints naive times of it."""

FEWEST_GPUS, FEWEST_DAYS = 16, 3
GPUS_PER_HOST = 8
UNITS = 100
"""What a device is divided into when it is booked: a whole one is 100 units, a replica of four 25."""

REPLICAS = 4
"""Time slices of a GPU that is time-sliced."""


@dataclass(frozen=True, slots=True)
class Model:
    """A kind of GPU, in everybody's spelling. Power in tenths of a watt."""

    accelerator: str
    gres: str
    product: str
    node_label: str
    memory_mebibytes: int
    idle_deciwatts: int
    busy_deciwatts: int


A100 = Model("a100-sxm4-80gb", "a100", "NVIDIA A100-SXM4-80GB", "NVIDIA-A100-SXM4-80GB", 81920, 580, 4000)
H100 = Model("h100-sxm5-80gb", "h100", "NVIDIA H100 80GB HBM3", "NVIDIA-H100-80GB-HBM3", 81559, 710, 7000)
MODELS = (A100, H100)

SLICES = (("3g.40gb", "1", 3), ("2g.20gb", "5", 2), ("1g.10gb", "13", 1))
"""Profile, GPU instance id, compute slices: what a GPU in MIG mode is cut into; one compute slice of seven is left."""

COMPUTE_SLICES = 7


@dataclass(frozen=True, slots=True)
class Device:
    """A GPU, or a MIG slice of one (`instance` is its GPU instance id).

    `kind` says who can hold it: one run (`whole`, `mig`), runs of equal time slices (`time-slice`), of a fraction each
    (`fraction`) or of a vGPU each (`vgpu`). A GPU that is cut into slices is `cut`: nobody holds it itself.
    """

    host: str
    model: Model
    uuid: str
    minor: int
    nvml_index: int
    kind: str = "whole"
    instance: str = ""
    profile: str = ""
    compute_slices: int = COMPUTE_SLICES

    @property
    def identity(self) -> str:
        """UUID of a GPU, `UUID/instance` of a slice."""
        return f"{self.uuid}/{self.instance}" if self.instance else self.uuid

    @property
    def gres(self) -> str:
        """Its type in Slurm's words: `a100`, `a100_3g.40gb`."""
        return f"{self.model.gres}_{self.profile}" if self.profile else self.model.gres

    @property
    def accelerator(self) -> str:
        """What is priced: `a100-sxm4-80gb`, `a100-sxm4-80gb:3g.40gb`."""
        return f"{self.model.accelerator}:{self.profile}" if self.profile else self.model.accelerator

    def share(self, units: int) -> Fraction:
        """The physical part of a GPU that so many of its UNITS are."""
        return Fraction(self.compute_slices, COMPUTE_SLICES) * Fraction(units, UNITS)


@dataclass(frozen=True, slots=True)
class Host:
    """A host: its GPUs, and the devices that can be held (slices in place of GPUs that are cut)."""

    name: str
    cluster: str
    model: Model
    gpus: tuple[Device, ...]
    devices: tuple[Device, ...]

    @property
    def kinds(self) -> frozenset[str]:
        """Kinds of its devices."""
        return frozenset(device.kind for device in self.devices)

    def of_kind(self, kind: str) -> tuple[Device, ...]:
        """Its devices of one kind."""
        return tuple(device for device in self.devices if device.kind == kind)


@dataclass(frozen=True, slots=True)
class Team:
    """A team, its cost centre, its Slurm account and its namespace, and the people in it."""

    name: str
    cost_centre: str
    account: str
    users: tuple[str, ...]

    @property
    def namespace(self) -> str:
        """Its Kubernetes namespace."""
        return f"team-{self.account}"


TEAMS = (
    Team("Vision", "4711", "vision", ("ada", "bram", "chidi")),
    Team("Speech", "4711", "speech", ("dana", "emre")),
    Team("NLP", "4712", "nlp", ("femke", "goran", "hana")),
    Team("Robotics", "4712", "robotics", ("ilse", "jun")),
    Team("Genomics", "4713", "genomics", ("kofi", "lena")),
    Team("Climate", "4713", "climate", ("mila", "noor")),
)

UNMAPPED_ACCOUNT, UNMAPPED_NAMESPACE = "legacy", "sandbox"
"""Nobody answers for them, on purpose: they show as suspense."""

SHARED_ACCOUNT, SHARED_NAMESPACE = "foundation", "team-foundation"
SHARED_BY: Mapping[str, int] = {"Vision": 60, "NLP": 40}
"""One account and namespace that two teams bear, in per cent."""


def owners_of(account: str) -> dict[tuple[str, str], Fraction]:
    """Who bears what is held by an account or a namespace: (team, cost centre) -> part; `unattributed` if nobody."""
    if account in (SHARED_ACCOUNT, SHARED_NAMESPACE):
        parts = {team: SHARED_BY[team.name] for team in TEAMS if team.name in SHARED_BY}
        return {(team.name, team.cost_centre): Fraction(percent, 100) for team, percent in parts.items()}
    for team in TEAMS:
        if account in (team.account, team.namespace):
            return {(team.name, team.cost_centre): Fraction(1)}
    return {("unattributed", ""): Fraction(1)}


@dataclass(frozen=True, slots=True)
class Estate:
    """All hosts of both clusters, in a fixed order."""

    hosts: tuple[Host, ...]

    def of(self, cluster: str) -> tuple[Host, ...]:
        """Hosts of one cluster."""
        return tuple(host for host in self.hosts if host.cluster == cluster)

    @property
    def gpu_count(self) -> int:
        """GPUs of all hosts."""
        return sum(len(host.gpus) for host in self.hosts)


def plan_estate(*, gpus: int, seed: int) -> Estate:
    """An estate of so many GPUs; the same seed has the same UUIDs.

    Slurm: a host whose last GPU is cut into slices, hosts of A100 and H100 in turn, at least one of each. Kubernetes: a
    host with whole GPUs, one GPU for fractions and one that is cut; one time-sliced; one of vGPUs; more whole ones.
    Raises: ValueError for fewer GPUs than FEWEST_GPUS: not all kinds of work would fit.
    """
    if gpus < FEWEST_GPUS:
        raise ValueError(f"an estate of {gpus} GPUs is too small to show everything: take at least {FEWEST_GPUS}")
    random = Random(f"{seed}/estate")  # noqa: S311 - a simulation wants a seed, not a secret
    under_slurm = gpus // 2
    return Estate((*_slurm_hosts(under_slurm, random), *_kubernetes_hosts(gpus - under_slurm, random)))


def _slurm_hosts(gpus: int, random: Random) -> Iterator[Host]:
    small = max(2, min(GPUS_PER_HOST, gpus // 4))
    sizes = [*_in_eights(gpus - 2 * small), small, small]
    models = [A100 if at % 2 == 0 or len(sizes) < 5 else H100 for at in range(len(sizes) - 2)] + [A100, H100]
    for at, (size, model) in enumerate(zip(sizes, models, strict=True), start=1):
        kinds = ["whole"] * (size - 1) + ["cut" if at == 1 else "whole"]
        # On every second host the driver numbers devices the other way round than Slurm: an index names nothing.
        yield _host(f"sa-{model.gres}-{at:02}", SLURM, model, kinds, random, reversed_index=at % 2 == 0)


def _kubernetes_hosts(gpus: int, random: Random) -> Iterator[Host]:
    small = max(2, min(GPUS_PER_HOST, gpus // 4))
    first, *more = _in_eights(gpus - 2 * small)
    mixed = ["whole"] * (first - 2) + ["fraction", "cut"]
    plans = [(H100, mixed), (A100, ["time-slice"] * small), (A100, ["vgpu"] * small)]
    plans += [(H100 if at % 2 == 0 else A100, ["whole"] * size) for at, size in enumerate(more)]
    for at, (model, kinds) in enumerate(plans, start=1):
        yield _host(f"kb-{model.gres}-{at:02}", KUBERNETES, model, kinds, random, reversed_index=False)


def _in_eights(gpus: int) -> list[int]:
    full, rest = divmod(gpus, GPUS_PER_HOST)
    return [GPUS_PER_HOST] * full + ([rest] if rest else [])


def _host(name: str, cluster: str, model: Model, kinds: list[str], random: Random, *, reversed_index: bool) -> Host:
    gpus = tuple(
        Device(name, model, _uuid(random), minor, len(kinds) - 1 - minor if reversed_index else minor, kind)
        for minor, kind in enumerate(kinds)
    )
    return Host(name, cluster, model, gpus, tuple(device for gpu in gpus for device in _held_of(gpu)))


def _held_of(gpu: Device) -> Iterator[Device]:
    if gpu.kind != "cut":
        yield gpu
        return
    for profile, instance, compute in SLICES:
        yield Device(gpu.host, gpu.model, gpu.uuid, gpu.minor, gpu.nvml_index, "mig", instance, profile, compute)


def _uuid(random: Random) -> str:
    digits = f"{random.getrandbits(128):032x}"
    return f"GPU-{digits[:8]}-{digits[8:12]}-4{digits[13:16]}-8{digits[17:20]}-{digits[20:]}"
