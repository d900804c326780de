"""What a pod asks of its node's GPUs: whole GPUs, MIG slices, replicas, fractions, vGPUs; or something unreadable.

What the kubelet enforces (resources) comes before what people can write (annotations): an annotation counts only where
no container asks for a device. Not here: DRA claims (kubernetes_claimed.py), when a pod holds (kubernetes_spans.py).
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

import orjson

from chargeback.usage.accelerators import mig_profile, slug_of_product
from chargeback.usage.kubernetes_node_gpus import GPU, MIG_PREFIX, SHARED_GPU, NodeGpus
from chargeback.usage.mig import parse_slice
from chargeback.usage.quantities import whole_number

FRACTION, FRACTION_MEMORY, FRACTION_DEVICES = "gpu-fraction", "gpu-memory", "gpu-fraction-num-devices"
COUNT, MILLI = "alibabacloud.com/gpu-count", "alibabacloud.com/gpu-milli"
ASKING_ANNOTATIONS = (FRACTION, FRACTION_MEMORY, FRACTION_DEVICES, COUNT, MILLI)
"""Annotations of KAI and Run:ai, and of Alibaba's GPU sharing, that ask for a part of a GPU."""

VGPUS = (
    (GPU, "nvidia.com/gpucores", "nvidia.com/gpumem-percentage", "nvidia.com/gpumem"),
    ("volcano.sh/vgpu-number", "volcano.sh/vgpu-cores", "volcano.sh/vgpu-memory-percentage", "volcano.sh/vgpu-memory"),
)
"""Resources of HAMi and Volcano: how many, and of each the percentage of cores, of memory, and the memory in MiB."""

PARTS_PER_GPU = 1_000_000
"""A fraction that is finer than this is read to the nearest millionth of a GPU, so that shares can be added up."""

_DECIMAL = re.compile(r"\d{1,3}(?:\.\d{1,20})?")
_WHOLE = Fraction(1)


@dataclass(frozen=True, slots=True)
class Ask:
    """Devices of one kind: `share` is the physical part of a GPU that each is, `sharing` as in contracts.holds."""

    sharing: str
    count: int
    share: Fraction = _WHOLE
    slice_profile: str = ""

    @property
    def gpus(self) -> Fraction:
        """All of it, in GPUs."""
        return self.count * self.share


@dataclass(frozen=True, slots=True)
class Asked:
    """What a pod asks; `words` as it says so, empty where it asks for no GPU. Not readable: nobody knows how much."""

    asks: tuple[Ask, ...]
    words: str
    is_readable: bool = True


class _Unreadable(ValueError):
    """A GPU is asked for, and how much of it cannot be known."""


@dataclass(slots=True)
class _Container:
    name: str
    kind: str
    quantities: dict[str, str]
    asks: dict[str, list[Ask]] = field(default_factory=dict)


def asked_by_pod(containers: str, annotations: Mapping[str, str | None], node: NodeGpus) -> Asked:
    """Read what a pod asks of a node.

    Input:   `containers` of contracts.raw_pods; values of ASKING_ANNOTATIONS; the node's GPUs.
    Output:  of each resource the largest of: any init container with the sidecars started before it, all main
             containers and sidecars together. Not readable where a quantity is none, a resource names GPUs in a way
             that is not known, or memory or replicas are asked of a node that does not say how much or many it has.
    Source:  design.md 5.3; kube-scheduler's effective request (case K07); field-map.
    """
    read = [_container(each) for each in orjson.loads(containers)]
    words = _words(read) or ",".join(f"{name}={text}" for name, text in sorted(annotations.items()) if text)
    try:
        for container in read:
            container.asks = dict(_asks_of(container.quantities, node))
        asks = tuple(_largest_phase(read)) or tuple(_annotated(annotations, node))
    except _Unreadable:
        return Asked((), words, is_readable=False)
    return Asked(asks, words)


def in_parts(share: Fraction) -> Fraction:
    """A fraction of a GPU, to the nearest of PARTS_PER_GPU where it is finer than that."""
    return share if share.denominator <= PARTS_PER_GPU else Fraction(round(share * PARTS_PER_GPU), PARTS_PER_GPU)


def _container(read: Mapping[str, object]) -> _Container:
    quantities: dict[str, str] = {}
    for of in (read.get("requests"), read.get("limits")):
        if isinstance(of, dict):
            quantities |= {name: str(quantity) for name, quantity in of.items() if _names_gpus(name)}
    asked = {name: quantity for name, quantity in quantities.items() if whole_number(quantity) != 0}
    return _Container(str(read.get("name", "")), str(read.get("kind", "main")), asked)


def _names_gpus(resource: str) -> bool:
    return "gpu" in resource or resource.startswith(MIG_PREFIX)


def _words(containers: Sequence[_Container]) -> str:
    asking = [container for container in containers if container.quantities]
    return ",".join(
        f"{container.name + '/' if len(asking) > 1 else ''}{name}={quantity}"
        for container in asking
        for name, quantity in sorted(container.quantities.items())
    )


def _asks_of(quantities: Mapping[str, str], node: NodeGpus) -> Iterator[tuple[str, list[Ask]]]:
    """Resource -> asks of one container. Raises _Unreadable."""
    left = dict(quantities)
    for number, *parts in VGPUS:
        if any(part in left for part in parts):
            yield number, [_vgpu(left.pop(number, "1"), *(left.pop(part, None) for part in parts), node=node)]
    if "volcano.sh/vgpu-number" in left:
        yield "volcano.sh/vgpu-number", [Ask("vgpu", _count(left.pop("volcano.sh/vgpu-number")))]
    if COUNT in left or MILLI in left:
        yield COUNT, [_milli(left.pop(COUNT, None), left.pop(MILLI, None))]
    for name, quantity in left.items():
        yield name, [_device(name, _count(quantity), node)]


def _device(resource: str, count: int, node: NodeGpus) -> Ask:
    if resource == "amd.com/gpu":
        return Ask("whole", count)
    if resource.startswith(MIG_PREFIX):
        profile = mig_profile(resource.removesuffix(".shared").removeprefix(MIG_PREFIX))
        return _slice(profile, count, node, replicas=dict(node.mig_replicas).get(profile, 1))
    if resource not in (GPU, SHARED_GPU) or node.replicas is None or (resource == SHARED_GPU and node.replicas == 1):
        raise _Unreadable(resource)
    if node.profile:
        return _slice(node.profile, count, node, replicas=node.replicas)
    return Ask(node.sharing, count, Fraction(1, node.replicas)) if node.replicas > 1 else Ask("whole", count)


def _slice(profile: str, count: int, node: NodeGpus, *, replicas: int) -> Ask:
    cut = parse_slice(f"{slug_of_product(node.product)}_{profile}" if node.product else profile)
    if cut is None:
        raise _Unreadable(profile)
    share = Fraction(cut.compute_slices, cut.geometry.compute_slices * replicas)
    return Ask("mig" if replicas == 1 else node.sharing, count, share, profile)


def _vgpu(number: str, cores: str | None, percentage: str | None, mebibytes: str | None, *, node: NodeGpus) -> Ask:
    """The part of each: its cores, else its memory, else all of it."""
    for percent in (cores, percentage):
        if percent is not None:
            return Ask("vgpu", _count(number), _part(Fraction(_count(percent), 100)))
    if mebibytes is not None:
        return Ask("vgpu", _count(number), _of_memory(mebibytes, node))
    return Ask("vgpu", _count(number))


def _milli(count: str | None, milli: str | None) -> Ask:
    share = _part(Fraction(_count(milli), 1000)) if milli is not None else _WHOLE
    return Ask("whole" if share == 1 else "fraction", _count(count if count is not None else "1"), share)


def _annotated(annotations: Mapping[str, str | None], node: NodeGpus) -> Iterator[Ask]:
    """What annotations ask, for pods that ask no device of the kubelet. Raises _Unreadable."""
    fraction, memory, devices = (annotations.get(name) for name in (FRACTION, FRACTION_MEMORY, FRACTION_DEVICES))
    count, milli = annotations.get(COUNT), annotations.get(MILLI)
    if fraction or memory:
        share = _decimal(fraction) if fraction else _of_memory(str(memory), node)
        yield Ask("whole" if share == 1 else "fraction", _count(devices or "1"), share)
    elif (count or milli) and whole_number(count) != 0:
        yield _milli(count, milli)


def _largest_phase(containers: Sequence[_Container]) -> Iterator[Ask]:
    """Of each resource the phase of the pod's life that asks most of it, for the whole of its life."""
    steady = [container for container in containers if container.kind != "init"]
    phases = [steady]
    for at, container in enumerate(containers):
        if container.kind == "init":
            before = [earlier for earlier in containers[:at] if earlier.kind == "sidecar"]
            phases.append([*before, container])
    for resource in dict.fromkeys(name for container in containers for name in container.asks):
        asks = [[ask for container in phase for ask in container.asks.get(resource, [])] for phase in phases]
        yield from max(asks, key=lambda phase: sum((ask.gpus for ask in phase), Fraction(0)))


def _count(text: str) -> int:
    number = whole_number(text)
    if number is None or number < 1:
        raise _Unreadable(text)
    return number


def _decimal(text: str) -> Fraction:
    if not _DECIMAL.fullmatch(text.strip()):
        raise _Unreadable(text)
    return _part(in_parts(Fraction(text.strip())))


def _of_memory(mebibytes: str, node: NodeGpus) -> Fraction:
    if not node.memory_mebibytes:
        raise _Unreadable(mebibytes)
    return min(_WHOLE, Fraction(_count(mebibytes), node.memory_mebibytes))


def _part(share: Fraction) -> Fraction:
    if not 0 < share <= 1:
        raise _Unreadable(str(share))
    return share
