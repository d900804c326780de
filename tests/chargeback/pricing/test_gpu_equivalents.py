"""What a job blocks, in GPUs: the largest of three shares."""

from fractions import Fraction

import pytest

from chargeback.pricing.gpu_equivalents import NodeShape, gpu_equivalents
from tests.chargeback.pricing.built_cards import H100, refusal_of

SHAPE = NodeShape("h100", Fraction(24), Fraction(256))


@pytest.mark.parametrize(
    ("gpus", "cpus", "memory_gib", "blocked"),
    [
        (2, 24, 256, Fraction(2)),
        (1, 96, 256, Fraction(4)),
        (1, 8, 2048, Fraction(8)),
        (0, 6, 32, Fraction(1, 4)),
        (0, 0, 0, Fraction(0)),
    ],
)  # fmt: skip
def test_the_largest_of_gpus_cpus_and_memory_counts(gpus: int, cpus: int, memory_gib: int, blocked: Fraction) -> None:
    held = gpu_equivalents(gpus=Fraction(gpus), cpus=Fraction(cpus), memory_gib=Fraction(memory_gib), shape=SHAPE)

    assert held == blocked


def test_less_than_nothing_cannot_be_held() -> None:
    with pytest.raises(ValueError, match="negative"):
        gpu_equivalents(gpus=Fraction(1), cpus=Fraction(-1), memory_gib=Fraction(0), shape=SHAPE)


def test_a_node_without_cpus_is_refused() -> None:
    node = "    node: {cpus_per_gpu: 0, memory_gib_per_gpu: 256}\n"

    assert "cpus_per_gpu is 0: it must be above 0" in refusal_of(H100 + node)
