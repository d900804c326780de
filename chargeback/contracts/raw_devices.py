"""Contract of raw_devices: GPUs and MIG instances that telemetry saw, with the workload labels that stood on them."""

import polars as pl

from chargeback.contracts.common_columns import CLUSTER, DAY, HOST, source_text
from chargeback.contracts.contract import INSTANT, Column, Contract


def _label(name: str, meaning: str) -> Column:
    return Column(name, pl.String(), f"{meaning}; empty if none. Labels can be stale: they are evidence, not truth")


def _count(name: str, meaning: str) -> Column:
    return Column(name, pl.Int64(), meaning, "samples", minimum=0)


RAW_DEVICES = Contract(
    table="raw_devices",
    grain="one row per device and stretch in which it carried the same workload labels",
    key=("cluster", "day", "device", "namespace", "pod", "container", "pod_uid", "hpc_job", "seen_from"),
    partitioned_by=("cluster", "day"),
    stage="raw",
    columns=(
        CLUSTER,
        DAY,
        Column("device", pl.Int32(), "its number on this day, by order of host, gpu, gpu_instance", minimum=0),
        HOST,
        Column("gpu", pl.String(), "UUID of the GPU"),
        Column("gpu_instance", pl.String(), "GPU instance id of a MIG slice; empty for a whole GPU. Ids are reused"),
        Column("slice_profile", pl.String(), "MIG profile; empty for a whole GPU"),
        source_text("gpu_index", "index that the exporter counts by (label gpu): NVML's, not the minor number"),
        Column("minor", pl.Int64(), "minor number, where the exporter says it", nullable=True, minimum=0),
        source_text("model", "product, as the exporter names it"),
        source_text("activity_metric", "metric that active_ppm of raw_samples was read from; null if there was none"),
        _label("namespace", "namespace of the pod"),
        _label("pod", "pod"),
        _label("container", "container"),
        _label("pod_uid", "uid of the pod"),
        _label("hpc_job", "Slurm job id of a job map; several, comma-separated, where they share the device"),
        Column("seen_from", INSTANT, "first sample with these labels", "instant"),
        Column("seen_until", INSTANT, "last sample with these labels", "instant"),
        _count("samples", "instants of this stretch that have a row in raw_samples"),
        _count("sentinels", "values that mean `no value`: missing"),
        _count("impossible", "values that cannot be: missing"),
        _count("duplicates", "values said twice, by a job map or a second exporter: collapsed"),
        _count("conflicts", "values said twice and differently at one instant: refused, missing"),
        _count("parent_values", "values of the whole GPU beside those of its slices: ignored; on its first slice"),
    ),
    checks=("telemetry_trustworthy",),
)
