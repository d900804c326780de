"""GPUs that several pods share: KAI fractions, HAMi vGPUs, time slices; and what befalls the nodes that have them.

Not here: whole GPUs and slices (pod_scenes.py).
"""

from chargeback.simulation.bookings import Grant
from chargeback.simulation.calendar_days import HOUR, MINUTE
from chargeback.simulation.estate_plan import TEAMS, UNITS, Device
from chargeback.simulation.pod_desk import REPLICA_UNITS, PodDesk
from chargeback.simulation.pod_run import Container, NodeSpell, Owner

RESERVATIONS = "kai-resource-reservation"
TOLERATED_SECONDS = 300
"""How long pods stay on a node that does not report."""


def place_shared_scenes(desk: PodDesk) -> None:
    """Place all of them, in a fixed order."""
    _node_not_ready(desk)
    _cordoned(desk)
    _replicas(desk)
    for day in range(desk.days.count):
        _fractions(desk, day)
    _vgpus(desk)


def _hosts_with(desk: PodDesk, kind: str) -> tuple[Device, ...]:
    return tuple(device for host in desk.hosts for device in host.of_kind(kind))


def _node_not_ready(desk: PodDesk) -> None:
    """The time-sliced node stops reporting; after five minutes its pods are given up."""
    device = _hosts_with(desk, "time-slice")[0]
    lost = desk.days.at(1, 16) + 23
    back = lost + 2 * HOUR
    devices = [each for each in _hosts_with(desk, "time-slice") if each.host == device.host]
    desk.spells.append(NodeSpell(device.host, "not ready", lost, back))
    given_up = lost + TOLERATED_SECONDS
    grants = (Grant(device, REPLICA_UNITS),)
    desk.bookings.book(grants, lost - 3 * HOUR, given_up)
    desk.bookings.close(devices, lost, back)
    desk.place(
        "node failed", grants, lost - 3 * HOUR, None, disrupted=given_up, deleted=given_up + 2, finished=None,
        disruption_reason="DeletionByTaintManager", end_cause="platform fault",
    )  # fmt: skip


def _cordoned(desk: PodDesk) -> None:
    """A node of vGPUs is cordoned; what runs there may go on, the rest is out of service."""
    devices = _hosts_with(desk, "vgpu")
    host = devices[0].host
    on_host = [each for each in devices if each.host == host]
    begins, ends = desk.days.at(1, 8) + 11, desk.days.at(1, 15)
    desk.spells.append(NodeSpell(host, "cordon", begins, ends))
    grants = (Grant(on_host[0], 50),)
    desk.bookings.book(grants, begins - HOUR, begins + 2 * HOUR)
    desk.bookings.close(on_host, begins, ends)
    _vgpu(desk, "on a cordoned node", grants, begins - HOUR, 3 * HOUR, cores="50")


def _replicas(desk: PodDesk) -> None:
    """Time slices: a service that has few visitors, and short work beside it."""
    lasts = 2 * 24 * HOUR + 20 * HOUR
    found = desk.find("time-slice", units=REPLICA_UNITS, earliest=desk.days.at(-2, 8), seconds=lasts)
    if found is not None:
        grants, at = found
        desk.place(
            "time slice", grants, at, None, finished=None, deleted=at + lasts, behaviour="service",
            owner=Owner("ReplicaSet", "apps/v1", "embed-6f7d9", desk.uid()), workload_class="service",
            labels={"app": "embed", "pod-template-hash": "6f7d9"}, restart_policy="Always", end_cause="cancelled",
        )  # fmt: skip
    for day, hour, hours in ((0, 9, 4), (0, 10, 5), (0, 11, 2), (1, 3, 6)):
        desk.run("time slice", day, hour, hours, kind="time-slice", units=REPLICA_UNITS)


def _fractions(desk: PodDesk, day: int) -> None:
    """Three pods share a GPU that a reservation pod keeps for them; that pod holds nothing itself."""
    device = _hosts_with(desk, "fraction")[0]
    begins, ends = desk.days.at(day, 7.5) + 13, desk.days.at(day, 19.5)
    group = desk.suffix()
    reservation = f"gpu-reservation-{device.host}-{group}"
    exported = (
        ("exported_container", "resource-reservation"), ("exported_namespace", RESERVATIONS),
        ("exported_pod", reservation),
    )  # fmt: skip
    desk.place(
        "reservation pod of a fraction", (Grant(device),), begins, None, namespace=RESERVATIONS, name=reservation,
        labels={"app": RESERVATIONS, "runai-gpu-group": group}, finished=None, deleted=ends, owner=None,
        annotations={"run.ai/reserve_for_gpu_index": device.uuid}, end_cause="cancelled",
        containers=(Container("resource-reservation", {"nvidia.com/gpu": "1"}),),
    )  # fmt: skip
    desk.also(desk.pods[-1], grants=())
    for at, seconds, units, behaviour in (
        (begins + 5, ends - begins - 10, 46, "starved"),
        (begins + HOUR, 5 * HOUR, 54, "busy"),
        (begins + 7 * HOUR, 2 * HOUR, 25, "idle"),
    ):
        team = desk.random.choice(TEAMS)
        desk.place(
            "GPU fraction", (Grant(device, units),), at, seconds, team=team, behaviour=behaviour,
            scheduler_name="kai-scheduler", containers=(Container("main", {"cpu": "4"}),), exported_as=exported,
            annotations={"gpu-fraction": f"0.{units}"},
            labels={"team": team.account, "kai.scheduler/queue": team.account, "runai-gpu-group": group},
        )  # fmt: skip
    desk.bookings.book((Grant(device, UNITS),), begins, ends)


def _vgpus(desk: PodDesk) -> None:
    for day, hour, hours, units in ((0, 8, 6, 25), (0, 8, 7, 25), (0, 9, 5, 30), (2, 1, 9, 60)):
        found = desk.find("vgpu", units=units, earliest=desk.days.at(day, hour), seconds=int(hours * HOUR) + 3)
        if found is not None:
            grants, at = found
            _vgpu(desk, "vGPU", grants, at, int(hours * HOUR) + 3, cores=str(units))


def _vgpu(desk: PodDesk, scene: str, grants: tuple[Grant, ...], at: int, seconds: int, *, cores: str) -> None:
    device = grants[0].device
    memory = str(device.model.memory_mebibytes * int(cores) // 100)
    asked = {"nvidia.com/gpu": "1", "nvidia.com/gpucores": cores, "nvidia.com/gpumem": memory}
    desk.place(
        scene, grants, at, seconds, containers=(Container("main", asked),), scheduler_name="hami-scheduler",
        exported_as=(), annotations={
            "hami.io/vgpu-devices-allocated": f"{device.uuid},NVIDIA,{memory},{cores}:;",
            "hami.io/vgpu-node": device.host, "hami.io/bind-phase": "success",
        },
    )  # fmt: skip


def busy_by_nobody(desk: PodDesk, earliest: int) -> tuple[Device, int, int] | None:
    """A whole GPU that nobody is given, though something will run there: device, from when, until when."""
    found = desk.find("whole", earliest=earliest, seconds=50 * MINUTE, within=60 * HOUR)
    return None if found is None else (found[0][0].device, found[1], found[1] + 50 * MINUTE)
