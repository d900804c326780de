"""What a Kubernetes node record says of its GPUs: product, count, slices, and how each of them is shared.

Labels are those of NVIDIA's GPU feature discovery first, else of clouds, AMD and Alibaba. Not here: capacity in time
(kubernetes_inventory.py), and what pods ask of it (kubernetes_requests.py).
"""

from collections.abc import Mapping
from dataclasses import dataclass

import polars as pl

from chargeback.usage.accelerators import mig_profile, split_product
from chargeback.usage.json_texts import object_of
from chargeback.usage.quantities import whole_number

PRODUCT_LABELS = (
    "nvidia.com/gpu.product",
    "amd.com/gpu.product-name",
    "beta.amd.com/gpu.product-name",
    "cloud.google.com/gke-accelerator",
    "alibabacloud.com/gpu-card-model",
)
REPLICA_LABELS = ("nvidia.com/gpu.replicas", "cloud.google.com/gke-max-shared-clients-per-gpu")
STRATEGY_LABELS = ("nvidia.com/gpu.sharing-strategy", "cloud.google.com/gke-gpu-sharing-strategy")
GPU, SHARED_GPU, MIG_PREFIX = "nvidia.com/gpu", "nvidia.com/gpu.shared", "nvidia.com/mig-"
OTHER_GPUS = ("amd.com/gpu", "alibabacloud.com/gpu-count")


@dataclass(frozen=True, slots=True)
class NodeGpus:
    """The GPUs of one kind of node. `product` is without -SHARED and -MIG suffixes.

    `profile`: every GPU is cut into slices of it, and nvidia.com/gpu counts these (MIG strategy single). `replicas`:
    pods that share one GPU or slice by time slicing or MPS; 1 if they do not, None if nobody says. `gpus`: whole
    physical GPUs, None if nobody says. `slices`: profile and count, not replicated. `mig_replicas`: profile and
    replicas of its slices, where that is not 1. `unfit`: of its GPUs, or slices where all are cut alike, those that the
    kubelet gives to nobody, mostly since they are unhealthy.
    """

    product: str | None = None
    profile: str = ""
    memory_mebibytes: int | None = None
    replicas: int | None = 1
    sharing: str = "time-slice"
    gpus: int | None = None
    slices: tuple[tuple[str, int], ...] = ()
    mig_replicas: tuple[tuple[str, int], ...] = ()
    unfit: int = 0


NO_RECORD = NodeGpus()
"""A node that no record describes."""


def node_gpus_of(labels: str, capacity: str, allocatable: str) -> NodeGpus:
    """Read a node record. Input: metadata.labels, status.capacity and status.allocatable as JSON."""
    label, counted = object_of(labels), _counted(object_of(capacity))
    product, profile = split_product(_first(label, PRODUCT_LABELS))
    profile = profile or mig_profile(str(label.get("cloud.google.com/gke-gpu-partition-size", "")))
    stated = whole_number(label.get("nvidia.com/gpu.count"))
    offered = counted.get(SHARED_GPU) or counted.get(GPU)
    replicas = _replicas(label, stated, offered, is_renamed=SHARED_GPU in counted)
    by_device = stated if stated is not None else _divided(offered, replicas)
    mixed, mig_replicas = _mixed_slices(label, counted)
    others = sum(counted.get(name, 0) for name in OTHER_GPUS)
    whole = _divided(offered, replicas) or 0 if mixed else by_device
    known = whole if whole is not None or not others else others
    return NodeGpus(
        product=product or None,
        profile=profile,
        memory_mebibytes=whole_number(label.get("nvidia.com/gpu.memory")),
        replicas=replicas,
        sharing="mps" if _first(label, STRATEGY_LABELS) == "mps" else "time-slice",
        gpus=0 if profile else known,
        slices=((profile, by_device),) if profile and by_device else mixed,
        mig_replicas=mig_replicas,
        unfit=_unfit(known or 0, counted, _counted(object_of(allocatable)), replicas or 1),
    )


def nodes_with_gpus(raw_kubernetes_nodes: pl.DataFrame) -> tuple[pl.DataFrame, list[NodeGpus]]:
    """Every row of raw_kubernetes_nodes with `node_gpus`, the number of what it says in the list beside it.

    Number 0 is NO_RECORD. Nodes that say the same have one number, so what follows from it is computed once.
    """
    said = ["labels", "capacity", "allocatable"]
    numbers = {NO_RECORD: 0}
    rows = [
        (*texts, numbers.setdefault(node_gpus_of(*texts), len(numbers)))
        for texts in raw_kubernetes_nodes.select(said).unique(maintain_order=True).rows()
    ]
    schema = {**dict.fromkeys(said, pl.String()), "node_gpus": pl.Int64()}
    numbered = pl.DataFrame(rows, schema=schema, orient="row")
    return raw_kubernetes_nodes.join(numbered, on=said, how="left", validate="m:1"), list(numbers)


def _replicas(label: Mapping[str, object], stated: int | None, offered: int | None, *, is_renamed: bool) -> int | None:
    """Pods that share a GPU; None where they do and nobody says how many."""
    said = whole_number(_first(label, REPLICA_LABELS))
    if said:
        return said
    is_shared = is_renamed or (_first(label, STRATEGY_LABELS) or "none") not in ("none", "")
    if not is_shared:
        return 1
    return _divided(offered, stated)


def _mixed_slices(
    label: Mapping[str, object], counted: Mapping[str, int]
) -> tuple[tuple[tuple[str, int], ...], tuple[tuple[str, int], ...]]:
    """Slices of MIG strategy mixed, by profile, and the replicas of shared ones."""
    slices: dict[str, int] = {}
    replicated: dict[str, int] = {}
    for name in sorted(counted):
        if name.startswith(MIG_PREFIX) and counted[name]:
            resource = name.removesuffix(".shared")
            profile = mig_profile(resource.removeprefix(MIG_PREFIX))
            replicas = whole_number(label.get(f"{resource}.replicas")) or 1
            slices[profile] = slices.get(profile, 0) + counted[name] // replicas
            if replicas > 1:
                replicated[profile] = replicas
    return tuple(slices.items()), tuple(replicated.items())


def _unfit(devices: int, counted: Mapping[str, int], allocatable: Mapping[str, int], replicas: int) -> int:
    """Devices that are there and that the kubelet does not give away; none where it does not count any (DRA)."""
    names = [name for name in (SHARED_GPU, GPU, *OTHER_GPUS) if name in counted]
    if not names:
        return 0
    return max(0, devices - sum(allocatable.get(name, 0) for name in names) // replicas)


def _counted(capacity: Mapping[str, object]) -> dict[str, int]:
    counts = {name: whole_number(quantity) for name, quantity in capacity.items()}
    return {name: count for name, count in counts.items() if count is not None}


def _divided(offered: int | None, by: int | None) -> int | None:
    return offered // by if offered is not None and by else None


def _first(read: Mapping[str, object], names: tuple[str, ...]) -> str | None:
    return next((str(read[name]) for name in names if read.get(name)), None)
