"""What one Slurm run blocks of its host, in GPUs: what it was granted of CPUs and memory beside the GPUs that it holds.

Exact for a run on one host: the scheduler records CPUs and memory of a whole job, and how they lie over several hosts
only while it runs. Source: design.md 2 "blocked"; Slurm's TRES text. Not here: the rule (gpu_equivalents.py).
"""

import re
from dataclasses import dataclass
from fractions import Fraction

from chargeback.pricing.gpu_equivalents import NodeShape, gpu_equivalents

_CPUS = re.compile(r"(?:^|,)cpu=(\d{1,9})(?:,|$)")
_MEMORY = re.compile(r"(?:^|,)mem=(\d{1,12}(?:\.\d{1,6})?)([KMGTP]?)(?:,|$)")
_GIB_PER_UNIT = {
    "K": Fraction(1, 1024**2), "": Fraction(1, 1024), "M": Fraction(1, 1024), "G": Fraction(1), "T": Fraction(1024),
    "P": Fraction(1024**2),
}  # fmt: skip
"""Slurm counts memory in powers of 1,024; without a unit it is MiB."""


@dataclass(frozen=True, slots=True)
class Blocked:
    """`equivalents`: GPUs whose part of the host the run took; `by`: what of it is the most (`memory` or `CPUs`)."""

    gpus: Fraction
    equivalents: Fraction
    by: str

    @property
    def beyond(self) -> Fraction:
        """GPUs that it blocks and does not hold."""
        return self.equivalents - self.gpus


def blocked_by_run(alloc_tres: str, *, gpus: int, host_gpus: Fraction, shape: NodeShape) -> Blocked | None:
    """What a run on one host blocks of it while it runs; never more than the host's GPUs.

    None where the text does not name both CPUs and memory, or where the run blocks no more than it holds.
    """
    granted_cpus, granted_memory = _CPUS.search(alloc_tres), _MEMORY.search(alloc_tres)
    if granted_cpus is None or granted_memory is None:
        return None
    cpus = Fraction(granted_cpus[1])
    memory_gib = Fraction(granted_memory[1]) * _GIB_PER_UNIT[granted_memory[2]]
    weighed = gpu_equivalents(gpus=Fraction(gpus), cpus=cpus, memory_gib=memory_gib, shape=shape)
    equivalents = min(weighed, host_gpus)
    if equivalents <= gpus:
        return None
    is_memory = memory_gib / shape.memory_gib_per_gpu >= cpus / shape.cpus_per_gpu
    return Blocked(Fraction(gpus), equivalents, "memory" if is_memory else "CPUs")
