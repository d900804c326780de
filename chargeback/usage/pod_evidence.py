"""What says which GPUs a pod has: DRA claims, the kubelet's PodResources, annotations of fractional schedulers, labels.

Every function returns CLAIMS (binding_evidence.py). Not here: which of them holds (binding_conflicts.py).
"""

import polars as pl

from chargeback.usage.binding_evidence import claimed, labelled_during
from chargeback.usage.device_ids import gpu_or_slice, known_devices, named_gpu

ALLOCATED_ANNOTATIONS = ("hami.io/vgpu-devices-allocated", "volcano.sh/vgpu-ids-new")
"""`UUID,type,MiB,cores` of each device, `:` after each, `;` between containers."""

RESERVED_DEVICE = "run.ai/reserve_for_gpu_index"
"""Annotation of a reservation pod of KAI or Run:ai: the UUID of the GPU that it keeps for a group."""

_GROUP_LABELS = r'"runai-gpu-group(?:/[^"]*)?":\s*"[^"]*"'


def claimed_devices(
    holds: pl.DataFrame, raw_claims: pl.DataFrame, raw_slices: pl.DataFrame, raw_devices: pl.DataFrame
) -> pl.DataFrame:
    """Devices of the ResourceClaims that the pod has, by the UUIDs that their driver publishes; never adminAccess."""
    claims = raw_claims.filter(pl.col("kind") == "ResourceClaim", ~pl.col("adminAccess"))
    slices = raw_slices.select("driver", "pool", "device", id="uuid", parent="parentUUID", profile="profile")
    named = claims.join(slices, on=["driver", "pool", "device"], how="inner", validate="m:1")
    return claimed(_of_pods(holds, _resolved(named, raw_devices)).unique(["hold", "gpu"]), "DRA claim")


def pod_resources(
    holds: pl.DataFrame, raw_claims: pl.DataFrame, raw_slices: pl.DataFrame, raw_devices: pl.DataFrame
) -> pl.DataFrame:
    """Device ids that the kubelet gave the pod's containers; several replicas of a GPU count as several devices."""
    given = raw_claims.filter(pl.col("kind") == "PodResources").with_columns(id=named_gpu(pl.col("device")))
    slices = raw_slices.drop_nulls("uuid").unique("uuid", keep="first", maintain_order=True)
    slices = slices.select(id="uuid", parent="parentUUID", profile="profile")
    named = given.join(slices, on="id", how="left", validate="m:1")
    found = _of_pods(holds, _resolved(named, raw_devices)).unique(["hold", "gpu", "device"])
    return claimed(found.group_by("hold", "gpu").agg(devices=pl.len().cast(pl.Int64)), "PodResources")


def allocated_by_annotation(holds: pl.DataFrame, raw_pods: pl.DataFrame) -> pl.DataFrame:
    """UUIDs that HAMi or Volcano wrote on the pod when they placed it."""
    texts = [pl.col("annotations").str.json_path_match(f"$['{name}']") for name in ALLOCATED_ANNOTATIONS]
    placed = raw_pods.select(run="uid", id=pl.coalesce(texts)).drop_nulls("id")
    each = placed.with_columns(pl.col("id").str.split(";")).explode("id").with_columns(pl.col("id").str.split(":"))
    uuid = named_gpu(pl.col("id").str.split(",").list.first())
    named = each.explode("id").with_columns(gpu=uuid).filter(pl.col("gpu") != "")
    found = holds.select("hold", "run").join(named, on="run", how="inner", validate="m:m")
    return claimed(found.group_by("hold", "gpu").agg(devices=pl.len().cast(pl.Int64)), "vGPU annotation")


def shared_by_group(
    holds: pl.DataFrame,
    reservations: pl.Series,
    raw_pods: pl.DataFrame,
    raw_claims: pl.DataFrame,
    raw_devices: pl.DataFrame,
) -> pl.DataFrame:
    """The GPU that a reservation pod of KAI or Run:ai keeps for the group that the pod is in, where it is known.

    `reservations` are the runs that hold nothing themselves: what a pod says of itself does not make it one.
    """
    groups = pl.col("labels").str.extract_all(_GROUP_LABELS)
    grouped = raw_pods.with_columns(group=groups).explode("group").drop_nulls("group")
    grouped = grouped.with_columns(pl.col("group").str.extract(r':\s*"([^"]*)"$'))
    reserves = pl.col("uid").is_in(reservations.implode())
    kept = _reserved_gpus(grouped.filter(reserves), raw_claims, raw_devices)
    known = kept.filter(pl.len().over("group") == 1)
    users = grouped.filter(~reserves).select("group", run="uid")
    found = users.join(known, on="group", how="inner", validate="m:1").join(
        holds.select("hold", "run"), on="run", how="inner", validate="m:m"
    )
    return claimed(found.unique(["hold", "gpu"]), "vGPU annotation")


def pod_labels(holds: pl.DataFrame, raw_devices: pl.DataFrame) -> pl.DataFrame:
    """Pods that the exporter named, by uid where it says one, where the label stood during the hold."""
    labelled = raw_devices.filter(pl.col("pod") != "").select(
        gpu_or_slice(), "pod_uid", "seen_from", "seen_until",
        job_id=pl.concat_str("namespace", "pod", separator="/"),
    )  # fmt: skip
    held = holds.select("hold", "run", "job_id", "held_from", "held_until")
    by_uid = held.join(labelled, left_on="run", right_on="pod_uid", how="inner", validate="m:m")
    by_name = held.join(labelled.filter(pl.col("pod_uid") == ""), on="job_id", how="inner", validate="m:m")
    columns = ("hold", "gpu", "held_from", "held_until", "seen_from", "seen_until")
    return labelled_during(pl.concat([by_uid.select(columns), by_name.select(columns)]), "pod labels")


def _of_pods(holds: pl.DataFrame, granted: pl.DataFrame) -> pl.DataFrame:
    """Join holds with what their pods were granted: by uid, else by namespace and name."""
    by_name = granted.filter(pl.col("podUid") == "").with_columns(
        job_id=pl.concat_str("namespace", "podName", separator="/")
    )
    held = holds.select("hold", "run", "job_id")
    columns = ("hold", "gpu", "device")
    return pl.concat(
        [
            held.join(granted, left_on="run", right_on="podUid", how="inner", validate="m:m").select(columns),
            held.join(by_name, on="job_id", how="inner", validate="m:m").select(columns),
        ]
    )


def _resolved(named: pl.DataFrame, raw_devices: pl.DataFrame) -> pl.DataFrame:
    """Rows with `id`, `parent` and `profile` with their `gpu`; those whose slice cannot be told are left out.

    A MIG UUID does not say its instance id: it is the one instance of that profile that telemetry knows on its GPU.
    """
    instances = known_devices(raw_devices).filter(pl.col("slice_profile") != "").select("gpu", "slice_profile").unique()
    instances = instances.with_columns(parent=pl.col("gpu").str.split("/").list.first())
    only = instances.filter(pl.len().over("parent", "slice_profile") == 1).rename({"gpu": "slice"})
    return (
        named.join(
            only, left_on=["parent", "profile"], right_on=["parent", "slice_profile"], how="left", validate="m:1"
        )
        .with_columns(gpu=pl.coalesce("slice", pl.when(~pl.col("id").str.starts_with("MIG-")).then("id")))
        .drop_nulls("gpu")
    )


def _reserved_gpus(reservations: pl.DataFrame, raw_claims: pl.DataFrame, raw_devices: pl.DataFrame) -> pl.DataFrame:
    """group, gpu: by the reservation pod's annotation, the kubelet, or the exporter."""
    said = pl.col("annotations").str.json_path_match(f"$['{RESERVED_DEVICE}']")
    annotated = reservations.select("group", gpu=pl.when(said.str.starts_with("GPU-")).then(said)).drop_nulls("gpu")
    given = raw_claims.filter(pl.col("kind") == "PodResources").select(
        "namespace", "podName", gpu=named_gpu(pl.col("device"))
    )
    labelled = raw_devices.filter(pl.col("gpu_instance") == "").select("namespace", podName="pod", gpu="gpu")
    by_name = pl.concat([given, labelled])
    joined = reservations.join(
        by_name, left_on=["namespace", "name"], right_on=["namespace", "podName"], how="inner", validate="m:m"
    )
    return pl.concat([annotated, joined.select("group", "gpu")]).unique()
