"""Configured Gres of a node, as Slurm prints it."""

import pytest

from chargeback.usage.gres import ConfiguredGres, parse_configured_tres, parse_gres


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("gpu:a100:8(S:0-1),shard:80", [("gpu", "a100", 8), ("shard", "", 80)]),
        ("gpu:1,mps:100", [("gpu", "", 1), ("mps", "", 100)]),
        ("gpu:NVIDIA_GB10:1,shard:nvidia_gb10:80", [("gpu", "nvidia_gb10", 1), ("shard", "nvidia_gb10", 80)]),
        ("gpu:a100_1g.5gb+me:3(S:0,1),lscratch:400G", [("gpu", "a100_1g.5gb+me", 3)]),
        ("gpu", [("gpu", "", 1)]),
        ("(null)", []),
        (None, []),
    ],
)
def test_the_gres_of_a_node_is_read_as_counts_per_kind_and_type(text: str | None, expected: list) -> None:
    assert list(parse_gres(text)) == [ConfiguredGres(*entry) for entry in expected]


def test_typed_and_untyped_entries_of_configured_tres_are_the_same_gpus() -> None:
    found = parse_configured_tres("cpu=64,mem=514404M,billing=64,gres/gpu=4,gres/gpu:a100=4")

    assert found == (ConfiguredGres("gpu", "a100", 4),)


def test_a_gpu_count_that_is_no_number_is_refused() -> None:
    with pytest.raises(ValueError, match="not readable"):
        parse_gres("gpu:a100:many:8")
