"""Granted and published devices: what claims, slices and the kubelet say, and what stands of it on a day."""

import json
from functools import partial
from typing import Any

import pytest

from chargeback.contracts.raw_claims import RAW_CLAIMS
from chargeback.contracts.raw_slices import RAW_SLICES
from chargeback.usage.claim_observations import raw_claims_of_day
from chargeback.usage.kubernetes_claims import parse_claims
from chargeback.usage.slice_observations import raw_slices_of_day
from tests.chargeback.usage.landed_kubernetes import NEXT_DAY, api_list, at, events, kubectl_list, rows_of_day, time
from tests.tables import instant, shared_file

claims_of_day = partial(rows_of_day, parse=parse_claims, fold=raw_claims_of_day)
slices_of_day = partial(rows_of_day, parse=parse_claims, fold=raw_slices_of_day)

DRA = "resource.k8s.io/v1"


def claim(
    *devices: str, name: str = "c-1", pods: tuple[str, ...] = ("p-1",), allocated: str = "09:00", **result: Any
) -> dict[str, Any]:
    """A ResourceClaim of devices of one pool, reserved for pods."""
    results = [
        {"request": "gpu", "driver": "gpu.nvidia.com", "pool": "node-1", "device": each} | result for each in devices
    ]
    allocation = {"allocationTimestamp": time(allocated), "devices": {"results": results}} if devices else None
    reserved = [{"resource": "pods", "name": f"pod-{uid}", "uid": uid} for uid in pods]
    return {
        "metadata": {"name": name, "namespace": "vision", "uid": f"uid-{name}", "creationTimestamp": time("08:59")},
        "spec": {"devices": {"requests": [{"name": "gpu"}]}},
        "status": {"allocation": allocation, "reservedFor": reserved},
    }


def claim_list(*claims: Any) -> bytes:
    return api_list("ResourceClaim", *claims, api_version=DRA)


def a_slice(
    *devices: str, generation: int = 1, created: str = "-9 00:00", product: str = "NVIDIA A100", pool: str = "node-1"
) -> dict[str, Any]:  # fmt: skip
    """A ResourceSlice of whole GPUs."""
    name = f"{pool}-{generation}"
    return {
        "metadata": {"name": name, "uid": f"uid-{name}", "creationTimestamp": time(created)},
        "spec": {
            "driver": "gpu.nvidia.com", "nodeName": pool, "pool": {"name": pool, "generation": generation},
            "devices": [
                {"name": each, "capacity": {"memory": {"value": "80Gi"}}, "attributes": {
                    "type": {"string": "gpu"}, "uuid": {"string": f"GPU-{pool}-{each}"},
                    "productName": {"string": product}}}
                for each in devices
            ],
        },
    }  # fmt: skip


def slice_list(*slices: Any) -> bytes:
    return api_list("ResourceSlice", *slices, api_version=DRA)


def test_k17_the_granted_device_is_one_of_the_published_ones_of_its_product() -> None:
    allocated = shared_file("data", "k8s", "dra_resourceclaim_allocated.yaml").read_bytes()
    published = shared_file("data", "k8s", "dra_resourceslice.yaml").read_bytes()
    landed = [("-2 14:00", allocated), ("-2 14:00:01", published)]  # 6 July

    granted, devices = claims_of_day(landed, "2026-07-06"), slices_of_day(landed, "2026-07-06")

    assert granted.select("namespace", "podName", "podUid", "driver", "pool", "device", "allocated").rows() == [
        (
            "gpu-test1", "dra-gpu-example-798fccd4d-sfl2p", "d36ca24f-9949-4c33-9d47-c06846f775b1", "gpu.nvidia.com",
            "conformance-test-np1-qcqc8-bpdtl-wv2gs", "gpu-0", instant("2026-07-06T13:16:19Z"),
        )
    ]  # fmt: skip
    assert granted["adminAccess"].to_list() == [False]
    assert devices.select("pool", "device", "type", "productName", "uuid", "memory", "nodeName").rows() == [
        (
            granted["pool"][0], "gpu-0", "gpu", "GRID A100-10C", "GPU-44d2411e-1604-478f-aa96-5a3c00000000", "10Gi",
            "conformance-test-np1-qcqc8-bpdtl-wv2gs",
        )
    ]  # fmt: skip
    assert (RAW_CLAIMS.breaches(granted), RAW_SLICES.breaches(devices)) == ([], [])
    assert claims_of_day(landed, "2026-07-05").is_empty()


def test_a_claim_is_a_row_per_device_and_pod_that_has_it() -> None:
    rows = claims_of_day([("10:00", claim_list(claim("gpu-0", "gpu-1", pods=("p-1", "p-2"))))])

    assert rows.select("podUid", "device").rows() == [
        ("p-1", "gpu-0"), ("p-1", "gpu-1"), ("p-2", "gpu-0"), ("p-2", "gpu-1")
    ]  # fmt: skip


def test_a_claim_that_nobody_has_is_a_row_without_a_pod_and_one_without_a_device_is_ignored() -> None:
    parsed = parse_claims(claim_list(claim("gpu-0", pods=()), claim(name="c-2")), cluster="k8s-b")

    assert parsed.frame.select("record", "podName", "podUid").rows() == [("claim", "", "")]
    assert dict(parsed.ignored_reasons) == {"claim to which no device is allocated": 1}
    assert parsed.full_listings_of == {"ResourceClaim.resource.k8s.io"}


@pytest.mark.parametrize(
    ("requests", "result"),
    [
        ([{"name": "gpu"}], {"adminAccess": True}),
        ([{"name": "gpu", "exactly": {"adminAccess": True}}], {}),
        ([{"name": "gpu", "adminAccess": True}], {}),
        ([{"name": "gpu", "exactly": {"adminAccess": True}}], {"request": "gpu/large"}),
    ],
    ids=["in the result", "in the request", "in an older request", "of a part of the request"],
)
def test_monitoring_is_seen_wherever_its_version_says_it(requests: list[Any], result: dict[str, Any]) -> None:
    watching = claim("gpu-0", **result)
    watching["spec"]["devices"]["requests"] = requests

    parsed = parse_claims(json.dumps(watching | {"kind": "ResourceClaim"}).encode(), cluster="k8s-b")

    assert parsed.frame["adminAccess"].to_list() == [True]


def test_a_part_of_a_shared_device_says_what_it_takes() -> None:
    taken = claim("gpu-0", shareID="s-1", consumedCapacity={"memory": "20Gi"})

    parsed = parse_claims(claim_list(taken), cluster="k8s-b")

    assert parsed.frame.select("shareID", "consumedCapacity").rows() == [("s-1", '{"memory":"20Gi"}')]


def test_a_device_is_granted_until_a_full_listing_in_which_the_claim_does_not_grant_it() -> None:
    landed = [
        ("10:00", claim_list(claim("gpu-0"))),
        ("10:00:01", slice_list(a_slice("gpu-0"))),
        ("11:00", claim_list(claim("gpu-1", allocated="10:30"))),
        ("12:00", claim_list(claim())),
    ]

    rows = claims_of_day(landed)

    assert rows.select("device", "lastSeen", "missingFrom").rows() == [
        ("gpu-0", at("10:00"), at("11:00")),
        ("gpu-1", at("11:00"), at("12:00")),
    ]
    assert claims_of_day(landed, NEXT_DAY).is_empty()


def test_a_deleted_claim_is_missing_from_its_event_on() -> None:
    rows = claims_of_day(
        [
            ("10:00", claim_list(claim("gpu-0"))),
            ("10:30", events(("DELETED", claim("gpu-0") | {"kind": "ResourceClaim"}))),
        ]
    )

    assert rows.select("lastSeen", "missingFrom").rows() == [(at("10:30"), at("10:30"))]


def test_a_claim_that_is_listed_every_night_rewrites_no_old_day() -> None:
    nights = [(f"{night} 00:10", claim_list(claim("gpu-0", allocated="-3 09:00"))) for night in range(4)]

    rows = claims_of_day(nights[:2])

    assert rows.select("lastSeen", "extracted_at").rows() == [(at("+1 00:00"), at("00:10"))]
    assert all(claims_of_day(nights[:landed]).equals(rows) for landed in (3, 4))


def test_what_the_kubelet_says_stands_on_the_days_between_its_first_and_last_word() -> None:
    devices = [{"resource_name": "nvidia.com/gpu", "device_ids": ["GPU-1"]}]
    told = json.dumps(
        {"pod_resources": [{"name": "a", "namespace": "n", "containers": [{"name": "c", "devices": devices}]},
                           {"name": "b", "namespace": "n", "containers": [{"name": "c"}]}]}
    ).encode()  # fmt: skip
    landed = [("10:00", told), ("+1 10:00", told)]

    rows, next_rows = claims_of_day(landed), claims_of_day(landed, NEXT_DAY)

    assert rows.select("kind", "podName", "request", "driver", "device", "extracted_at", "lastSeen").rows() == [
        ("PodResources", "a", "c", "nvidia.com/gpu", "GPU-1", at("10:00"), at("10:00"))
    ]
    assert next_rows.select("extracted_at", "lastSeen").rows() == [(at("10:00"), at("+1 10:00"))]
    assert claims_of_day(landed, "2026-07-07").is_empty()
    assert dict(parse_claims(told, cluster="k8s-b").ignored_reasons) == {"pod to which the kubelet gave no device": 1}


@pytest.mark.parametrize(
    "device",
    [
        {"attributes": {"type": {"string": "mig"}, "uuid": {"string": "MIG-1"}, "parentUUID": {"string": "GPU-1"},
                        "profile": {"string": "1g.10gb"}}, "capacity": {"memory": {"value": "10Gi"}}},
        {"basic": {"attributes": {"type": {"string": "mig"}, "uuid": {"string": "MIG-1"},
                                  "parentUUID": {"string": "GPU-1"}, "profile": {"string": "1g.10gb"}},
                   "capacity": {"memory": "10Gi"}}},
        {"attributes": {"gpu.nvidia.com/type": {"string": "mig"}, "gpu.nvidia.com/uuid": {"string": "MIG-1"},
                        "gpu.nvidia.com/parentUUID": {"string": "GPU-1"},
                        "gpu.nvidia.com/profile": {"string": "1g.10gb"}},
         "capacity": {"gpu.nvidia.com/memory": {"value": "10Gi"}}},
    ],
    ids=["v1", "v1alpha3", "with the driver's domain"],
)  # fmt: skip
def test_a_slice_is_read_in_every_version_of_its_api(device: dict[str, Any]) -> None:
    published = a_slice()
    published["spec"]["devices"] = [{"name": "mig-0"} | device]

    parsed = parse_claims(slice_list(published), cluster="k8s-b")

    assert parsed.frame.select("record", "type", "uuid", "parentUUID", "profile", "memory", "generation").rows() == [
        ("slice", "mig", "MIG-1", "GPU-1", "1g.10gb", "10Gi", 1)
    ]


def test_slices_that_are_listed_every_night_rewrite_no_old_day() -> None:
    nights = [(f"{night} 00:10", slice_list(a_slice("gpu-0", "gpu-1"))) for night in range(4)]

    rows = slices_of_day(nights[:1])

    assert rows.select("device", "extracted_at").rows() == [("gpu-0", at("00:10")), ("gpu-1", at("00:10"))]
    assert all(slices_of_day(nights[:landed]).equals(rows) for landed in (2, 3, 4))


def test_a_higher_generation_of_a_pool_replaces_all_lower_ones_from_the_next_day_on() -> None:
    replaced = a_slice("gpu-0", generation=2, created="11:00", product="NVIDIA H100") | {"kind": "ResourceSlice"}
    landed = [("00:10", slice_list(a_slice("gpu-0", "gpu-1"))), ("12:00", kubectl_list(replaced))]

    on_the_day, after = slices_of_day(landed), slices_of_day(landed, NEXT_DAY)

    products = [("gpu-0", "NVIDIA H100", 2), ("gpu-1", "NVIDIA A100", 1)]
    assert on_the_day.select("device", "productName", "generation").rows() == products
    assert after.select("device", "generation").rows() == [("gpu-0", 2)]


def test_devices_that_were_published_during_the_day_are_known_from_the_listing_behind_it() -> None:
    landed = [
        ("00:10", slice_list(a_slice("gpu-0"))),
        ("+1 00:10", slice_list(a_slice("gpu-0"), a_slice("gpu-0", pool="node-2", created="15:00"))),
        ("+1 00:20", slice_list(a_slice("gpu-0"), a_slice("gpu-0", pool="node-3", created="+1 00:15"))),
    ]

    assert slices_of_day(landed)["pool"].to_list() == ["node-1", "node-2"]


def test_where_nothing_is_known_from_before_the_first_listing_after_the_day_is_in_force() -> None:
    rows = slices_of_day([("+1 00:10", slice_list(a_slice("gpu-0", created="+1 00:05")))])

    assert rows["device"].to_list() == ["gpu-0"]


def test_a_device_that_was_gone_before_the_day_is_not_of_it() -> None:
    landed = [("-1 00:10", slice_list(a_slice("gpu-0"))), ("-1 12:00", slice_list()), ("12:00", slice_list())]
    deleted = [
        ("-1 00:10", slice_list(a_slice("gpu-0"))),
        ("-1 13:00", events(("DELETED", a_slice("gpu-0") | {"kind": "ResourceSlice"}))),
    ]

    assert slices_of_day(landed).is_empty()
    assert slices_of_day(deleted).is_empty()
    assert slices_of_day(landed, "2026-07-07")["device"].to_list() == ["gpu-0"]


def test_claims_and_slices_in_one_listing_of_kubectl_are_told_apart() -> None:
    both = kubectl_list(
        claim("gpu-0") | {"kind": "ResourceClaim"},
        a_slice("gpu-0") | {"kind": "ResourceSlice"},
        {"kind": "DeviceClass", "metadata": {"name": "gpu"}},
        {"kind": "ResourceSlice", "spec": []},
    )

    parsed = parse_claims(both, cluster="k8s-b")

    assert parsed.frame["record"].to_list() == ["claim", "slice"]
    assert (parsed.records, parsed.steps_ignored) == (4, 1)
    assert [(record.line, record.reason) for record in parsed.quarantined] == [
        (4, "ResourceSlice without a name: spec is a list, not an object")
    ]


def test_a_day_without_claims_or_without_slices_has_none() -> None:
    assert claims_of_day([("10:00", slice_list(a_slice("gpu-0")))]).equals(RAW_CLAIMS.empty())
    assert slices_of_day([("10:00", claim_list(claim("gpu-0")))]).equals(RAW_SLICES.empty())
    assert claims_of_day([("10:00", claim_list())]).equals(RAW_CLAIMS.empty())
    assert slices_of_day([("10:00", slice_list())]).equals(RAW_SLICES.empty())
