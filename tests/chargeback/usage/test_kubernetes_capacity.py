"""Capacity of Kubernetes nodes: each second of each GPU in one state, as nodes come, go, fail and share."""

from fractions import Fraction

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chargeback.contracts.raw_kubernetes_nodes import RAW_KUBERNETES_NODES
from chargeback.contracts.raw_slices import RAW_SLICES
from chargeback.usage.kubernetes_inventory import kubernetes_inventory_of
from tests.chargeback.usage.kubernetes_days import CLUSTER, KubernetesDays, a_node, a_pod, gpus, in_state, row_of

HOUR, DAY = 3600, 86_400
NOON = {"scheduled": "12:00", "finished": "13:00"}
MIDNIGHT = "2026-07-03T00:00Z"
END = "2026-07-04T00:00Z"


def states(days: KubernetesDays, *names: str) -> tuple[Fraction, ...]:
    """GPU-seconds of the day in each state."""
    capacity = days.capacity()
    return tuple(in_state(capacity, name) for name in names)


def test_what_nobody_holds_of_a_node_is_unallocated() -> None:
    days = KubernetesDays([a_pod("p", gpus(3), **NOON)], nodes=[a_node(count=8), a_node("cpu-1", count=0)])

    assert states(days, "capacity", "held", "unallocated") == (8 * DAY, 3 * HOUR, 8 * DAY - 3 * HOUR)


def test_three_replicas_of_four_leave_a_quarter_of_the_card_unallocated() -> None:
    node = a_node(count=1, labels={"nvidia.com/gpu.replicas": "4"}, capacity={"nvidia.com/gpu": "4"})
    days = KubernetesDays([a_pod(name, gpus(1), **NOON) for name in "abc"], nodes=[node])

    noon = days.capacity().row(12, named=True)

    assert (noon["capacity_unit_seconds"], noon["held_unit_seconds"], noon["unallocated_unit_seconds"]) == (
        4 * HOUR, 3 * HOUR, HOUR,
    )  # fmt: skip
    assert noon["units_per_gpu"] == 4


def test_a_node_counts_from_when_it_is_there_until_it_is_gone() -> None:
    node = a_node(count=8, statedFrom="2026-07-03T06:00Z", statedUntil="2026-07-03T18:30Z")

    found = KubernetesDays([], nodes=[node])

    assert found.state("capacity") == 8 * (12 * HOUR + HOUR // 2)
    assert len(found.capacity()) == 13


def test_a_node_cut_anew_at_noon_has_whole_gpus_before_and_slices_after() -> None:
    whole = a_node(count=1, statedFrom=MIDNIGHT, statedUntil="2026-07-03T12:00Z")
    cut = a_node(count=None, capacity={"nvidia.com/mig-3g.40gb": "2"}, statedFrom="2026-07-03T12:00Z", statedUntil=END)
    days = KubernetesDays(
        [a_pod("p", {"nvidia.com/mig-3g.40gb": "1"}, scheduled="13:00", finished="14:00")], nodes=[whole, cut]
    )

    assert days.state("capacity", "a100-sxm4-80gb") == DAY // 2
    assert days.state("capacity", "a100-sxm4-80gb:3g.40gb") == DAY // 2
    assert days.state("held") == Fraction(3 * HOUR, 7)
    assert days.state("blocked") == Fraction(DAY // 2, 7)


def test_a_host_that_no_node_record_counts_has_as_much_as_is_held_there() -> None:
    later = a_node(statedFrom="2026-07-03T12:30Z", statedUntil=END)
    days = KubernetesDays([a_pod("p", gpus(4), **NOON), a_pod("q", gpus(1), node="n9", **NOON)], nodes=[later])

    found = days.capacity().filter(pl.col("held_unit_seconds") > 0)

    assert found.select("host", "inventory", "capacity_unit_seconds", "overcommitted_unit_seconds").rows() == [
        ("n1", "none", 4 * HOUR, 0),
        ("n9", "none", HOUR, 0),
    ]


def test_a_node_that_is_not_ready_is_out_of_service_where_nobody_holds_it() -> None:
    lost = [
        a_node(count=4, statedFrom=MIDNIGHT, statedUntil="2026-07-03T12:10Z"),
        a_node(count=4, statedFrom="2026-07-03T12:10Z", statedUntil="2026-07-03T14:00Z", ready="Unknown",
               readySince="2026-07-03T12:00Z"),
        a_node(count=4, statedFrom="2026-07-03T14:00Z", statedUntil=END, readySince="2026-07-03T13:30Z"),
    ]  # fmt: skip
    days = KubernetesDays([a_pod("p", gpus(1), **NOON)], nodes=lost)

    assert states(days, "out_of_service_unplanned", "out_of_service_planned", "held") == (
        4 * HOUR + 2 * HOUR - HOUR, 0, HOUR,
    )  # fmt: skip


def test_a_cordoned_node_is_planned_out_of_service_as_it_empties() -> None:
    cordoned = a_node(count=2, unschedulable=True, cordonedSince="2026-07-03T12:00Z")
    days = KubernetesDays([a_pod("p", gpus(2), scheduled="2026-07-02T08:00Z", finished="13:00")], nodes=[cordoned])

    assert states(days, "held", "out_of_service_planned", "unallocated") == (2 * 13 * HOUR, 2 * 11 * HOUR, 0)


def test_a_node_known_as_lost_since_last_week_is_so_all_day() -> None:
    lost = a_node(count=2, ready="False", readySince="2026-06-20T00:00Z")

    assert states(KubernetesDays([], nodes=[lost]), "out_of_service_unplanned", "unallocated") == (2 * DAY, 0)


def test_a_gpu_that_the_kubelet_gives_to_nobody_is_out_of_service_unless_somebody_still_holds_it() -> None:
    unfit = a_node(count=4, allocatable={"nvidia.com/gpu": "3"}, statedFrom="2026-07-03T12:00Z", statedUntil=END)
    fit = a_node(count=4, statedFrom=MIDNIGHT, statedUntil="2026-07-03T12:00Z")
    days = KubernetesDays([a_pod("p", gpus(4), **NOON)], nodes=[fit, unfit])

    assert states(days, "held", "out_of_service_unplanned", "double_booked") == (4 * HOUR, 11 * HOUR, 0)
    assert days.state("unallocated") == 4 * DAY - 15 * HOUR


def test_while_a_pod_of_unknown_count_is_bound_nothing_of_its_node_is_called_unallocated() -> None:
    odd = a_pod("p", {"cpu": "1"}, annotations={"gpu-fraction": "half"}, **NOON)
    days = KubernetesDays([odd, a_pod("q", gpus(1), **NOON)], nodes=[a_node(count=4)])

    assert states(days, "unknown", "held", "unallocated") == (3 * HOUR, HOUR, 4 * DAY - 4 * HOUR)


HALF = {"nvidia.com/gpu": "1", "nvidia.com/gpucores": "50"}


@pytest.mark.parametrize(
    ("containers", "overcommitted", "double_booked"),
    [
        ([HALF, HALF], 0, 0),
        ([HALF, HALF, HALF], HOUR // 2, 0),
        ([gpus(1), HALF], HOUR // 2, HOUR // 2),
        ([gpus(1), gpus(1)], HOUR, HOUR),
        ([gpus(1), gpus(1), HALF], 3 * HOUR // 2, 3 * HOUR // 2),
    ],
)
def test_shares_may_be_promised_beyond_a_gpu_and_whole_gpus_may_not(
    containers: list[dict[str, object]], overcommitted: int, double_booked: int
) -> None:
    pods = [a_pod(str(number), container, **NOON) for number, container in enumerate(containers)]
    days = KubernetesDays(pods, nodes=[a_node(count=1)])

    assert states(days, "overcommitted", "double_booked") == (overcommitted, double_booked)
    assert states(days, "capacity", "held") == (DAY, min(HOUR, days.state("held")))


def test_a_gpu_that_pods_share_beside_whole_ones_is_no_double_booking_while_one_is_left_to_them() -> None:
    shared = [a_pod(name, HALF, **NOON) for name in "abc"]

    one_left = KubernetesDays([*shared, a_pod("w", gpus(1), **NOON)], nodes=[a_node(count=2)])
    none_left = KubernetesDays([*shared, a_pod("w", gpus(2), **NOON)], nodes=[a_node(count=2)])

    assert states(one_left, "overcommitted", "double_booked") == (HOUR // 2, 0)
    assert states(none_left, "overcommitted", "double_booked") == (3 * HOUR // 2, 3 * HOUR // 2)


def test_shares_in_parts_that_do_not_fit_one_another_are_conserved_exactly() -> None:
    asks = [{"nvidia.com/gpu": "1", "nvidia.com/gpucores": "33"}, {"nvidia.com/gpu": "1", "nvidia.com/gpumem": "12345"}]
    node = a_node(count=1, labels={"nvidia.com/gpu.memory": "81559"})
    days = KubernetesDays([a_pod(str(at), ask, **NOON) for at, ask in enumerate(asks)], nodes=[node])

    held = Fraction(33, 100) + Fraction(12345, 81559)

    assert days.state("held") == held * HOUR
    assert days.state("unallocated") == DAY - held * HOUR
    assert sum(days.gpu_seconds().values()) == held * HOUR


MINUTES = st.tuples(st.integers(0, 1439), st.integers(0, 1439)).map(lambda pair: (min(pair), max(pair) + 1))
ASKS = st.sampled_from([
    gpus(1), gpus(2), HALF, {"nvidia.com/gpu": "2", "nvidia.com/gpucores": "33"}, {"nvidia.com/gpumem": "12345"},
    {"nvidia.com/mig-3g.40gb": "1"}, {"nvidia.com/mig-1g.10gb": "2"},
])  # fmt: skip
LIVES = st.lists(st.tuples(st.sampled_from(["n1", "n2", "n9"]), MINUTES, ASKS), max_size=8)


def clock(minute: int) -> str:
    """A minute of the day as an instant; the last one is midnight."""
    return END if minute == 1440 else f"2026-07-03T{minute // 60:02}:{minute % 60:02}:00Z"


@settings(max_examples=25, deadline=None)
@given(lives=LIVES, there=MINUTES)
def test_whatever_pods_hold_and_nodes_do_each_second_is_held_once_or_beyond_capacity(
    lives: list[tuple[str, tuple[int, int], dict[str, object]]], there: tuple[int, int]
) -> None:
    pods = [a_pod(str(at), ask, node=node, scheduled=clock(begin), finished=clock(end))
            for at, (node, (begin, end), ask) in enumerate(lives)]  # fmt: skip
    mixed = {"nvidia.com/gpu": "2", "nvidia.com/mig-3g.40gb": "1", "nvidia.com/mig-1g.10gb": "3"}
    nodes = [a_node("n1", capacity=mixed, labels={"nvidia.com/gpu.memory": "81559"}),
             a_node("n2", count=3, statedFrom=clock(there[0]), statedUntil=clock(there[1]))]  # fmt: skip
    days = KubernetesDays(pods, nodes=nodes)

    capacity = days.capacity()

    overcommitted = in_state(capacity, "overcommitted")
    assert in_state(capacity, "held") + overcommitted == sum(days.gpu_seconds().values())
    assert in_state(capacity, "double_booked") <= overcommitted
    assert in_state(capacity.filter(inventory="node record", host="n1"), "capacity") == 3 * DAY


def inventory(*nodes: dict[str, object], slices: list[dict[str, object]] | None = None) -> list[tuple[object, ...]]:
    """Rows of the day's inventory."""
    days = KubernetesDays([], nodes=nodes, slices=slices or [])
    raw_slices = days.table(RAW_SLICES, "2026-07-03") if slices else None
    return kubernetes_inventory_of(
        days.table(RAW_KUBERNETES_NODES, "2026-07-03"), aliases={"v100m32": "v100-sxm2-32gb"}, raw_slices=raw_slices
    ).rows()


def a_device(device: str, **given: object) -> dict[str, object]:
    """A device that a driver publishes on node n1."""
    of = {"driver": "gpu.nvidia.com", "pool": "n1", "device": device, "nodeName": "n1", "type": "gpu", "uuid": device,
          "productName": "NVIDIA A100-SXM4-80GB"}  # fmt: skip
    return row_of(RAW_SLICES, cluster=CLUSTER, **of | given)


MIXED = {"nvidia.com/gpu": "6", "nvidia.com/mig-1g.10gb": "3", "nvidia.com/mig-3g.40gb": "2"}
ALIBABA = {"capacity": {"alibabacloud.com/gpu-count": "2", "alibabacloud.com/gpu-milli": "2000"}, "count": None}


@pytest.mark.parametrize(
    ("nodes", "expected"),
    [
        ([a_node(count=8)], [("n1", "a100-sxm4-80gb", 1, 8, 0)]),
        ([a_node(count=8), a_node(count=4, statedFrom="2026-07-03T12:00Z", statedUntil=END)],
         [("n1", "a100-sxm4-80gb", 1, 8, 0)]),
        ([a_node(count=2, labels={"nvidia.com/gpu.replicas": "10"})], [("n1", "a100-sxm4-80gb", 10, 20, 0)]),
        ([a_node(count=8, capacity=MIXED)],
         [("n1", "a100-sxm4-80gb", 1, 6, 0), ("n1", "a100-sxm4-80gb:1g.10gb", 7, 3, 0),
          ("n1", "a100-sxm4-80gb:3g.40gb", 7, 11, 5)]),
        ([a_node(product="NVIDIA-A100-SXM4-80GB-MIG-1g.10gb", count=7)], [("n1", "a100-sxm4-80gb:1g.10gb", 7, 7, 0)]),
        ([a_node(product="NVIDIA-A100-SXM4-80GB-MIG-1g.10gb-SHARED", count=7, labels={"nvidia.com/gpu.replicas": "2"})],
         [("n1", "a100-sxm4-80gb:1g.10gb", 14, 14, 0)]),
        ([a_node(product="", labels={"alibabacloud.com/gpu-card-model": "V100M32"}, **ALIBABA)],
         [("n1", "v100-sxm2-32gb", 1, 2, 0)]),
        ([a_node(product="", count=None, labels={"amd.com/gpu.product-name": "MI300X"}, capacity={"amd.com/gpu": "8"})],
         [("n1", "mi300x", 1, 8, 0)]),
        ([a_node(count=0)], []),
    ],
)  # fmt: skip
def test_the_inventory_counts_physical_gpus_whatever_they_are_offered_as(
    nodes: list[dict[str, object]], expected: list[tuple[object, ...]]
) -> None:
    assert inventory(*nodes) == expected


def test_devices_that_only_drivers_publish_are_inventory_too_and_are_counted_once() -> None:
    published = [
        a_device("gpu-0"),
        a_device("gpu-1"),
        a_device("gpu-0-mig", type="mig", profile="1g.10gb", parentUUID="gpu-0"),
    ]
    sliced = [a_device(f"mig-{at}", type="mig", profile="3g.40gb", parentUUID="gone") for at in range(2)]

    assert inventory(a_node(count=None, capacity={}), slices=published) == [("n1", "a100-sxm4-80gb", 1, 2, 0)]
    assert inventory(a_node(count=2), slices=published) == [("n1", "a100-sxm4-80gb", 1, 2, 0)]
    assert inventory(slices=sliced) == [("n1", "a100-sxm4-80gb:3g.40gb", 7, 7, 1)]
    assert KubernetesDays([], slices=published).state("capacity") == 2 * DAY
