"""Contract of raw_pods: Kubernetes pods as the API showed them, and when they were last seen and first missing."""

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

RAW_PODS = Contract(
    table="raw_pods",
    grain="one row per pod that waited or was bound on the day, as known when that day's facts last changed",
    key=("cluster", "day", "uid"),
    partitioned_by=("cluster", "day"),
    stage="raw",
    columns=(
        CLUSTER,
        DAY,
        UID,
        NAMESPACE,
        Column("name", pl.String(), "metadata.name; a later pod may have the same"),
        source_text("nodeName", "spec.nodeName"),
        LABELS,
        Column("annotations", pl.String(), "metadata.annotations as JSON with sorted keys, without last-applied"),
        *OWNER,
        source_text("serviceAccountName", "spec.serviceAccountName"),
        source_text("schedulerName", "spec.schedulerName"),
        source_text("priorityClassName", "spec.priorityClassName"),
        source_text("restartPolicy", "spec.restartPolicy"),
        source_text("schedulingGroup", "spec.schedulingGroup.podGroupName"),
        Column("tty", pl.Boolean(), "a container has a terminal and standard input"),
        Column("activeDeadlineSeconds", pl.Int64(), "declared limit", "seconds", nullable=True, minimum=0),
        Column(
            "containers",
            pl.String(),
            "containers as JSON, in order: name, kind (main, init, sidecar), limits, requests, claims",
        ),
        Column("resourceClaims", pl.String(), "claims as JSON: name in the pod -> name of the ResourceClaim"),
        source_text("phase", "status.phase"),
        source_text("reason", "status.reason"),
        source_text("unschedulableReason", "reason of PodScheduled = False"),
        CREATED,
        source_instant("scheduled", "PodScheduled became True: a host's GPUs are reserved from here"),
        source_instant("containersStarted", "first main container started: its image had been pulled"),
        source_instant("ready", "Ready became True, last time"),
        source_instant("finished", "last container finished, if all have for good"),
        source_text("exitReason", "reason of the container that decided the end: Completed, Error, OOMKilled"),
        source_instant("disrupted", "DisruptionTarget became True, or the time of the eviction"),
        source_text("disruptionReason", "reason of DisruptionTarget: PreemptionByScheduler, TerminationByKubelet"),
        source_instant("deletionTimestamp", "metadata.deletionTimestamp"),
        source_instant("deleted", "instant of a DELETED watch event"),
        LAST_SEEN,
        MISSING_FROM,
        OBJECT,
        LINE,
        EXTRACTED_AT,
    ),
    checks=("raw_pods_readable",),
    schedulers=("kubernetes",),
)
