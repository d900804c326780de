"""What a job blocks, in GPUs: a job that takes all memory of a node makes its GPUs useless for anybody else.

    node: {cpus_per_gpu: 24, memory_gib_per_gpu: 256}      # under an accelerator of the card

Source: the charging rule of shared-node sites (Slurm's MAX_TRES, Cyfronet): the largest of the three shares.
Not here: whether blocked time is charged (card_policies.py).
"""

from dataclasses import dataclass
from fractions import Fraction

from chargeback.pricing.card_fields import CardFields
from chargeback.pricing.yaml_tree import Branch

_FIELDS = ("cpus_per_gpu", "memory_gib_per_gpu")


@dataclass(frozen=True, slots=True)
class NodeShape:
    """CPUs and memory that belong to one GPU of a node."""

    accelerator: str
    cpus_per_gpu: Fraction
    memory_gib_per_gpu: Fraction


def gpu_equivalents(*, gpus: Fraction, cpus: Fraction, memory_gib: Fraction, shape: NodeShape) -> Fraction:
    """max(GPUs, CPUs / CPUs per GPU, memory / memory per GPU), exactly.

    Raises ValueError for a negative quantity: nothing can hold less than nothing.
    """
    if min(gpus, cpus, memory_gib) < 0:
        raise ValueError(f"cannot weigh {gpus} GPUs, {cpus} CPUs and {memory_gib} GiB: negative")
    return max(gpus, cpus / shape.cpus_per_gpu, memory_gib / shape.memory_gib_per_gpu)


def read_node_shape(fields: CardFields, accelerator: str, entry: Branch) -> NodeShape:
    """The section `node` of an accelerator."""
    fields.refuse_unknown(entry, _FIELDS, f"{accelerator}, node: ")
    cpus, memory = (Fraction(fields.positive(entry, name)) for name in _FIELDS)
    return NodeShape(accelerator, cpus, memory)
