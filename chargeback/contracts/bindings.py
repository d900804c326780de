"""Contract of bindings: which GPUs and slices a hold has, and what says so. A hold without one is unbound."""

import polars as pl

from chargeback.contracts.common_columns import ACCELERATOR, CLUSTER, DAY, HOST, RUN, SHARING, UNITS_PER_GPU
from chargeback.contracts.contract import INSTANT, Column, Contract

EVIDENCE = (
    "prolog map",
    "DRA claim",
    "PodResources",
    "vGPU annotation",
    "scontrol index",
    "hpc_job",
    "pod labels",
    "whole node",
)
"""Strongest first: where two holds claim one GPU, the stronger evidence has it."""

BINDINGS = Contract(
    table="bindings",
    grain="one row per hold and GPU or slice that it has",
    key=("cluster", "day", "run", "host", "accelerator", "sharing", "held_from", "gpu"),
    partitioned_by=("cluster", "day"),
    stage="usage",
    columns=(
        CLUSTER,
        DAY,
        RUN,
        HOST,
        ACCELERATOR,
        SHARING,
        Column("held_from", INSTANT, "start of the hold, as in holds", "instant"),
        Column("held_until", INSTANT, "end of the hold, as in holds; exclusive", "instant"),
        Column("gpu", pl.String(), "UUID of the GPU; UUID/instance id of a MIG slice: GPU-1a2b/7"),
        Column("device", pl.Int32(), "its number in raw_devices; null if unseen", nullable=True, minimum=0),
        Column("share_units", pl.Int64(), "physical part of the GPU that the hold has of it, numerator", minimum=1),
        UNITS_PER_GPU,
        Column("evidence", pl.String(), "what says so", values=EVIDENCE),
        Column("is_estimate", pl.Boolean(), "the device is shared: what it did is split by share"),
    ),
    checks=("bindings_within_holds", "bindings_exclusive", "labels_agree"),
)
