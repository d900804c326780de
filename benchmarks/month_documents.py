"""Statements and FOCUS rows of one month of rated usage: CPU seconds and peak memory for each million of its rows.

`make bench`, or smaller: python -m benchmarks.month_documents --rows 300000. The month is a Parquet file, read as the
lake reads a partition. Each stage runs in a process of its own, since a process has one peak; the limit reads the same
file and adds every column up. Printed with it, the digest of what came out: a change of how it is computed leaves it.
Not here: re-rating a year (rerating.py).
"""

import argparse
import hashlib
import multiprocessing
import resource
import tempfile
import time
from collections.abc import Callable, Sequence
from decimal import Decimal
from pathlib import Path
from zoneinfo import ZoneInfo

import polars as pl
from rich.console import Console
from rich.table import Table

from benchmarks.rerating import a_card
from chargeback.billing_period import BillingPeriod
from chargeback.contracts.contract import PRICE
from chargeback.contracts.rated_usage import RATED_USAGE
from chargeback.ledger.capacity_totals import CAPACITY_TOTALS
from chargeback.ledger.charges import charge_lines
from chargeback.ledger.focus_rows import focus_rows
from chargeback.ledger.focus_terms import FocusTerms
from chargeback.ledger.node_sizes import NODE_SIZES
from chargeback.ledger.statement_document import PARALLEL, Coverage, statement_id_of
from chargeback.ledger.statements import statement_rows
from chargeback.money import Currency
from chargeback.pricing.uncharged_runs import UNCHARGED

ROWS = 1_000_000
MILLION = 1_000_000
MONTH = "2026-10"
EUR = Currency("EUR")
TERMS = FocusTerms(
    period=BillingPeriod(MONTH, ZoneInfo("UTC")), currency="EUR", mode="enforced", provider="GPU platform",
    host_provider="GPU platform", region="on-premises", region_name="on-premises", billing_account="C1",
    billing_account_name="C1", schedulers={"slurm-a": "slurm", "k8s-b": "kubernetes"}, payment_terms="none",
)  # fmt: skip


def month_written(file: Path, *, rows: int) -> None:
    """contracts.rated_usage of one month: eight rows a run, 40 teams of ten users, a ninth of the runs on a third of
    a GPU, a twentieth split between two owners, telemetry of most."""
    at = pl.col("at")
    run, place = at // 8, at % 8
    held = 3_600 * (1 + at * 104_729 % 23)
    milliseconds = held * 1000
    units = pl.when(run % 9 == 0).then(3).otherwise(1)
    part = pl.when(run % 20 == 0).then(2).otherwise(1)
    idle, starved = milliseconds * (at % 5) // 10, milliseconds * (at % 3) // 10
    is_seen = run % 11 > 0
    columns = {
        "month": pl.lit(MONTH),
        "cluster": _one_of(("slurm-a", "k8s-b"), run % 2),
        "day": pl.format(f"{MONTH}-{{}}", (1 + (run + place) % 28).cast(pl.String).str.zfill(2)),
        "run": pl.format("{}@2026-10-01T00:00:00Z", run),
        "host": pl.format("gpu{}", run * 7_919 % 10_000),
        "accelerator": _one_of(("h100-sxm5-80gb", "a100-sxm4-80gb"), run // 2 % 2),
        "sharing": pl.when(run % 9 == 0).then(pl.lit("time-slicing")).otherwise(pl.lit("whole")),
        "tier": _one_of(("standard", "preemptible"), run // 4 % 2),
        "team": pl.format("team-{}", run // 12 % 40),
        "cost_centre": pl.format("{}", 4_700 + run // 12 % 40),
        "project": pl.format("project-{}", run // 12 % 120),
        "company": pl.lit("C1"),
        "customer_class": pl.lit(""),
        "kind": pl.lit("allocation"),
        "account": pl.format("account-{}", run // 12 % 80),
        "owner_kind": pl.lit("account"),
        "user": pl.format("user-{}", run // 12 % 400),
        "job_id": run.cast(pl.String),
        "job_name": pl.format("train-{}", run // 12 % 4_000),
        "workload": pl.format("job/train-{}", run // 12 % 4_000),
        "workload_class": _one_of(("batch", "service", "interactive"), run // 12 % 3),
        "has_started": run % 50 > 0,
        "is_running": pl.lit(False),
        "quantity_numerator": held,
        "quantity_denominator": units * part,
        "quantity_unit": pl.lit("GPU-second"),
        "gpu_seconds_numerator": held,
        "gpu_seconds_denominator": units * part,
        "price": pl.lit(Decimal("2.385")).cast(PRICE),
        "currency": pl.lit("EUR"),
        "card_version": pl.lit("2026.1"),
        "part_numerator": pl.lit(1),
        "part_denominator": part,
        "units_per_gpu": units,
        "idle_unit_milliseconds": pl.when(is_seen).then(idle).otherwise(0),
        "starved_unit_milliseconds": pl.when(is_seen).then(starved).otherwise(0),
        "busy_unit_milliseconds": pl.when(is_seen).then(milliseconds - idle - starved).otherwise(0),
        "unmeasured_unit_milliseconds": pl.when(is_seen).then(0).otherwise(milliseconds),
        "active_unit_milliseconds": pl.when(is_seen).then(milliseconds - idle - starved).otherwise(0),
        "consumed_unit_ppm_milliseconds": pl.when(is_seen).then(milliseconds * 400_000).otherwise(0),
        "after_end_unit_seconds": pl.when(run % 40 == 0).then(60).otherwise(0),
        "gpus_measured": pl.lit(1),
        "gpus_never_active": pl.when(run % 30 == 0).then(1).otherwise(0),
        "is_estimate": run % 9 == 0,
    }  # fmt: skip
    typed = [columns.get(name, pl.lit(None)).cast(dtype).alias(name) for name, dtype in RATED_USAGE.schema.items()]
    numbers = pl.LazyFrame({"at": pl.int_range(rows, eager=True)})
    numbers.select(typed).sink_parquet(file, compression="zstd", row_group_size=250_000)


def stated(file: Path) -> pl.DataFrame:
    """contracts.statements of the month."""
    rated = pl.scan_parquet(file)
    lines = charge_lines(rated, currency=EUR)
    return statement_rows(
        lines, rated, pl.DataFrame(schema=UNCHARGED), pl.DataFrame(schema=CAPACITY_TOTALS), Coverage(1, 1, 0, 0), None,
        month=MONTH, mode=PARALLEL, currency=EUR, card=None, policies={}, contact="", sizes=_sizes(),
    )  # fmt: skip


def in_focus(file: Path) -> pl.DataFrame:
    """contracts.focus_cost_and_usage of the month."""
    rated = pl.scan_parquet(file)
    lines = charge_lines(rated, currency=EUR)
    teams = lines.group_by("team").agg(total_amount=pl.col("amount").sum()).sort("team")
    ids = pl.Series([statement_id_of(MONTH, team) for team in teams["team"]])
    prices = a_card("2.385", weight=(3, 7)).filter(~pl.col("accelerator").str.contains(":"))
    return focus_rows(rated, lines, prices, teams.with_columns(statement_id=ids), terms=TERMS)


def scanned(file: Path) -> pl.DataFrame:
    """The limit: every value is read and goes into a sum."""
    sums = (
        pl.col(name).str.len_bytes().sum() if dtype == pl.String() else pl.col(name).sum()
        for name, dtype in RATED_USAGE.schema.items()
    )
    return pl.scan_parquet(file).select(*sums).collect(engine="streaming")


STAGES: dict[str, Callable[[Path], pl.DataFrame]] = {
    "lines and statements": stated,
    "lines and FOCUS rows": in_focus,
    "the limit: scan all columns": scanned,
}


def main() -> None:
    """Each stage once, in a process of its own."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=ROWS, help="rated rows of the month")
    asked = parser.parse_args()
    table = Table(title=f"a month of {asked.rows:,} rated rows", title_justify="left")
    for heading in ("stage", "CPU s a million rows", "wall s", "peak MiB above an idle process", "rows", "digest"):
        table.add_column(heading)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "month.parquet"
        apart = multiprocessing.get_context("spawn")  # the peak of a parent would be the child's, so it does no work
        with apart.Pool(1) as pool:
            pool.apply(month_written, (file,), {"rows": asked.rows})
        for name in STAGES:
            with apart.Pool(1) as pool:
                table.add_row(name, *pool.apply(_measured, (name, file, asked.rows)))
    Console(width=120, highlight=False).print(table)


def _measured(name: str, file: Path, rows: int) -> Sequence[str]:
    idle, begun, cpu = _peak(), time.perf_counter(), time.process_time()
    frame = STAGES[name](file)
    cpu, took, peak = time.process_time() - cpu, time.perf_counter() - begun, _peak() - idle
    digest = hashlib.sha256(frame.hash_rows(seed=1).to_numpy().tobytes()).hexdigest()[:12]
    return (f"{cpu * MILLION / rows:.1f}", f"{took:.1f}", f"{peak:,}", f"{len(frame):,}", digest)


def _peak() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


def _sizes() -> pl.DataFrame:
    places = pl.DataFrame({"host": [f"gpu{number}" for number in range(10_000)]}).join(
        pl.DataFrame({"day": [f"{MONTH}-{day:02d}" for day in range(1, 29)]}), how="cross"
    ).join(pl.DataFrame({"cluster": ["slurm-a", "k8s-b"]}), how="cross")  # fmt: skip
    sizes = places.with_columns(node_gpus_numerator=pl.lit(8), node_gpus_denominator=pl.lit(1))
    return sizes.select(pl.col(name).cast(dtype) for name, dtype in NODE_SIZES.items())


def _one_of(names: Sequence[str], number: pl.Expr) -> pl.Expr:
    return pl.lit(pl.Series(names)).gather(number)


if __name__ == "__main__":
    main()
