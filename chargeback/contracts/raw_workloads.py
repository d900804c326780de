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
from chargeback.contracts.kubernetes_columns import CREATED, LABELS, LAST_SEEN, MISSING_FROM, NAMESPACE, OWNER, UID

RAW_WORKLOADS = Contract(
    table="raw_workloads",
    grain="one row per workload object that existed on the day, as known when that day's facts last changed",
    key=("cluster", "day", "uid"),
    partitioned_by=("cluster", "day"),
    stage="raw",
    columns=(
        CLUSTER,
        DAY,
        UID,
        Column("kind", pl.String(), "kind: Workload (Kueue), RayJob, RayCluster, Job, ReplicaSet, PodGroup, ..."),
        Column("apiVersion", pl.String(), "apiVersion"),
        NAMESPACE,
        Column("name", pl.String(), "metadata.name"),
        LABELS,
        *OWNER,
        source_text("queueName", "Kueue local queue, Volcano or KAI queue"),
        source_text("clusterQueue", "Kueue cluster queue that admitted it"),
        source_text("priorityClassName", "priority class"),
        source_text("rayClusterName", "cluster of a RayJob"),
        Column("minimum", pl.Int64(), "pods that must start together", "pods", nullable=True, minimum=0),
        CREATED,
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
        LAST_SEEN,
        MISSING_FROM,
        OBJECT,
        LINE,
        EXTRACTED_AT,
    ),
    checks=("raw_workloads_readable",),
    schedulers=("kubernetes",),
)
