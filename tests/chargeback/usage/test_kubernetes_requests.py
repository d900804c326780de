"""What pods ask of a node's GPUs: exact, or said to be unreadable; never nothing, never a whole GPU by guess."""

import json
from fractions import Fraction

import pytest
import yaml

from chargeback.usage.kubernetes_node_gpus import NO_RECORD, NodeGpus, node_gpus_of
from chargeback.usage.kubernetes_requests import Ask, Asked, asked_by_pod
from tests.tables import shared_file

A100 = NodeGpus(product="NVIDIA-A100-SXM4-80GB", memory_mebibytes=81_920, gpus=8)
FOUR_REPLICAS = NodeGpus(product="NVIDIA-A10", replicas=4, gpus=1)
REPLICAS_UNSAID = NodeGpus(product="NVIDIA-A10", replicas=None)


def asked(*containers: dict[str, object], node: NodeGpus = A100, **annotations: str) -> Asked:
    """What a pod asks; a container is its limits, with `kind` and `name` if it is not the main one."""
    read = []
    for container in containers:
        limits = {name: quantity for name, quantity in container.items() if name not in ("kind", "name")}
        kind = container.get("kind", "main")
        read.append({"name": container.get("name", kind), "kind": kind, "limits": limits, "requests": {}})
    spelled = {name.replace("_", "-"): value for name, value in annotations.items()}
    return asked_by_pod(json.dumps(read), spelled, node)


def test_whole_gpus_of_a_pod_are_those_of_all_its_containers() -> None:
    found = asked({"nvidia.com/gpu": "2", "cpu": "4"}, {"nvidia.com/gpu": "1", "name": "side"}, {"cpu": "1"})

    assert found == Asked((Ask("whole", 2), Ask("whole", 1)), "main/nvidia.com/gpu=2,side/nvidia.com/gpu=1")


def test_an_init_container_s_gpus_and_the_main_containers_are_not_added_and_the_larger_counts() -> None:
    init = {"kind": "init", "nvidia.com/gpu": "4"}

    assert asked(init, {"nvidia.com/gpu": "1"}).asks == (Ask("whole", 4),)
    assert asked({**init, "nvidia.com/gpu": "1"}, {"nvidia.com/gpu": "2"}).asks == (Ask("whole", 2),)


def test_a_sidecar_keeps_its_gpu_beside_the_main_containers_and_beside_later_init_containers() -> None:
    sidecar, init = {"kind": "sidecar", "nvidia.com/gpu": "1"}, {"kind": "init", "nvidia.com/gpu": "2"}

    assert sum(ask.count for ask in asked(dict(sidecar), dict(init), {"nvidia.com/gpu": "1"}).asks) == 3
    assert sum(ask.count for ask in asked(dict(init), dict(sidecar), {"nvidia.com/gpu": "2"}).asks) == 3
    assert sum(ask.count for ask in asked(dict(init), dict(sidecar)).asks) == 2


def test_a_request_without_a_limit_counts_and_zero_asks_for_nothing() -> None:
    only_requests = json.dumps([{"name": "c", "kind": "main", "requests": {"nvidia.com/gpu": "1"}, "limits": {}}])

    assert asked_by_pod(only_requests, {}, A100).asks == (Ask("whole", 1),)
    assert asked({"nvidia.com/gpu": "0"}) == Asked((), "")
    assert asked({"cpu": "8"}) == Asked((), "")


@pytest.mark.parametrize(
    ("resource", "node", "expected"),
    [
        ("nvidia.com/mig-3g.40gb", A100, Ask("mig", 1, Fraction(3, 7), "3g.40gb")),
        ("nvidia.com/mig-1g.10gb.me", A100, Ask("mig", 1, Fraction(1, 7), "1g.10gb+me")),
        ("nvidia.com/mig-1g.6gb", NodeGpus(product="NVIDIA-A30"), Ask("mig", 1, Fraction(1, 4), "1g.6gb")),
        ("nvidia.com/mig-1g.10gb", NO_RECORD, Ask("mig", 1, Fraction(1, 7), "1g.10gb")),
        ("nvidia.com/gpu", NodeGpus(product="NVIDIA-H100-NVL", profile="1g.12gb"),
         Ask("mig", 1, Fraction(1, 7), "1g.12gb")),
        ("nvidia.com/mig-1g.10gb.shared", NodeGpus(product="NVIDIA-A100", mig_replicas=(("1g.10gb", 2),)),
         Ask("time-slice", 1, Fraction(1, 14), "1g.10gb")),
    ],
)  # fmt: skip
def test_a_slice_is_its_compute_slices_of_the_gpu_it_is_cut_from(resource: str, node: NodeGpus, expected: Ask) -> None:
    assert asked({resource: "1"}, node=node).asks == (expected,)


def test_a_replica_of_a_time_sliced_gpu_is_its_part_of_the_card_under_either_name() -> None:
    quarter = Ask("time-slice", 1, Fraction(1, 4))

    assert asked({"nvidia.com/gpu": "1"}, node=FOUR_REPLICAS).asks == (quarter,)
    assert asked({"nvidia.com/gpu.shared": "1"}, node=FOUR_REPLICAS).asks == (quarter,)
    mps = NodeGpus(replicas=10, sharing="mps")
    assert asked({"nvidia.com/gpu": "2"}, node=mps).asks == (Ask("mps", 2, Fraction(1, 10)),)


def test_a_replica_of_unsaid_size_is_unreadable() -> None:
    assert asked({"nvidia.com/gpu.shared": "1"}, node=REPLICAS_UNSAID).is_readable is False
    assert asked({"nvidia.com/gpu.shared": "1"}, node=NO_RECORD).is_readable is False


@pytest.mark.parametrize(
    ("annotations", "expected"),
    [
        ({"gpu_fraction": "0.5"}, Ask("fraction", 1, Fraction(1, 2))),
        ({"gpu_fraction": "0.46"}, Ask("fraction", 1, Fraction(23, 50))),
        ({"gpu_fraction": "0.3333333333"}, Ask("fraction", 1, Fraction(333_333, 1_000_000))),
        ({"gpu_fraction": "1"}, Ask("whole", 1)),
        ({"gpu_fraction": "0.5", "gpu_fraction_num_devices": "3"}, Ask("fraction", 3, Fraction(1, 2))),
        ({"gpu_memory": "20480"}, Ask("fraction", 1, Fraction(1, 4))),
        ({"alibabacloud.com/gpu_milli": "220"}, Ask("fraction", 1, Fraction(11, 50))),
        ({"alibabacloud.com/gpu_count": "8", "alibabacloud.com/gpu_milli": "1000"}, Ask("whole", 8)),
        ({"alibabacloud.com/gpu_count": "2"}, Ask("whole", 2)),
    ],
)
def test_a_fraction_that_an_annotation_asks_is_billed_as_that_part(annotations: dict[str, str], expected: Ask) -> None:
    assert asked({"cpu": "1"}, **annotations).asks == (expected,)


@pytest.mark.parametrize(
    ("annotations", "node"),
    [
        ({"gpu_fraction": "half"}, A100),
        ({"gpu_fraction": "0"}, A100),
        ({"gpu_fraction": "1.5"}, A100),
        ({"gpu_fraction": "-0.5"}, A100),
        ({"gpu_fraction": "0.5", "gpu_fraction_num_devices": "x"}, A100),
        ({"gpu_memory": "20480"}, NO_RECORD),
        ({"gpu_memory": "much"}, A100),
        ({"alibabacloud.com/gpu_milli": "1001"}, A100),
    ],
)
def test_a_fraction_that_cannot_be_read_is_neither_nothing_nor_a_whole_gpu(
    annotations: dict[str, str], node: NodeGpus
) -> None:
    found = asked({"cpu": "1"}, node=node, **annotations)

    assert (found.is_readable, found.asks) == (False, ())
    assert found.words.startswith(next(iter(annotations)).replace("_", "-"))


def test_an_annotation_never_makes_less_of_the_gpus_that_the_kubelet_gives() -> None:
    assert asked({"nvidia.com/gpu": "8"}, gpu_fraction="0.01").asks == (Ask("whole", 8),)


@pytest.mark.parametrize(
    ("limits", "expected"),
    [
        ({"nvidia.com/gpu": "1", "nvidia.com/gpucores": "25"}, Ask("vgpu", 1, Fraction(1, 4))),
        ({"nvidia.com/gpu": "2", "nvidia.com/gpumem-percentage": "50", "nvidia.com/gpucores": "30"},
         Ask("vgpu", 2, Fraction(3, 10))),
        ({"nvidia.com/gpu": "1", "nvidia.com/gpumem-percentage": "50"}, Ask("vgpu", 1, Fraction(1, 2))),
        ({"nvidia.com/gpu": "1", "nvidia.com/gpumem": "8192"}, Ask("vgpu", 1, Fraction(1, 10))),
        ({"nvidia.com/gpumem": "8192"}, Ask("vgpu", 1, Fraction(1, 10))),
        ({"nvidia.com/gpu": "1", "nvidia.com/gpucores": "0"}, Ask("whole", 1)),
        ({"volcano.sh/vgpu-number": "2", "volcano.sh/vgpu-cores": "50"}, Ask("vgpu", 2, Fraction(1, 2))),
        ({"volcano.sh/vgpu-number": "1", "volcano.sh/vgpu-memory": "40960"}, Ask("vgpu", 1, Fraction(1, 2))),
        ({"volcano.sh/vgpu-number": "3"}, Ask("vgpu", 3)),
    ],
)  # fmt: skip
def test_a_vgpu_is_its_cores_else_its_memory_else_the_card(limits: dict[str, str], expected: Ask) -> None:
    assert asked(dict(limits)).asks == (expected,)


@pytest.mark.parametrize(
    "limits",
    [
        {"nvidia.com/gpu": "1", "nvidia.com/gpucores": "250"},
        {"nvidia.com/gpu": "1", "nvidia.com/gpumem": "a lot"},
        {"nvidia.com/gpu": "one"},
        {"aliyun.com/gpu-mem": "3"},
        {"gpu.intel.com/i915": "1"},
        {"nvidia.com/mig-9g.90gb": "1"},
    ],
)
def test_a_resource_that_names_gpus_in_an_unknown_way_is_unreadable(limits: dict[str, str]) -> None:
    assert asked(dict(limits)).is_readable is False


def test_hami_and_kai_examples_of_their_own_repositories_are_read() -> None:
    hami, kai = (yaml.safe_load(shared_file("data", "k8s", name).read_text())
                 for name in ("hami_memory_fraction_pod.yaml", "kai_gpu_fraction_pod.yaml"))  # fmt: skip

    limits = {name: str(quantity) for name, quantity in hami["spec"]["containers"][0]["resources"]["limits"].items()}
    assert asked(limits).asks == (Ask("vgpu", 2, Fraction(3, 10)),)
    assert asked({}, **kai["metadata"]["annotations"]).asks == (Ask("fraction", 1, Fraction(1, 2)),)


@pytest.mark.parametrize(
    ("labels", "capacity", "expected"),
    [
        ({"nvidia.com/gpu.product": "NVIDIA-A100-SXM4-80GB", "nvidia.com/gpu.count": "4"}, {"nvidia.com/gpu": "4"},
         NodeGpus(product="NVIDIA-A100-SXM4-80GB", gpus=4)),
        ({"nvidia.com/gpu.product": "NVIDIA-A10-SHARED", "nvidia.com/gpu.replicas": "4"}, {"nvidia.com/gpu": "8"},
         NodeGpus(product="NVIDIA-A10", replicas=4, gpus=2)),
        ({"nvidia.com/gpu.count": "1", "nvidia.com/gpu.sharing-strategy": "mps"}, {"nvidia.com/gpu.shared": "8"},
         NodeGpus(replicas=8, sharing="mps", gpus=1)),
        ({}, {"nvidia.com/gpu.shared": "8"}, NodeGpus(replicas=None, gpus=None)),
        ({"nvidia.com/gpu.product": "NVIDIA-H100-NVL-MIG-1g.12gb", "nvidia.com/gpu.count": "14"},
         {"nvidia.com/gpu": "14"}, NodeGpus(product="NVIDIA-H100-NVL", profile="1g.12gb", gpus=0,
                                            slices=(("1g.12gb", 14),))),
        ({"nvidia.com/gpu.product": "NVIDIA-A100-SXM4-80GB", "nvidia.com/gpu.count": "8"},
         {"nvidia.com/gpu": "6", "nvidia.com/mig-1g.10gb": "7", "nvidia.com/mig-3g.40gb": "2"},
         NodeGpus(product="NVIDIA-A100-SXM4-80GB", gpus=6, slices=(("1g.10gb", 7), ("3g.40gb", 2)))),
        ({"alibabacloud.com/gpu-card-model": "P100"},
         {"alibabacloud.com/gpu-count": "2", "alibabacloud.com/gpu-milli": "2000"}, NodeGpus(product="P100", gpus=2)),
        ({"cloud.google.com/gke-accelerator": "nvidia-l4", "cloud.google.com/gke-max-shared-clients-per-gpu": "3"},
         {"nvidia.com/gpu": "6"}, NodeGpus(product="nvidia-l4", replicas=3, gpus=2)),
        ({"amd.com/gpu.product-name": "AMD_Instinct_MI300X"}, {"amd.com/gpu": "8"},
         NodeGpus(product="AMD_Instinct_MI300X", gpus=8)),
        ({"nvidia.com/gpu.count": "0"}, {"cpu": "8"}, NodeGpus(gpus=0)),
        ({}, {"cpu": "8"}, NodeGpus()),
    ],
)  # fmt: skip
def test_a_node_record_says_what_gpus_it_has_and_how_they_are_shared(
    labels: dict[str, str], capacity: dict[str, str], expected: NodeGpus
) -> None:
    assert node_gpus_of(json.dumps(labels), json.dumps(capacity), json.dumps(capacity)) == expected


@pytest.mark.parametrize(
    ("labels", "capacity", "allocatable", "unfit"),
    [
        ({"nvidia.com/gpu.count": "8"}, {"nvidia.com/gpu": "8"}, {"nvidia.com/gpu": "7"}, 1),
        ({"nvidia.com/gpu.count": "8"}, {"nvidia.com/gpu": "0"}, {"nvidia.com/gpu": "0"}, 8),
        ({"nvidia.com/gpu.count": "2", "nvidia.com/gpu.replicas": "4"}, {"nvidia.com/gpu": "8"},
         {"nvidia.com/gpu": "4"}, 1),
        ({"nvidia.com/gpu.count": "1"}, {"nvidia.com/gpu": "10"}, {"nvidia.com/gpu": "10"}, 0),
        ({"nvidia.com/gpu.count": "8"}, {"cpu": "8"}, {"cpu": "8"}, 0),
        ({}, {"amd.com/gpu": "8"}, {"amd.com/gpu": "6"}, 2),
    ],
)  # fmt: skip
def test_gpus_that_the_kubelet_gives_to_nobody_are_unfit(
    labels: dict[str, str], capacity: dict[str, str], allocatable: dict[str, str], unfit: int
) -> None:
    assert node_gpus_of(json.dumps(labels), json.dumps(capacity), json.dumps(allocatable)).unfit == unfit
