"""Contract of raw_workloads: what owns pods: Kueue Workloads, RayJobs, RayClusters, Jobs, ReplicaSets, PodGroups."""

import polars as pl

from chargeback.contracts.common_columns import (
    CLUSTER,
    DAY,
    EXTRACTED_AT,
    LINE,
    OBJECT,
    source_instant,
    source_text,
)
from chargeback.contracts.contract import Column, Contract

RAW_WORKLOADS = Contract(
    table="raw_workloads",
    grain="one row per workload object that existed on the day, as known when that day's facts last changed",
    key=("cluster", "day", "uid"),
    partitioned_by=("cluster", "day"),
    stage="raw",
    columns=(
        CLUSTER,
        DAY,
        Column("uid", pl.String(), "metadata.uid"),
        Column("kind", pl.String(), "kind: Workload (Kueue), RayJob, RayCluster, Job, ReplicaSet, PodGroup, ..."),
        Column("apiVersion", pl.String(), "apiVersion"),
        Column("namespace", pl.String(), "metadata.namespace"),
        Column("name", pl.String(), "metadata.name"),
        Column("labels", pl.String(), "metadata.labels as JSON with sorted keys"),
        source_text("ownerKind", "kind of the controlling owner"),
        source_text("ownerName", "name of the controlling owner"),
        source_text("ownerUid", "uid of the controlling owner"),
        source_text("queueName", "Kueue local queue, Volcano or KAI queue"),
        source_text("clusterQueue", "Kueue cluster queue that admitted it"),
        source_text("priorityClassName", "priority class"),
        source_text("rayClusterName", "cluster of a RayJob"),
        Column("minimum", pl.Int64(), "pods that must start together", "pods", nullable=True, minimum=0),
        source_instant("creationTimestamp", "metadata.creationTimestamp"),
        source_instant("admitted", "QuotaReserved became True; null while or when it is not"),
        Column(
            "quotaGpus",
            pl.Int64(),
            "GPUs of its podSetAssignments (count 0: none); a quota, not a hold",
            "devices",
            nullable=True,
            minimum=0,
        ),
        Column("quotaPods", pl.Int64(), "pods of its podSetAssignments", "pods", nullable=True, minimum=0),
        source_instant("ended", "Finished, completionTime or endTime"),
        Column(
            "lastSeen",
            EXTRACTED_AT.dtype,
            "last instant until the day's end at which it existed",
            "instant",
        ),
        source_instant("missingFrom", "first full listing of its kind after that without it"),
        OBJECT,
        LINE,
        EXTRACTED_AT,
    ),
    checks=("raw_workloads_readable",),
    schedulers=("kubernetes",),
)
