"""The one table of spellings: what metrics and labels of GPU telemetry are called by exporters of all versions.

dcgm-exporter renamed metrics (1.x, then DCGM_FI_*, then whatever a site relabels to) and Prometheus renames labels that
clash with its own. Source: DCGM exporter and GPU telemetry guide; cases D05, D07, D19. Not here: units of values.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from chargeback.usage.dcgm_values import MEBIBYTES, MILLIJOULES, PER_CENT, RATIO, WATTS, Unit

SM_ACTIVE = "DCGM_FI_PROF_SM_ACTIVE"
GR_ENGINE_ACTIVE = "DCGM_FI_PROF_GR_ENGINE_ACTIVE"
GPU_UTIL = "DCGM_FI_DEV_GPU_UTIL"
POWER_USAGE = "DCGM_FI_DEV_POWER_USAGE"
TOTAL_ENERGY_CONSUMPTION = "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION"
FB_USED = "DCGM_FI_DEV_FB_USED"

UNIT_OF: Mapping[str, Unit] = {
    SM_ACTIVE: RATIO,
    GR_ENGINE_ACTIVE: RATIO,
    GPU_UTIL: PER_CENT,
    POWER_USAGE: WATTS,
    TOTAL_ENERGY_CONSUMPTION: MILLIJOULES,
    FB_USED: MEBIBYTES,
}
"""The metrics that are read, in the order of preference for activity, with what they are counted in."""

SPELLINGS: Mapping[str, tuple[str, ...]] = {
    SM_ACTIVE: ("DCGM_FI_PROF_SM_ACTIVE", "dcgm_fi_prof_sm_active", "dcgm_sm_active"),
    GR_ENGINE_ACTIVE: ("DCGM_FI_PROF_GR_ENGINE_ACTIVE", "dcgm_fi_prof_gr_engine_active", "dcgm_gr_engine_active"),
    GPU_UTIL: ("DCGM_FI_DEV_GPU_UTIL", "dcgm_fi_dev_gpu_util", "dcgm_gpu_utilization", "dcgm_gpu_util"),
    POWER_USAGE: ("DCGM_FI_DEV_POWER_USAGE", "dcgm_fi_dev_power_usage", "dcgm_power_usage"),
    TOTAL_ENERGY_CONSUMPTION: (
        "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION",
        "dcgm_fi_dev_total_energy_consumption",
        "dcgm_total_energy_consumption",
    ),
    FB_USED: ("DCGM_FI_DEV_FB_USED", "dcgm_fi_dev_fb_used", "dcgm_fb_used"),
}
"""Metric -> every name that it goes by."""

NAME_LABELS = ("__name__", "metric")

UUID_LABELS = ("UUID", "uuid", "gpu_uuid")
HOST_LABELS = ("node", "Hostname", "hostname", "instance")
"""`node` first: Prometheus adds it from what Kubernetes says, while an exporter's Hostname may be its pod's name."""
INDEX_LABELS = ("gpu", "index")
MINOR_LABELS = ("DCGM_FI_DEV_MINOR_NUMBER", "minor_number")
MODEL_LABELS = ("modelName", "model_name")
INSTANCE_LABELS = ("GPU_I_ID", "gpu_i_id")
PROFILE_LABELS = ("GPU_I_PROFILE", "gpu_i_profile")
JOB_LABELS = ("hpc_job",)

_CERTAIN = {
    "namespace": ("exported_namespace", "pod_namespace"),
    "pod": ("exported_pod", "pod_name"),
    "container": ("exported_container", "container_name"),
    "pod_uid": ("exported_pod_uid", "pod_uid"),
}
_CLASHING = ("namespace", "pod", "container")
"""Labels that both an exporter sets, of a workload, and Prometheus, of the exporter that it scrapes."""
_OF_A_TARGET = ("job", "service", "endpoint", "instance")

_METRIC_OF = {name.lower(): metric for metric, names in SPELLINGS.items() for name in names}


@dataclass(frozen=True, slots=True)
class Workload:
    """What labels say of the workload on a device; empty where they say nothing."""

    namespace: str
    pod: str
    container: str
    pod_uid: str
    hpc_job: str


def metric_called(name: str) -> str | None:
    """The metric that goes by a name, in any case; None for one that is not read."""
    return _METRIC_OF.get(name.lower())


def first_of(labels: Mapping[str, str], spellings: Sequence[str]) -> str:
    """The first of these labels that is there and says something; else the empty string."""
    return next((labels[name] for name in spellings if labels.get(name)), "")


def host_of(labels: Mapping[str, str]) -> str:
    """The host: `node`, else the exporter's host name, else the scraped address without its port."""
    named = first_of(labels, HOST_LABELS[:-1])
    return named or first_of(labels, HOST_LABELS[-1:]).rpartition(":")[0] or first_of(labels, HOST_LABELS[-1:])


def workload_of(labels: Mapping[str, str]) -> Workload:
    """The workload that labels name.

    Where a series was scraped by Prometheus or has any `exported_` label, the bare `pod`, `namespace` and `container`
    are those of the exporter, and name no workload (case D05). Several ids of `hpc_job` are sorted, each once.
    """
    is_scraped = any(name in labels for name in _OF_A_TARGET)
    is_renamed = any(name.startswith("exported_") for name in labels)
    bare = {} if is_scraped or is_renamed else labels
    said = {name: first_of(labels, spellings) for name, spellings in _CERTAIN.items()}
    for name in _CLASHING:
        said[name] = said[name] or bare.get(name, "")
    return Workload(**said, hpc_job=joined_jobs([first_of(labels, JOB_LABELS)]))


def joined_jobs(texts: Sequence[str]) -> str:
    """Job ids of several labels, each once, sorted, comma-separated: the map of one GPU may list many jobs."""
    return ",".join(sorted({job for text in texts for job in text.replace(",", " ").split()}))
