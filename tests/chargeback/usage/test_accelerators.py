"""Products of node labels and telemetry, as the accelerators that a card prices."""

import json

import pytest

from chargeback.usage.accelerators import accelerator_of_product, slice_accelerator
from tests.tables import shared_file


@pytest.mark.parametrize(
    ("product", "accelerator", "profile"),
    [
        ("NVIDIA-H100-80GB-HBM3", "h100-sxm5-80gb", ""),
        ("NVIDIA H100 80GB HBM3", "h100-sxm5-80gb", ""),
        ("NVIDIA-H100-80GB-HBM3-SHARED", "h100-sxm5-80gb", ""),
        ("NVIDIA-H100-80GB-HBM3-MIG-1g.10gb", "h100-sxm5-80gb:1g.10gb", "1g.10gb"),
        ("NVIDIA-H100-80GB-HBM3-MIG-1g.10gb.me-SHARED", "h100-sxm5-80gb:1g.10gb+me", "1g.10gb+me"),
        ("NVIDIA-H100-PCIe", "h100-pcie-80gb", ""),
        ("NVIDIA-H100-NVL-MIG-1g.12gb", "h100-nvl-94gb:1g.12gb", "1g.12gb"),
        ("NVIDIA-H200", "h200-sxm5-141gb", ""),
        ("NVIDIA-A100-SXM4-80GB", "a100-sxm4-80gb", ""),
        ("A100-SXM4-40GB", "a100-sxm4-40gb", ""),
        ("NVIDIA A100 80GB PCIe", "a100-pcie-80gb", ""),
        ("NVIDIA-A10", "a10", ""),
        ("NVIDIA-L40S", "l40s", ""),
        ("Tesla-T4", "t4", ""),
        ("Tesla V100-SXM2-32GB", "v100-sxm2-32gb", ""),
        ("AMD_Instinct_MI300X_OAM", "amd-instinct-mi300x-oam", ""),
        ("P100", "p100", ""),
        ("GRID-A100-10C", "grid-a100-10c", ""),
        ("GRID A100-10C", "grid-a100-10c", ""),
        (None, "untyped", ""),
    ],
)
def test_a_product_is_priced_as_one_accelerator_however_it_is_spelled(
    product: str | None, accelerator: str, profile: str
) -> None:
    assert accelerator_of_product(product, aliases={}) == (accelerator, profile)


def test_the_settings_aliases_come_before_the_table_and_a_slice_follows_its_gpu() -> None:
    aliases = {"nvidia-h100-80gb-hbm3": "h100-eth", "grid-a100-10c": "vgpu-10c", "a100-sxm4-80gb_3g.40gb": "half-a100"}

    assert accelerator_of_product("NVIDIA-H100-80GB-HBM3-SHARED", aliases=aliases) == ("h100-eth", "")
    assert accelerator_of_product("NVIDIA-H100-80GB-HBM3-MIG-1g.10gb", aliases=aliases)[0] == "h100-eth:1g.10gb"
    assert accelerator_of_product("GRID A100-10C", aliases=aliases) == ("vgpu-10c", "")
    assert slice_accelerator("NVIDIA-A100-SXM4-80GB", "3g.40gb", aliases=aliases) == "half-a100"
    assert slice_accelerator("NVIDIA-A100-SXM4-80GB", "1g.10gb", aliases=aliases) == "a100-sxm4-80gb:1g.10gb"
    assert slice_accelerator(None, "1g.10gb", aliases=aliases) == "1g.10gb"


@pytest.mark.parametrize(
    ("file", "expected"),
    [
        ("gpu_node_labels.json", ("grid-a100-10c", "")),
        ("gpu_node_labels_mig_single.json", ("h100-nvl-94gb:1g.12gb", "1g.12gb")),
    ],
)
def test_the_labels_of_real_nodes_name_their_accelerator(file: str, expected: tuple[str, str]) -> None:
    labels = json.loads(shared_file("data", "k8s", file).read_text())

    assert accelerator_of_product(labels["nvidia.com/gpu.product"], aliases={}) == expected
