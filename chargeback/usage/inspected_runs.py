"""The answer of an inspection from what became of every record: the same for jobs of Slurm and pods of Kubernetes.

Not here: how runs and holds come about (inspect_sacct.py, inspect_pods.py).
"""

from collections.abc import Mapping
from zoneinfo import ZoneInfo

import polars as pl

from chargeback.usage.extract import ParsedExtract
from chargeback.usage.held_sums import sums_by, sums_by_month, total_of
from chargeback.usage.inspection import HOLDING, UNKNOWN, Inspection


def inspection_of(
    parsed: ParsedExtract,
    runs: pl.DataFrame,
    holds: pl.DataFrame,
    *,
    name: str,
    source: str,
    ignored: Mapping[str, int],
    billing_zone: ZoneInfo,
) -> Inspection:
    """Sum up runs and holds.

    Input:   runs with job_id, is_running, `seconds` and the `way` that each record went; contracts.holds with
             `account`; `ignored`: how many records went each way that bills nothing, nought where none did.
    """
    unknown, held = runs.filter(pl.col("way") == UNKNOWN), runs.filter(pl.col("way") == HOLDING)
    return Inspection(
        name=name,
        source=source,
        records=parsed.records,
        ignored={way: count for way, count in ignored.items() if count},
        quarantined=parsed.quarantined,
        unknown_gpu_count=tuple(unknown.select("job_id", "seconds").rows()),
        running=tuple(held.filter("is_running").select("job_id", "seconds").rows()),
        holds=len(held),
        gpu_seconds=total_of(holds),
        by_accelerator=sums_by(holds, "accelerator"),
        by_account=sums_by(holds, "account"),
        by_cluster=sums_by(holds, "cluster"),
        by_month=sums_by_month(holds, billing_zone),
    )
