"""Queue, user, tier and gang of a pod, from what schedulers and controllers put on it.

Not here: its owners (kubernetes_workload.py), which team pays (pricing/owners.py).
"""

from collections.abc import Mapping

import polars as pl

from chargeback.usage.json_texts import picked

STANDARD_TIER = "standard"

KUEUE_QUEUES = ("kueue.x-k8s.io/queue-name", "kueue.x-k8s.io/local-queue-name")
SCHEDULER_QUEUES = ("kai.scheduler/queue", "runai/queue", "scheduling.volcano.sh/queue-name", "volcano.sh/queue-name")
GROUPS = (
    "scheduling.x-k8s.io/pod-group",
    "pod-group.scheduling.x-k8s.io/name",
    "pod-group.scheduling.sigs.k8s.io/name",
    "pod-group-name",
    "scheduling.k8s.io/group-name",
    "scheduling.volcano.sh/group-name",
    "kueue.x-k8s.io/pod-group-name",
    "kueue.x-k8s.io/workload",
)
FROM_LABELS = {
    "kueue_queue": KUEUE_QUEUES,
    "scheduler_queue": SCHEDULER_QUEUES,
    "label_user": ("determined.ai/user", "hub.jupyter.org/username"),
    "label_group": GROUPS,
}
FROM_ANNOTATIONS = {
    "annotation_queue": SCHEDULER_QUEUES,
    "annotation_user": ("ceems.io/created-by", "hub.jupyter.org/username"),
    "annotation_group": GROUPS,
    "group_total": ("kueue.x-k8s.io/pod-group-total-count",),
}
NO_USER = ("invalid_value", "")
"""What Determined writes for a user whose name is no label."""


def with_attributes(pods: pl.DataFrame, raw_workloads: pl.DataFrame, *, tiers: Mapping[str, str]) -> pl.DataFrame:
    """Add queue, user, tier, group and group_minimum.

    Input:   contracts.raw_pods; contracts.raw_workloads of the same day; `tiers` maps a PriorityClass, a queue, or
             namespace/queue, to a tier.
    Output:  `queue`: Kueue's, else that of KAI, Run:ai or Volcano on pods that another than the default scheduler
             placed, else that of its Kueue Workload or PodGroup. `tier`: by PriorityClass, else by queue, else
             standard. `group_minimum`: pods of the group that must start together.
    Source:  design.md 2 "tier"; field-map.
    """
    read = pods.join(picked(pods["labels"], FROM_LABELS), left_on="labels", right_on="text", how="left", validate="m:1")
    read = read.join(
        picked(pods["annotations"], FROM_ANNOTATIONS), left_on="annotations", right_on="text", how="left",
        validate="m:1",
    )  # fmt: skip
    is_special = (pl.col("schedulerName") != "default-scheduler").fill_null(True)
    grouped = read.with_columns(
        group=pl.coalesce("schedulingGroup", "label_group", "annotation_group"),
        user=pl.coalesce("annotation_user", pl.when(~pl.col("label_user").is_in(NO_USER)).then("label_user")),
    ).join(_gangs(raw_workloads), on=["namespace", "group"], how="left", validate="m:1", nulls_equal=False)
    queued = grouped.join(_quotas(raw_workloads), on="ownerUid", how="left", validate="m:1").with_columns(
        queue=pl.coalesce(
            "kueue_queue",
            pl.when(is_special).then(pl.coalesce("scheduler_queue", "annotation_queue")),
            "gang_queue",
            "quota_queue",
        ),
        group_minimum=pl.coalesce("minimum", pl.col("group_total").cast(pl.Int64, strict=False)),
    )
    return queued.with_columns(
        tier=pl.coalesce(
            _mapped(pl.col("priorityClassName"), tiers),
            _mapped(pl.concat_str("namespace", "queue", separator="/"), tiers),
            _mapped(pl.col("queue"), tiers),
            pl.lit(STANDARD_TIER),
        ),
        group_minimum=pl.when(pl.col("group_minimum") > 0).then("group_minimum"),
    ).drop(*FROM_LABELS, *FROM_ANNOTATIONS, "minimum", "gang_queue", "quota_queue")


def _gangs(raw_workloads: pl.DataFrame) -> pl.DataFrame:
    """namespace, group, minimum and gang_queue of PodGroups and Kueue Workloads."""
    gangs = raw_workloads.filter(pl.col("kind").is_in(["PodGroup", "Workload"])).sort("kind", "uid")
    return gangs.group_by("namespace", group="name").agg(
        minimum=pl.col("minimum").drop_nulls().first(), gang_queue=pl.col("queueName").drop_nulls().first()
    )


def _quotas(raw_workloads: pl.DataFrame) -> pl.DataFrame:
    """ownerUid and quota_queue: the queue in which Kueue admitted what owns the pod."""
    admitted = raw_workloads.filter(pl.col("ownerUid").is_not_null(), pl.col("queueName").is_not_null()).sort("uid")
    by_workload = admitted.filter(pl.col("kind") == "Workload").select("ownerUid", quota_queue="queueName")
    own = raw_workloads.filter(pl.col("kind") != "Workload", pl.col("queueName").is_not_null()).select(
        ownerUid="uid", quota_queue="queueName"
    )
    return pl.concat([by_workload, own]).unique("ownerUid", keep="first", maintain_order=True)


def _mapped(key: pl.Expr, tiers: Mapping[str, str]) -> pl.Expr:
    return key.replace_strict(dict(tiers), default=None, return_dtype=pl.String)
