"""Stretches of labels on a device: evidence of what stood on it, from when until when."""

from tests.chargeback.usage.telemetry import (
    ENGINE,
    FB,
    SM,
    UTIL,
    Samples,
    Telemetry,
    day_of,
    every,
    scraped,
    series,
    stretches,
)
from tests.tables import shared_file


def pod(name: str, samples: Samples, metric: str = SM) -> dict[str, object]:
    """Samples of GPU-1 with the label of a pod; none for the empty name."""
    labels = {"exported_namespace": "ml", "exported_pod": name} if name else {}
    return series(metric, samples, instance="10.0.0.1:9400", pod="dcgm-exporter-x", **labels)


def test_a_stretch_ends_where_the_labels_change() -> None:
    day = day_of(pod("a", every(30, 0, 300, 1)), pod("b", every(30, 330, 600, 1)), pod("a", every(30, 630, 900, 1)))

    assert stretches(day, "pod") == [("a", 0, 300, 11), ("a", 630, 900, 10), ("b", 330, 600, 10)]


def test_a_stretch_ends_where_nothing_is_heard_for_longer_than_a_sample_holds() -> None:
    day = day_of(pod("a", {**every(30, 0, 300, 1), **every(30, 390, 600, 1), **every(30, 691, 901, 1)}))

    assert stretches(day, "pod") == [("a", 0, 600, 19), ("a", 691, 901, 8)]


def test_a_missing_metric_or_value_does_not_end_a_stretch() -> None:
    day = day_of(
        pod("a", {0: 1, 30: 140737488355328, 60: 1, 120: 1}), pod("a", {0: 1, 60: 1, 90: 1, 120: 1}, ENGINE),
        pod("a", {15: 8, 75: 8}, FB),
    )  # fmt: skip

    assert stretches(day, "pod") == [("a", 0, 120, 6)]
    assert day.counted("sentinels") == (1,)


def test_pods_that_share_a_gpu_in_time_slices_stand_side_by_side() -> None:
    text = shared_file("data", "dcgm", "07_time_sliced_identical_values.prom").read_text()

    day = scraped(text)

    at = 12 * 3600
    assert stretches(day, "pod") == [(f"gpu-workload-{n}", at, at, 1) for n in (1, 2, 3)]
    assert day.readings() == [(at * 1_000, 714_000)]
    assert day.counted("duplicates", "conflicts") == (2, 0)


def test_faults_of_a_shared_gpu_are_counted_once() -> None:
    day = day_of(pod("a", {0: 1, 30: "NaN"}), pod("b", {0: 1, 30: "NaN"}))

    assert stretches(day, "pod") == [("a", 0, 30, 1), ("b", 0, 30, 1)]
    assert day.counted("sentinels", "duplicates") == (2, 1)


def test_a_second_exporter_without_labels_splits_no_stretch_at_whatever_offset_it_is_scraped() -> None:
    labelled, bare = pod("a", every(30, 0, 3_600, 1)), pod("", every(30, 13, 3_613, 1))

    day = day_of(labelled, bare)

    assert stretches(day, "pod") == [("", 3_613, 3_613, 1), ("a", 0, 3_600, 241)]


def test_between_two_workloads_a_gpu_without_labels_carries_none() -> None:
    day = day_of(pod("a", every(30, 0, 300, 1)), pod("", every(30, 330, 600, 0)), pod("b", every(30, 630, 900, 1)))

    assert stretches(day, "pod") == [("", 330, 600, 10), ("a", 0, 300, 11), ("b", 630, 900, 10)]


def test_jobs_of_a_job_map_are_one_text_whatever_the_order_and_number_of_series() -> None:
    day = day_of(*(series(UTIL, every(30, 0, 300, 80), hpc_job=job) for job in ("9", "10", "9,10")))

    assert stretches(day, "hpc_job") == [("10,9", 0, 300, 11)]
    assert day.counted("duplicates") == (22,)


def test_a_job_that_leaves_a_shared_gpu_ends_the_stretch_of_both() -> None:
    day = day_of(series(UTIL, every(30, 0, 300, 80), hpc_job="4"), series(UTIL, every(30, 0, 600, 80), hpc_job="5"))

    assert stretches(day, "hpc_job") == [("4,5", 0, 300, 11), ("5", 330, 600, 10)]


def test_what_is_carried_in_brings_its_labels() -> None:
    day = day_of(pod("a", {-60: 1, -30: 1}), pod("b", {0: 1}))

    assert stretches(day, "pod") == [("a", -30, -30, 1), ("b", 0, 0, 1)]


def test_the_same_number_on_a_gpu_that_was_partitioned_anew_is_another_stretch() -> None:
    day = day_of(
        series(SM, every(30, 0, 300, 1), GPU_I_ID="1", GPU_I_PROFILE="3g.40gb"),
        series(SM, every(30, 330, 600, 1), GPU_I_ID="1", GPU_I_PROFILE="1g.10gb"),
    )

    assert stretches(day, "device", "slice_profile") == [(0, "3g.40gb", 0, 300, 11), (0, "1g.10gb", 330, 600, 10)]


def test_many_shared_devices_keep_their_stretches_apart() -> None:
    def element(gpu: int, name: str) -> dict[str, object]:
        return series(SM, every(30, 0, 900, 1), UUID=f"GPU-{gpu}", exported_pod=name, instance="x:1")

    day: Telemetry = day_of(*(element(gpu, name) for gpu in range(3) for name in ("a", "b", "c", "d")))

    assert stretches(day, "device", "pod") == [(gpu, name, 0, 900, 31) for gpu in range(3) for name in "abcd"]
