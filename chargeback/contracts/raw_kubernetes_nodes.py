"""Contract of raw_kubernetes_nodes: Kubernetes node records, the inventory that capacity is counted from."""

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
from chargeback.contracts.contract import INSTANT, Column, Contract
from chargeback.contracts.kubernetes_columns import CREATED, LABELS, UID

RAW_KUBERNETES_NODES = Contract(
    table="raw_kubernetes_nodes",
    grain="one row per node and stretch of the day in which its record says the same",
    key=("cluster", "day", "name", "statedFrom"),
    partitioned_by=("cluster", "day"),
    stage="raw",
    columns=(
        CLUSTER,
        DAY,
        Column("name", pl.String(), "metadata.name: the host"),
        UID,
        Column("statedFrom", INSTANT, "start of the stretch, cut to the day", "instant"),
        Column("statedUntil", INSTANT, "its end, exclusive, cut to the day", "instant"),
        LABELS,
        Column("capacity", pl.String(), "status.capacity as JSON with sorted keys"),
        Column("allocatable", pl.String(), "status.allocatable as JSON with sorted keys"),
        Column("unschedulable", pl.Boolean(), "spec.unschedulable: cordoned"),
        source_instant("cordonedSince", "timeAdded of the unschedulable taint"),
        source_text("ready", "status of the Ready condition: True, False, Unknown"),
        source_instant("readySince", "its last transition"),
        CREATED,
        OBJECT,
        LINE,
        EXTRACTED_AT,
    ),
    checks=("raw_kubernetes_nodes_readable",),
    schedulers=("kubernetes",),
)
