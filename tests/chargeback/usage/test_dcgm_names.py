"""The spellings of metrics and labels: one table for all of them."""

import pytest

from chargeback.usage import dcgm_names as names
from chargeback.usage.dcgm_names import Workload, first_of, host_of, metric_called, workload_of

EXPORTER = {"pod": "dcgm-exporter-x", "namespace": "monitoring", "container": "exporter"}
NOBODY = Workload("", "", "", "", "")


@pytest.mark.parametrize(
    "name, metric",
    [
        ("DCGM_FI_PROF_SM_ACTIVE", names.SM_ACTIVE),
        ("dcgm_fi_prof_gr_engine_active", names.GR_ENGINE_ACTIVE),
        ("dcgm_gpu_utilization", names.GPU_UTIL),
        ("dcgm_power_usage", names.POWER_USAGE),
        ("dcgm_total_energy_consumption", names.TOTAL_ENERGY_CONSUMPTION),
        ("DCGM_FI_DEV_FB_USED", names.FB_USED),
        ("DCGM_FI_DEV_FB_USED_PERCENT", None),
        ("DCGM_FI_DEV_GPU_TEMP", None),
    ],
)
def test_a_metric_is_known_under_the_names_of_all_versions(name: str, metric: str | None) -> None:
    assert metric_called(name) == metric


def test_every_spelling_leads_to_one_metric_that_has_a_unit() -> None:
    spelled = [(name, metric) for metric, spellings in names.SPELLINGS.items() for name in spellings]

    assert [(name, metric_called(name)) for name, _ in spelled] == spelled
    assert set(names.SPELLINGS) == set(names.UNIT_OF)


@pytest.mark.parametrize("label", ["UUID", "uuid", "gpu_uuid"])
def test_a_gpu_is_known_by_its_uuid_under_any_label(label: str) -> None:
    assert first_of({label: "GPU-1", "gpu": "0"}, names.UUID_LABELS) == "GPU-1"


@pytest.mark.parametrize(
    "labels, host",
    [
        ({"Hostname": "gpu01"}, "gpu01"),
        ({"hostname": "gpu01", "instance": "10.0.0.1:9400"}, "gpu01"),
        ({"instance": "gpu01.example.org:9400"}, "gpu01.example.org"),
        ({"instance": "gpu01"}, "gpu01"),
        ({"Hostname": "nvidia-dcgm-exporter-57pvc", "node": "aks-gpunp-vmss000000"}, "aks-gpunp-vmss000000"),
        ({"gpu": "0"}, ""),
    ],
)
def test_a_host_is_what_kubernetes_calls_the_node_else_what_the_exporter_calls_itself(
    labels: dict[str, str], host: str
) -> None:
    assert host_of(labels) == host


@pytest.mark.parametrize(
    "labels, workload",
    [
        ({"namespace": "ml", "pod": "p", "container": "c"}, Workload("ml", "p", "c", "", "")),
        ({"pod_namespace": "ml", "pod_name": "p", "container_name": "c"}, Workload("ml", "p", "c", "", "")),
        ({"exported_namespace": "ml", "exported_pod": "p", "exported_container": "c", **EXPORTER},
         Workload("ml", "p", "c", "", "")),
        ({"exported_pod": "p", "exported_pod_uid": "u", **EXPORTER}, Workload("", "p", "", "u", "")),
        ({"pod": "p", "namespace": "ml", "pod_uid": "u"}, Workload("ml", "p", "", "u", "")),
        ({"pod_name": "p", "pod_namespace": "ml", "instance": "x:9400", **EXPORTER}, Workload("ml", "p", "", "", "")),
        ({**EXPORTER, "job": "dcgm"}, NOBODY),
        ({**EXPORTER, "service": "dcgm"}, NOBODY),
        ({**EXPORTER, "endpoint": "metrics"}, NOBODY),
        ({**EXPORTER, "instance": "x:9400"}, NOBODY),
        ({"pod": "", "namespace": "", "container": ""}, NOBODY),
        ({"hpc_job": "4711", "job": "dcgm"}, Workload("", "", "", "", "4711")),
        ({"hpc_job": "9 10,9"}, Workload("", "", "", "", "10,9")),
    ],
)  # fmt: skip
def test_a_workload_is_what_the_exporter_names_and_never_the_exporter(
    labels: dict[str, str], workload: Workload
) -> None:
    assert workload_of(labels) == workload
