"""What a run took of its host beside its GPUs, in GPUs: exact, and never above the host."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chargeback.pricing.blocked_by_run import Blocked, blocked_by_run
from chargeback.pricing.gpu_equivalents import NodeShape

SHAPE = NodeShape("h100-sxm5-80gb", Fraction(24), Fraction(256))


def blocked(alloc_tres: str, *, gpus: int = 1, host_gpus: int = 8) -> Blocked | None:
    """On a host of eight GPUs with 24 CPUs and 256 GiB each."""
    return blocked_by_run(alloc_tres, gpus=gpus, host_gpus=Fraction(host_gpus), shape=SHAPE)


@pytest.mark.parametrize(
    ("alloc_tres", "equivalents", "by"),
    [
        ("billing=1,cpu=8,gres/gpu=1,mem=2T,node=1", Fraction(8), "memory"),
        ("cpu=8,mem=512G", Fraction(2), "memory"),
        ("cpu=36,mem=62.50G", Fraction(3, 2), "CPUs"),
        ("cpu=8,mem=524288M", Fraction(2), "memory"),
        ("cpu=8,mem=524288", Fraction(2), "memory"),
        ("cpu=8,mem=402653184K", Fraction(3, 2), "memory"),
        ("cpu=500,mem=1G", Fraction(8), "CPUs"),
    ],
)
def test_a_run_with_one_gpu_blocks_what_its_cpus_or_memory_belong_to(
    alloc_tres: str, equivalents: Fraction, by: str
) -> None:
    found = blocked(alloc_tres)

    assert found == Blocked(Fraction(1), equivalents, by)
    assert found.beyond == equivalents - 1


@pytest.mark.parametrize("alloc_tres", ["cpu=24,mem=256G", "cpu=8,node=1", "mem=2T", "", "gres/cpu=96,vmem=2T"])
def test_nothing_is_said_of_a_run_that_takes_its_part_or_whose_record_does_not_name_both(alloc_tres: str) -> None:
    assert blocked(alloc_tres) is None


@given(cpus=st.integers(0, 10**6), mebibytes=st.integers(0, 10**8), gpus=st.integers(1, 8))
def test_it_is_never_above_the_hosts_gpus_nor_below_what_is_held(cpus: int, mebibytes: int, gpus: int) -> None:
    found = blocked(f"cpu={cpus},mem={mebibytes}M", gpus=gpus)

    assert found is None or gpus < found.equivalents <= 8
