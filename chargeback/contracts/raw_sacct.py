"""Contract of raw_sacct: Slurm job records as the accounting database gave them. Step rows are counted, not kept."""

import polars as pl

from chargeback.contracts.common_columns import CLUSTER, DAY, EXTRACTED_AT, LINE, OBJECT, source_text
from chargeback.contracts.contract import INSTANT, Column, Contract

RAW_SACCT = Contract(
    table="raw_sacct",
    grain="one row per Slurm job run that overlaps the day, as known when that day's facts last changed",
    key=("cluster", "day", "JobIDRaw", "Submit", "Start"),
    partitioned_by=("cluster", "day"),
    stage="raw",
    columns=(
        CLUSTER,
        DAY,
        Column("JobIDRaw", pl.String(), "Slurm's raw job id; the displayed id where the extract has no raw one"),
        source_text("JobID", "job id as displayed: 8_3 for arrays, 19+1 for heterogeneous jobs"),
        source_text("SLUID", "globally unique id of newer Slurm versions"),
        source_text("DBIndex", "row id in the accounting database"),
        source_text("User", "user name"),
        source_text("Account", "account"),
        source_text("WCKey", "workload characterisation key"),
        source_text("QOS", "quality of service"),
        source_text("Partition", "Slurm partition"),
        source_text("JobName", "job name; bytes that are no UTF-8 are replaced"),
        Column("State", pl.String(), "base state, upper case, without `by UID`"),
        source_text("Reason", "reason of the state"),
        Column("Submit", INSTANT, "submission", "instant", nullable=True),
        Column("Eligible", INSTANT, "eligible to run", "instant", nullable=True),
        Column("Start", INSTANT, "start of the run; null if it never started", "instant", nullable=True),
        Column("End", INSTANT, "end of the run; null while it runs or waits", "instant", nullable=True),
        Column("ElapsedRaw", pl.Int64(), "run time without suspension", "seconds", nullable=True, minimum=0),
        Column("Suspended", pl.Int64(), "time suspended", "seconds", nullable=True, minimum=0),
        Column(
            "TimelimitRaw", pl.Int64(), "time limit; null if none or unlimited", "seconds", nullable=True, minimum=0
        ),
        source_text("AllocTRES", "what was granted, as key=value text"),
        source_text("ReqTRES", "what was asked for, as key=value text"),
        source_text("NodeList", "folded host list"),
        Column("NNodes", pl.Int64(), "number of hosts", "hosts", nullable=True, minimum=0),
        source_text("Reservation", "reservation that the run used"),
        source_text("Exclusive", "whole-node allocation, where the version says so"),
        source_text("SubmitLine", "command that submitted it"),
        source_text("Flags", "flags of the record"),
        source_text("ExitCode", "exit code"),
        Column(
            "started_until",
            INSTANT,
            "End, else the last instant at which the run was observed running",
            "instant",
            nullable=True,
        ),
        Column("partition_has_gpus", pl.Boolean(), "some landed record of this partition got or asked for gres/gpu"),
        Column("has_replaced_bytes", pl.Boolean(), "invalid UTF-8 was replaced in this record"),
        OBJECT,
        LINE,
        EXTRACTED_AT,
    ),
    checks=("raw_sacct_valid",),
    schedulers=("slurm",),
)
