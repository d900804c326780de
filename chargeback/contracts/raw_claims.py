"""Contract of raw_claims: devices that pods were granted by name: DRA ResourceClaims, kubelet PodResources."""

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
from chargeback.contracts.kubernetes_columns import CREATED, LAST_SEEN, MISSING_FROM

RAW_CLAIMS = Contract(
    table="raw_claims",
    grain="one row per granted device and pod that has it on the day, as known when that day's facts last changed",
    key=("cluster", "day", "kind", "namespace", "name", "podName", "podUid", "request", "driver", "pool", "device"),
    partitioned_by=("cluster", "day"),
    stage="raw",
    columns=(
        CLUSTER,
        DAY,
        Column("kind", pl.String(), "what says so", values=("ResourceClaim", "PodResources")),
        Column("namespace", pl.String(), "namespace"),
        Column("name", pl.String(), "name of the claim; empty for PodResources"),
        Column("podName", pl.String(), "pod; empty while nobody has the claim"),
        Column("podUid", pl.String(), "its uid; empty where the source does not say"),
        Column("request", pl.String(), "request of the claim; container for PodResources"),
        Column("driver", pl.String(), "DRA driver; resource name for PodResources"),
        Column("pool", pl.String(), "DRA pool; empty for PodResources"),
        Column("device", pl.String(), "name in the pool; device id for PodResources"),
        Column("adminAccess", pl.Boolean(), "monitoring: never charged"),
        source_text("shareID", "share of a device that several claims have"),
        source_text("consumedCapacity", "capacity taken of a shared device, as JSON"),
        source_instant("allocated", "allocationTimestamp"),
        CREATED,
        LAST_SEEN,
        MISSING_FROM,
        OBJECT,
        LINE,
        EXTRACTED_AT,
    ),
    checks=("raw_claims_resolved",),
    schedulers=("kubernetes",),
)
