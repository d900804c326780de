"""The ordinary work of a Kubernetes day: jobs, notebooks and services come, as far as devices are free.

Not here: scenes (pod_scenes.py, shared_gpu_scenes.py).
"""

from collections.abc import Mapping
from datetime import date
from random import Random

from chargeback.simulation.calendar_days import HOUR
from chargeback.simulation.estate_plan import TEAMS, UNITS, UNMAPPED_NAMESPACE
from chargeback.simulation.pod_desk import REPLICA_UNITS, PodDesk
from chargeback.simulation.pod_run import Owner, Pod

SATURDAY = 5
KINDS, KIND_WEIGHTS = ("whole", "mig", "time-slice"), (60, 18, 22)
BEHAVIOURS, BEHAVIOUR_WEIGHTS = ("busy", "starved", "idle", "poker", "steady"), (60, 20, 11, 4, 5)
UNMAPPED_SHARE = 0.02

ENDS: tuple[tuple[Mapping[str, object], int], ...] = (
    ({"end_cause": "completed"}, 78),
    ({"end_cause": "failed", "exit_code": 1, "exit_reason": "Error"}, 12),
    ({"end_cause": "out of memory", "exit_code": 137, "exit_reason": "OOMKilled"}, 4),
    ({"end_cause": "timeout", "exit_code": 143, "exit_reason": "Error", "status_reason": "DeadlineExceeded"}, 6),
)


def pods_arriving(desk: PodDesk, day: int, seed: int) -> list[Pod]:
    """Pods that are scheduled on a day; what is drawn for a day does not depend on other days."""
    random = Random(f"{seed}/kubernetes/{desk.days.names[day]}")  # noqa: S311
    gpus = sum(len(host.gpus) for host in desk.hosts)
    is_weekend = date.fromisoformat(desk.days.names[day]).weekday() >= SATURDAY
    already = len(desk.pods)
    for _ in range(max(2, gpus * (2 if is_weekend else 4) // 2)):
        _one(desk, day, random)
    return desk.pods[already:]


def _one(desk: PodDesk, day: int, random: Random) -> None:
    kind = random.choices(KINDS, KIND_WEIGHTS)[0]
    hour = random.triangular(0, 23, 13)
    seconds = min(40 * HOUR, int(random.lognormvariate(9.1, 1.1)) + 60)
    found = desk.find(
        kind, count=random.choices((1, 2, 4), (60, 28, 12))[0] if kind == "whole" else 1,
        units=REPLICA_UNITS if kind == "time-slice" else UNITS,
        profile=random.choice(("3g.40gb", "2g.20gb", "1g.10gb")) if kind == "mig" else "",
        earliest=desk.days.at(day, hour), seconds=seconds, within=2 * HOUR,
        hosts=tuple(random.sample(desk.hosts, len(desk.hosts))),
    )  # fmt: skip
    shape = random.random()
    fields = _notebook(desk, random) if shape < 0.15 else _service(desk, random) if shape < 0.25 else _job(random)
    if random.random() < UNMAPPED_SHARE:
        fields["namespace"] = UNMAPPED_NAMESPACE
    team = random.choice(TEAMS)
    if found is not None:
        grants, at = found
        if fields["workload_class"] != "batch":
            fields |= {"finished": None, "deleted": at + seconds}
        desk.place("", grants, at, seconds, team=team, random=random, **fields)


def _job(random: Random) -> dict[str, object]:
    ends = random.choices([end for end, _ in ENDS], [weight for _, weight in ENDS])[0]
    return {
        **ends, "workload_class": "batch", "behaviour": random.choices(BEHAVIOURS, BEHAVIOUR_WEIGHTS)[0],
        "priority_class": random.choices(("standard", "spot"), (85, 15))[0],
        "label_lag": random.choices((0, 1200), (80, 20))[0],
    }  # fmt: skip


def _notebook(desk: PodDesk, random: Random) -> dict[str, object]:
    name = f"nb-{desk.suffix(random)}"
    return {
        "workload_class": "interactive", "behaviour": random.choice(("idle", "idle", "poker", "starved")),
        "owner": Owner("StatefulSet", "apps/v1", name, desk.uid(random)), "name": f"{name}-0",
        "labels": {"notebook-name": name}, "restart_policy": "Always", "end_cause": "cancelled",
    }  # fmt: skip


def _service(desk: PodDesk, random: Random) -> dict[str, object]:
    template, name = desk.suffix(random), f"serve-{desk.suffix(random)}"
    return {
        "workload_class": "service", "behaviour": "service", "restart_policy": "Always", "end_cause": "cancelled",
        "owner": Owner("ReplicaSet", "apps/v1", f"{name}-{template}", desk.uid(random)),
        "name": f"{name}-{template}-{desk.suffix(random)}", "labels": {"app": name, "pod-template-hash": template},
    }  # fmt: skip
