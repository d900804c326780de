"""Every public file of telemetry is read to the last record: used, left out with a reason, or quarantined."""

from dataclasses import dataclass

import pytest

from chargeback.usage.dcgm import parse_dcgm
from chargeback.usage.extract import UnreadableExtract
from tests.tables import shared_file


@dataclass(frozen=True)
class Counts:
    """What becomes of a file's records."""

    used: int
    not_read: int = 0
    quarantined: tuple[int, ...] = ()


FILES = {
    "01_t4_standalone_no_pod_labels.prom": Counts(used=3, not_read=2),
    "02_k8s_mode_idle_gpus_empty_labels.prom": Counts(used=3, not_read=3),
    "03_k8s_mode_with_pod.prom": Counts(used=0, not_read=3),
    "04_mig_parent_and_instance_rows.prom": Counts(used=1, not_read=7),
    "05_renamed_lowercase_mig_mixed.prom": Counts(used=4),
    "06_prometheus_side_exported_labels.txt": Counts(used=0, quarantined=(1, 2, 3)),
    "07_time_sliced_identical_values.prom": Counts(used=3),
    "08_legacy_metric_names.prom": Counts(used=3, not_read=1),
    "10_no_kubernetes_labels_prometheus.txt": Counts(used=1, quarantined=(1, 2)),
}


@pytest.mark.parametrize("name", FILES)
def test_each_record_of_an_exporters_text_is_used_left_out_or_quarantined(name: str) -> None:
    content = shared_file("data", "dcgm", name).read_bytes()

    found = parse_dcgm(content, cluster="k")

    wanted = FILES[name]
    lines = [line for line in content.decode().splitlines() if line and not line.startswith("#")]
    assert found.records == len(lines)
    assert (len(found.frame), found.steps_ignored) == (wanted.used, wanted.not_read)
    assert sum(found.ignored_reasons.values()) == wanted.not_read
    assert tuple(each.line for each in found.quarantined) == wanted.quarantined
    assert all("VALUE" in each.reason and each.excerpt for each in found.quarantined)


@pytest.mark.parametrize("name", ["09_sentinels.txt", "11_sacct_tresusage_gpuutil.txt"])
def test_a_list_of_values_and_an_accounting_table_are_no_telemetry(name: str) -> None:
    content = shared_file("data", "dcgm", name).read_bytes()

    with pytest.raises(UnreadableExtract, match=r"no telemetry of cluster k: no line of it is a sample"):
        parse_dcgm(content, cluster="k")


@pytest.mark.parametrize(
    "path, used",
    [
        (("data", "prometheus", "query_range_gpu_util_from_real_samples.json"), 4),
        (("worked-day", "sm_active.json"), 10),
    ],
)
def test_each_series_of_an_answer_of_prometheus_is_used(path: tuple[str, ...], used: int) -> None:
    found = parse_dcgm(shared_file(*path).read_bytes(), cluster="k")

    assert (found.records, len(found.frame), found.steps_ignored, found.quarantined) == (used, used, 0, ())


def test_what_each_file_says_of_its_devices_is_read_under_every_spelling() -> None:
    said = {}
    for name, wanted in FILES.items():
        if wanted.used:
            frame = parse_dcgm(shared_file("data", "dcgm", name).read_bytes(), cluster="k").frame
            last = frame.row(-1, named=True)
            said[name[:2]] = (
                last["metric"].removeprefix("DCGM_FI_"),
                last["host"],
                last["gpu_index"],
                last["pod"],
                last["value"][0],
            )

    assert said == {
        "01": ("DEV_GPU_UTIL", "424773df46e0", "0", "", 0),
        "02": ("DEV_GPU_UTIL", "", "0", "", 440_000),
        "04": ("PROF_GR_ENGINE_ACTIVE", "ub20-a100-k8s", "0", "", 995_687),
        "05": ("PROF_GR_ENGINE_ACTIVE", "", "4", "d85np-t6mdg", 8_246),
        "07": ("PROF_GR_ENGINE_ACTIVE", "", "0", "gpu-workload-3", 714_000),
        "08": ("DEV_GPU_UTIL", "dcgm-exporter-6ldbb", "0", "", 0),
        "10": ("DEV_GPU_UTIL", "k8s-gpu1", "0", "", 0),
    }
