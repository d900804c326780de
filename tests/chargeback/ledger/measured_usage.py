"""Rated usage with telemetry, written as a table of GPU-hours, for the tests of utilisation and waste."""

from decimal import Decimal

import polars as pl

from chargeback.contracts.rated_usage import RATED_USAGE
from chargeback.ledger.node_sizes import NODE_SIZES
from tests.tables import a_table_of

HOUR = 3_600_000

MONTH = """
    run  day         host   workload     workload_class  user   team    idle  starved  busy  unmeasured  after_end  gpus  never
    t1   2026-03-02  gpu01  sweep-a      batch           ana01  Vision  40    1000     360   0           0          64    0
    t1   2026-03-03  gpu01  sweep-a      batch           ana01  Vision  0     0        600   0           0          64    0
    n1   2026-03-02  gpu02  Notebook/n9  interactive     kim03  Vision  410   0        20    0           0          1     0
    s1   2026-03-04  gpu02  Deploy/chat  service         li02   Vision  5     10       500   85          0          4     1
    r1   2026-03-05  gpu03  RayJob/fit   batch           bo04   NLP     30    0        50    0           24         8     3
    p1   2026-03-06  gpu03  Job/pull     batch           bo04   NLP     3     0        0     2           0          2     2
    u1   2026-03-07  gpu04  Job/dark     batch           cy05   NLP     0     0        0     70          0          0     0
"""  # noqa: E501
"""Held 3,185 GPU-hours: busy 1,530, starved 1,010, idle 488, unmeasured 157."""


def measured_usage(text: str = MONTH, *, part: str = "1/1", price: str = "2.00", **columns: object) -> pl.DataFrame:
    """contracts.rated_usage from whole GPU-hours in each state; `p1` never started; what is unlabelled is common."""
    lines = [line.split() for line in text.strip().splitlines()]
    header, rows = lines[0], lines[1:]
    numerator, denominator = (int(number) for number in part.split("/"))
    records = []
    for row in (dict(zip(header, line, strict=True)) for line in rows):
        states = {state: int(row[state]) * HOUR for state in ("idle", "starved", "busy", "unmeasured")}
        held = sum(states.values()) // 1000
        records.append(
            {
                **{name: row[name] for name in ("run", "day", "host", "workload", "workload_class", "user", "team")},
                **{f"{state}_unit_milliseconds": value for state, value in states.items()},
                "active_unit_milliseconds": states["busy"],
                "consumed_unit_ppm_milliseconds": Decimal(states["busy"] * 800_000),
                "after_end_unit_seconds": int(row["after_end"]) * 3600,
                "gpu_seconds_numerator": held * numerator,
                "gpu_seconds_denominator": denominator,
                "quantity_numerator": held * numerator,
                "quantity_denominator": denominator,
                "part_numerator": numerator,
                "part_denominator": denominator,
                "gpus_measured": int(row["gpus"]),
                "gpus_never_active": int(row["never"]),
                "has_started": row["run"] != "p1",
                "account": f"{row['team'].lower()}-lab",
                "job_id": row["run"],
                "cluster": "slurm-a" if row["host"] in ("gpu01", "gpu04") else "k8s-b",
                **COMMON,
                "price": Decimal(price),
                **columns,
            }
        )
    filled = a_table_of(RATED_USAGE, "run\n" + "x\n" * len(records))
    given = pl.DataFrame(records, schema={name: RATED_USAGE.schema[name] for name in records[0]})
    return filled.with_columns(given).select(RATED_USAGE.column_names)


def sizes_of(rated: pl.DataFrame, *, gpus: int = 8) -> pl.DataFrame:
    """node_sizes in which every host of the usage has so many GPUs."""
    places = rated.select("cluster", "day", "host").unique()
    return places.with_columns(
        node_gpus_numerator=pl.lit(gpus, pl.Int64), node_gpus_denominator=pl.lit(1, pl.Int64)
    ).select(pl.col(name).cast(dtype) for name, dtype in NODE_SIZES.items())


COMMON = {
    "month": "2026-03", "accelerator": "h100-sxm5-80gb", "sharing": "whole", "tier": "standard", "cost_centre": "4711",
    "project": "p", "company": "C1", "kind": "allocation", "job_name": "job", "is_running": False,
    "quantity_unit": "GPU-second", "currency": "EUR", "card_version": "2026.1", "units_per_gpu": 1,
    "is_estimate": False,
}  # fmt: skip
"""What every row says alike."""
