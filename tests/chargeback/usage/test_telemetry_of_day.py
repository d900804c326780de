"""A day of telemetry: what counts as a sample of which device, and what is missing, twice or contradicted."""

import json

import pytest

from chargeback.billing_period import Interval
from tests.chargeback.usage.telemetry import (
    ENERGY,
    ENGINE,
    FB,
    INTERVAL,
    POWER,
    SM,
    UTIL,
    day_of,
    every,
    matrix,
    observed,
    rows,
    scraped,
    series,
    telemetry_said,
)
from tests.tables import CASES, instant, shared_file


def test_codes_for_no_value_are_missing_and_listed_by_count() -> None:
    lines = (CASES / "D01" / "samples.csv").read_text().split()[1:]
    samples = {float(at): value for at, value in (line.split(",") for line in lines)}

    day = day_of(series(UTIL, samples))

    values = day.samples["active_ppm"].to_list()
    assert sum(values) / len(values) == 500_000
    assert day.counted("samples", "sentinels", "impossible") == (4, 4, 0)


def test_one_reading_far_above_the_scale_is_rejected_and_not_clamped() -> None:
    day = day_of(series(UTIL, {**every(60, 0, 86_280, 50), 86_340: 808_334_905}))

    assert day.samples["active_ppm"].mean() == 500_000
    assert day.counted("samples", "impossible") == (1_439, 1)


def test_the_exporters_own_pod_is_nobodys_workload() -> None:
    target = {"namespace": "monitoring", "pod": "dcgm-exporter-78z52", "container": "exporter", "instance": "x:9400"}
    workload = {"exported_namespace": "default", "exported_pod": "pod1", "exported_container": "main"}

    day = day_of(
        series(UTIL, {0: 1}, **target, **workload),
        series(UTIL, {0: 1}, **target, UUID="GPU-2"),
    )

    assert rows(day, ["gpu", "namespace", "pod", "container"]) == [
        ("GPU-1", "default", "pod1", "main"), ("GPU-2", "", "", ""),
    ]  # fmt: skip


def test_real_samples_behind_prometheus_are_billed_to_no_exporter() -> None:
    content = shared_file("data", "prometheus", "query_range_gpu_util_from_real_samples.json").read_bytes()
    interval = Interval(instant("2022-09-11T00:00Z"), instant("2022-09-12T00:00Z"))

    day = telemetry_said(observed(content), interval=interval)

    assert day.devices["namespace"].unique().to_list() == ["genai"]
    assert not day.devices["pod"].str.contains("exporter").any()
    instants = [at for each in json.loads(content)["data"]["result"] for at, _ in each["values"]]
    assert len(day.samples) == sum(at < interval.end.timestamp() for at in instants) == 4_633


def test_a_slice_is_as_busy_as_its_engine_says_and_never_as_gpu_util_says() -> None:
    slice_7 = {"GPU_I_ID": "7", "GPU_I_PROFILE": "1g.10gb"}

    day = day_of(series(UTIL, {0: 0}, **slice_7), series(ENGINE, {0: "0.93"}, **slice_7))

    assert day.readings("active_ppm", "running_ppm") == [(930_000, 930_000)]
    assert rows(day, ["gpu_instance", "slice_profile", "activity_metric"]) == [("7", "1g.10gb", ENGINE)]


def test_a_slice_of_which_only_gpu_util_is_known_is_not_measured() -> None:
    day = day_of(series(UTIL, {0: 0}, GPU_I_ID="7"), series(FB, {0: 100}, GPU_I_ID="7"))

    assert day.readings("active_ppm", "running_ppm", "fb_used_mebibytes") == [(None, None, 100)]
    assert rows(day, ["activity_metric"]) == [(None,)]


def test_of_a_partitioned_gpu_only_the_slices_count_and_what_the_parent_says_is_counted() -> None:
    text = shared_file("data", "dcgm", "04_mig_parent_and_instance_rows.prom").read_text()

    day = scraped(text.replace("DCGM_FI_PROF_PIPE_TENSOR_ACTIVE", SM))

    assert day.readings("device", "active_ppm", "running_ppm") == [(0, 930_433, 995_687)]
    assert rows(day, ["gpu_instance", "slice_profile", "parent_values"]) == [("13", "1g.5gb", 1)]


def test_a_gpu_that_was_partitioned_until_midnight_counts_as_whole_from_then_on() -> None:
    day = day_of(series(SM, {-30: 1}, GPU_I_ID="7"), series(SM, {30: "0.5"}))

    assert day.readings("at_milliseconds", "active_ppm") == [(30_000, 500_000), (-30_000, 1_000_000)]
    assert rows(day, ["gpu_instance", "parent_values"]) == [("", 0), ("7", 0)]


def test_a_job_that_the_map_lists_twice_is_one_series() -> None:
    day = scraped((CASES / "D10" / "metrics.prom").read_text())

    assert day.readings("active_ppm") == [(800_000,)]
    assert day.counted("samples", "duplicates", "conflicts") == (1, 1, 0)


def test_values_that_contradict_each_other_count_for_nothing() -> None:
    day = day_of(series(UTIL, {0: 80, 30: 70}, hpc_job="3"), series(UTIL, {0: 81, 30: 70}, hpc_job="4"))

    assert day.readings() == [(30_000, 700_000)]
    assert day.counted("samples", "duplicates", "conflicts") == (1, 1, 1)


def test_where_one_exporter_has_no_value_and_the_other_has_the_value_counts() -> None:
    day = day_of(series(UTIL, {0: 9223372036854775794}, job="a"), series(UTIL, {0: 80}, job="b"))

    assert day.readings() == [(0, 800_000)]
    assert day.counted("sentinels", "conflicts") == (1, 0)


def test_two_exporters_on_a_host_make_one_gpu_and_the_labelled_series_wins() -> None:
    day = scraped((CASES / "D18" / "metrics.prom").read_text())

    assert day.readings("device", "active_ppm") == [(0, 700_000)]
    assert rows(day, ["gpu", "namespace", "pod", "container", "samples", "duplicates"]) == [
        ("GPU-1", "ml", "p", "c", 1, 1)
    ]


def test_absence_is_neither_zero_nor_the_last_value() -> None:
    day = day_of(series(UTIL, {0: 0}), series(FB, {0: 1, 30: 1}))

    assert day.readings("at_milliseconds", "active_ppm", "fb_used_mebibytes") == [(0, 0, 1), (30_000, None, 1)]


def test_without_series_there_are_no_devices() -> None:
    day = day_of()

    assert (len(day.devices), len(day.samples)) == (0, 0)


def test_the_best_metric_of_a_device_is_its_activity_all_day() -> None:
    day = day_of(series(UTIL, {0: 100, 30: 100}), series(ENGINE, {0: "0.8", 30: "0.7"}), series(SM, {30: "0.5"}))

    assert day.readings("at_milliseconds", "active_ppm", "running_ppm") == [
        (0, None, 800_000), (30_000, 500_000, 700_000),
    ]  # fmt: skip
    assert rows(day, ["activity_metric"]) == [(SM,)]


def test_a_metric_that_ended_with_the_day_before_is_not_this_days_activity() -> None:
    day = day_of(series(SM, {-30: "0.5"}), series(UTIL, {-30: 90, 30: 80}))

    assert day.readings() == [(-30_000, 900_000), (30_000, 800_000)]


def test_the_last_samples_of_the_day_before_are_carried_in_as_far_as_they_can_hold() -> None:
    day = day_of(
        series(SM, {-90: "0.1", -60: "0.2", -30: 140737488355328}), series(FB, {-61: 5, -30: 7}),
        series(SM, {-91: "0.9"}, UUID="GPU-2"),
    )  # fmt: skip

    assert day.readings("device", "at_milliseconds", "active_ppm", "fb_used_mebibytes") == [
        (0, -60_000, 200_000, None), (0, -30_000, None, 7),
    ]  # fmt: skip
    assert day.counted("samples", "sentinels") == (2, 0)


def test_the_day_ends_before_its_last_instant() -> None:
    day = day_of(series(SM, {86_399.999: 1, 86_400: 1}))

    assert day.readings() == [(86_399_999, 1_000_000)]


def test_instants_are_exact_to_the_millisecond() -> None:
    day = day_of(series(SM, {0.001: 0, 1_000.123: 0}))

    assert day.samples["at_milliseconds"].to_list() == [1, 1_000_123]


def test_a_device_that_only_says_no_value_is_there_without_samples() -> None:
    day = day_of(series(SM, {0: "NaN", 30: 140737488355328}))

    assert rows(day, ["samples", "sentinels", "activity_metric"]) == [(0, 2, None)]
    assert day.readings() == []


def test_power_follows_from_the_energy_counter_where_it_is_not_exported() -> None:
    day = day_of(series(ENERGY, {0: 1_000_000, 30: 11_500_000, 60: 500, 90: 1_500, 400: 900_501}))

    assert day.readings("at_milliseconds", "power_milliwatts") == [(0, 350_000), (60_000, 33)]


def test_power_that_is_exported_is_taken_and_slices_have_none() -> None:
    day = day_of(
        series(POWER, {0: "302.2064"}), series(ENERGY, {0: 0, 30: 9_000}),
        series(POWER, {0: 300}, UUID="GPU-2", GPU_I_ID="1"), series(FB, {0: 9}, UUID="GPU-2", GPU_I_ID="1"),
    )  # fmt: skip

    assert day.readings("device", "power_milliwatts", "fb_used_mebibytes") == [(0, 302_206, None), (1, None, 9)]


def test_devices_are_numbered_by_host_gpu_and_slice() -> None:
    day = day_of(
        series(SM, {0: 1}, Hostname="n2", UUID="GPU-a"), series(SM, {0: 1}, Hostname="n1", UUID="GPU-c", GPU_I_ID="2"),
        series(SM, {0: 1}, Hostname="n1", UUID="GPU-c", GPU_I_ID="1"), series(SM, {0: 1}, Hostname="n1", UUID="GPU-b"),
    )  # fmt: skip

    assert rows(day, ["device", "host", "gpu", "gpu_instance"]) == [
        (0, "n1", "GPU-b", ""), (1, "n1", "GPU-c", "1"), (2, "n1", "GPU-c", "2"), (3, "n2", "GPU-a", ""),
    ]  # fmt: skip


def test_overlapping_extracts_change_nothing() -> None:
    first = matrix(series(SM, every(30, 0, 3_600, "0.5"), hpc_job="7"), series(SM, every(30, 0, 3_600, "0.5")))
    second = matrix(series(SM, every(30, 1_800, 7_200, "0.5"), hpc_job="7"), series(SM, every(30, 1_800, 7_200, "0.5")))
    once = matrix(series(SM, every(30, 0, 7_200, "0.5"), hpc_job="7"), series(SM, every(30, 0, 7_200, "0.5")))

    one, both, twice = (telemetry_said(observed(*said)) for said in ((once,), (first, second), (second, first, second)))

    assert one.devices.equals(both.devices)
    assert one.devices.equals(twice.devices)
    assert one.samples.equals(both.samples)
    assert one.samples.equals(twice.samples)
    assert one.counted("samples", "duplicates") == (241, 241)


def test_a_day_with_a_clock_change_has_its_own_length() -> None:
    interval = Interval(INTERVAL.start, instant("2026-07-09T01:00Z"))

    day = telemetry_said(observed(matrix(series(SM, {89_999: 1, 90_000: 1}))), interval=interval)

    assert day.readings() == [(89_999_000, 1_000_000)]


@pytest.mark.parametrize("staleness", [180])
def test_the_worked_day_has_four_devices_with_their_samples_and_what_is_carried_in(staleness: int) -> None:
    content = shared_file("worked-day", "sm_active.json").read_bytes()

    day = telemetry_said(observed(content), staleness=staleness)

    said = [float(value) for each in json.loads(content)["data"]["result"] for _, value in each["values"]]
    assert day.devices["device"].n_unique() == 4
    assert len(day.samples) == len(said) - 5 == 5_699
    assert day.counted("sentinels", "impossible", "duplicates", "conflicts", "parent_values") == (5, 0, 0, 0, 0)
    carried = day.samples.filter(day.samples["at_milliseconds"] < 0)
    assert carried.select("device", "at_milliseconds", "active_ppm").rows() == [
        (0, -45_000, 0), (1, -44_000, 0), (2, -43_000, 40_000), (3, -42_000, 0),
    ]  # fmt: skip
    assert day.samples["active_ppm"].sum() == round(sum(value for value in said if value <= 1) * 1_000_000)
