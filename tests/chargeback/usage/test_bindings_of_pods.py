"""Bindings of pods: claims, the kubelet, annotations of fractional schedulers, and labels of the exporter."""

import json

import polars as pl

from chargeback.contracts.holds import HOLDS
from chargeback.contracts.raw_claims import RAW_CLAIMS
from chargeback.contracts.raw_devices import RAW_DEVICES
from chargeback.contracts.raw_pods import RAW_PODS
from chargeback.contracts.raw_slices import RAW_SLICES
from chargeback.contracts.runs import RUNS
from tests.chargeback.usage.bound_holds import bound, gpus_of, who_has_what
from tests.tables import a_table_of, instant

NINE, TEN, ELEVEN = (instant(f"2026-07-03T{hour}:00Z") for hour in ("09", "10", "11"))
NODE = {"host": "node-1", "accelerator": "a100", "sharing": "whole", "split": "one host"}
RUNS_OF_PODS = a_table_of(RUNS, "run  job_id\nu-a  ml/a\nu-b  ml/b\nu-c  ml/c", scheduler="kubernetes")


def held(text: str, **defaults: object) -> pl.DataFrame:
    """Holds on node-1 from nine to ten, unless said otherwise."""
    return a_table_of(HOLDS, text, **{"held_from": NINE, "held_until": TEN, **NODE, **defaults})


def claims(text: str) -> pl.DataFrame:
    """raw_claims of namespace ml."""
    return a_table_of(RAW_CLAIMS, text, namespace="ml", driver="gpu.nvidia.com", pool="node-1")


def pods(**annotated: dict[str, str]) -> pl.DataFrame:
    """raw_pods `a`, `b`, `c` of namespace ml with these annotations."""
    blank = a_table_of(RAW_PODS, "uid\nx", namespace="ml", labels="{}", annotations="{}")
    return pl.concat(
        blank.with_columns(
            uid=pl.lit(f"u-{name}"), name=pl.lit(name), annotations=pl.lit(json.dumps(annotations, sort_keys=True))
        )
        for name, annotations in annotated.items()
    )


def devices(text: str, **defaults: object) -> pl.DataFrame:
    """raw_devices on node-1."""
    return a_table_of(RAW_DEVICES, text, **{"host": "node-1", "seen_from": NINE, "seen_until": TEN, **defaults})


def test_a_resource_claim_names_a_device_whose_uuid_its_driver_publishes_and_admin_access_binds_nobody() -> None:
    slices = a_table_of(
        RAW_SLICES, "device  uuid\ngpu-0  GPU-a\ngpu-1  GPU-b", driver="gpu.nvidia.com", pool="node-1", type="gpu"
    )
    given = claims("""
        kind           name  podName  podUid  device  adminAccess
        ResourceClaim  one   a        u-a     gpu-1   false
        ResourceClaim  mon   b        u-b     gpu-1   true
        ResourceClaim  gone  c        u-c     gpu-9   false
    """)

    bindings = bound(held("run\nu-a\nu-b\nu-c"), RUNS_OF_PODS, raw_claims=given, raw_slices=slices)

    assert who_has_what(bindings) == [("u-a", "GPU-b", "DRA claim")]


def test_a_claimed_slice_is_the_one_instance_of_its_profile_on_its_gpu_and_unbound_where_there_are_two() -> None:
    slices = a_table_of(
        RAW_SLICES,
        """
        device     uuid   parentUUID  profile
        gpu-0-mig  MIG-1  GPU-a       3g.40gb
        gpu-1-mig  MIG-2  GPU-b       3g.40gb
        """,
        driver="gpu.nvidia.com", pool="node-1", type="mig",
    )  # fmt: skip
    given = claims("""
        kind           name  podName  podUid  device
        ResourceClaim  one   a        u-a     gpu-0-mig
        ResourceClaim  two   b        u-b     gpu-1-mig
    """)
    cut = devices("""
        device  gpu    gpu_instance  slice_profile
        0       GPU-a  2             3g.40gb
        1       GPU-a  5             1g.10gb
        2       GPU-b  1             3g.40gb
        3       GPU-b  2             3g.40gb
    """)
    holds = held("run\nu-a\nu-b", sharing="mig", slice_profile="3g.40gb", share_units=3, units_per_gpu=7)

    bindings = bound(holds, RUNS_OF_PODS, raw_claims=given, raw_slices=slices, raw_devices=cut)

    assert who_has_what(bindings) == [("u-a", "GPU-a/2", "DRA claim")]


def test_the_kubelet_names_devices_and_replicas_of_one_gpu_count_as_many_shares_of_it() -> None:
    given = claims("""
        kind          podName  podUid  request  device
        PodResources  a        u-a     main     GPU-a::0
        PodResources  a        u-a     main     GPU-a::2
        PodResources  a        u-a     init     GPU-a::2
        PodResources  b        ''      main     GPU-a::1
    """)
    holds = held("run  device_count\nu-a  2\nu-b  1", sharing="time-slice", share_units=1, units_per_gpu=3)

    bindings = bound(holds, RUNS_OF_PODS, raw_claims=given)

    assert bindings.select("run", "gpu", "share_units", "units_per_gpu", "evidence", "is_estimate").rows() == [
        ("u-a", "GPU-a", 2, 3, "PodResources", True),
        ("u-b", "GPU-a", 1, 3, "PodResources", True),
    ]


def test_hami_and_volcano_write_the_uuids_of_every_container_on_the_pod() -> None:
    placed = pods(
        a={"hami.io/vgpu-devices-allocated": "GPU-a,NVIDIA,3000,30:GPU-b,NVIDIA,3000,30:;"},
        b={"volcano.sh/vgpu-ids-new": ":;GPU-a,NVIDIA,1000,0:;"},
        c={"hami.io/vgpu-devices-to-allocate": "GPU-c,NVIDIA,1000,0:;"},
    )
    holds = held("run  device_count\nu-a  2\nu-b  1\nu-c  1", sharing="vgpu", share_units=3, units_per_gpu=10)

    bindings = bound(holds, RUNS_OF_PODS, raw_pods=placed)

    assert who_has_what(bindings) == [
        ("u-a", "GPU-a", "vGPU annotation"), ("u-a", "GPU-b", "vGPU annotation"), ("u-b", "GPU-a", "vGPU annotation"),
    ]  # fmt: skip
    assert bindings["is_estimate"].all()


def test_pods_of_a_sharing_group_have_the_gpu_that_its_reservation_pod_keeps_where_it_is_known() -> None:
    one, two, three = (f'{{"runai-gpu-group":"{group}"}}' for group in ("g1", "g2", "g3"))
    both = '{"runai-gpu-group/g1": "g1", "runai-gpu-group/g2": "g2"}'
    labels = pl.Series([one, both, three, one, two, three])
    namespaces = pl.Series(["ml", "ml", "ml", "kai-resource-reservation", "runai-reservation", "runai-reservation"])
    blank: dict[str, str] = {}
    placed = pods(a=blank, b=blank, c=blank, r1={"run.ai/reserve_for_gpu_index": "GPU-a"}, r2=blank, r3=blank)
    placed = placed.with_columns(labels=labels, namespace=namespaces)
    holds = held("run  device_count\nu-a  1\nu-b  2\nu-c  1", sharing="fraction", share_units=1, units_per_gpu=2)
    exported = devices("device  gpu    namespace          pod\n0       GPU-b  runai-reservation  r2")

    runs = pl.concat([RUNS_OF_PODS, a_table_of(RUNS, "run\nu-r1\nu-r2", gpu_count_basis="holds nothing itself")])

    bindings = bound(holds, runs, raw_pods=placed, raw_devices=exported)

    assert who_has_what(bindings) == [
        ("u-a", "GPU-a", "vGPU annotation"), ("u-b", "GPU-a", "vGPU annotation"), ("u-b", "GPU-b", "vGPU annotation"),
    ]  # fmt: skip
    assert bindings["device"].to_list() == [None, None, 0]


def test_a_label_that_outlives_its_pod_binds_the_next_pod_to_nothing_and_each_binding_lasts_as_its_hold() -> None:
    holds = held("""
        run  held_from             held_until
        u-a  2026-07-03T09:00:00Z  2026-07-03T10:00:00Z
        u-b  2026-07-03T10:10:00Z  2026-07-03T11:00:00Z
    """)
    labelled = devices("""
        device  gpu    namespace  pod  seen_from             seen_until
        0       GPU-x  ml         a    2026-07-03T09:00:00Z  2026-07-03T10:25:00Z
        0       GPU-x  ml         b    2026-07-03T10:30:00Z  2026-07-03T10:55:00Z
    """)

    bindings = bound(holds, RUNS_OF_PODS, raw_devices=labelled)

    assert who_has_what(bindings) == [("u-a", "GPU-x", "pod labels"), ("u-b", "GPU-x", "pod labels")]
    assert bindings["held_until"].to_list() == [TEN, ELEVEN]


def test_of_two_pods_of_one_name_the_uid_decides_and_without_it_the_longer_label() -> None:
    runs = a_table_of(RUNS, "run  job_id\nu-1  ml/w-0\nu-2  ml/w-0", scheduler="kubernetes")
    holds = held("""
        run  held_from             held_until
        u-1  2026-07-03T09:00:00Z  2026-07-03T10:00:00Z
        u-2  2026-07-03T10:00:00Z  2026-07-03T11:00:00Z
    """)
    labelled = devices("""
        device  gpu    namespace  pod  seen_from             seen_until            pod_uid
        0       GPU-x  ml         w-0  2026-07-03T09:00:00Z  2026-07-03T10:20:00Z  u-1
        1       GPU-y  ml         w-0  2026-07-03T10:50:00Z  2026-07-03T11:00:00Z  u-2
    """)
    without_uid = labelled.with_columns(pod_uid=pl.lit(""))
    expected = [("u-1", "GPU-x", "pod labels"), ("u-2", "GPU-y", "pod labels")]

    assert who_has_what(bound(holds, runs, raw_devices=labelled)) == expected
    assert bound(holds, runs, raw_devices=without_uid)["gpu"].to_list() == ["GPU-x", "GPU-x"]
    lasting = without_uid.with_columns(seen_from=pl.when(pl.col("device") == 1).then(TEN).otherwise("seen_from"))
    assert who_has_what(bound(holds, runs, raw_devices=lasting)) == expected


def test_a_mislabelled_pod_loses_against_what_the_kubelet_says_it_has() -> None:
    given = claims("kind  podName  podUid  device\nPodResources  a  u-a  GPU-x\nPodResources  b  u-b  GPU-y")
    labelled = devices("""
        device  gpu    namespace  pod
        0       GPU-x  ml         b
        1       GPU-y  ml         a
    """)

    bindings = bound(held("run\nu-a\nu-b"), RUNS_OF_PODS, gpus_of("node-1", 2), raw_claims=given, raw_devices=labelled)

    assert who_has_what(bindings) == [("u-a", "GPU-x", "PodResources"), ("u-b", "GPU-y", "PodResources")]
    assert bindings["device"].to_list() == [0, 1]
