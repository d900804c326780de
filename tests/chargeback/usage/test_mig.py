"""MIG slices by their gres type."""

import pytest

from chargeback.usage.mig import parse_slice


@pytest.mark.parametrize(
    ("gres_type", "base", "profile", "compute", "of_compute", "memory", "of_memory"),
    [
        ("a100_3g.40gb", "a100", "3g.40gb", 3, 7, 4, 8),
        ("a100_1g.10gb", "a100", "1g.10gb", 1, 7, 1, 8),
        ("h100_1g.20gb", "h100", "1g.20gb", 1, 7, 2, 8),
        ("nvidia_a30_2g.12gb", "nvidia_a30", "2g.12gb", 2, 4, 2, 4),
        ("rtx_pro_6000_1g.24gb", "rtx_pro_6000", "1g.24gb", 1, 4, 1, 4),
        ("1g.5gb+me", "", "1g.5gb+me", 1, 7, 1, 8),
    ],
)
def test_a_slice_is_an_exact_part_of_its_gpu(
    gres_type: str, base: str, profile: str, compute: int, of_compute: int, memory: int, of_memory: int
) -> None:
    found = parse_slice(gres_type)

    assert found is not None
    assert (found.base, found.profile, found.compute_slices, found.memory_slices) == (base, profile, compute, memory)
    assert (found.geometry.compute_slices, found.geometry.memory_slices) == (of_compute, of_memory)


@pytest.mark.parametrize("gres_type", ["a100", "a100-sxm4-80gb", "", "a30_7g.24gb", "a100_5g.40gb"])
def test_a_whole_gpu_or_an_impossible_profile_is_no_slice(gres_type: str) -> None:
    assert parse_slice(gres_type) is None
