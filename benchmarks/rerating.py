"""Twelve months priced by another card, against the scan of what that reads: CPU time, ratio, and once wall time.

`make bench` (some minutes and 0.6 GB in a temporary folder), or smaller: python -m benchmarks.rerating --rows 1000000.
The limit scans the very columns that re-rating reads, from the same Parquet files, and adds them up. Files are written
anew, are the same in every run, and are read as the lake reads one partition. Not here: a day's stages
(day_of_holds.py).
"""

import argparse
import os
import resource
import tempfile
import time
from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path

import polars as pl
from rich.console import Console

from benchmarks.rounds import time_in_turn
from chargeback.contracts.rate_card import RATE_CARD
from chargeback.ledger.charges import charge_lines
from chargeback.ledger.usage_of_lines import READ, usage_of_lines
from chargeback.money import Currency
from chargeback.pricing.repricing import reprice

ROWS = 10_000_000
MONTHS = 12
ACCELERATORS = ("h100-sxm5-80gb", "a100-sxm4-80gb", "a100-sxm4-80gb:3g.40gb")
TIERS = ("standard", "preemptible")
NUMBERS = ("quantity_numerator", "quantity_denominator", "gpu_seconds_numerator", "gpu_seconds_denominator")
TEXTS = tuple(name for name in READ if name not in NUMBERS)
CARD = "2026.1"


def months_written(folder: Path, *, months: int, rows: int) -> list[Path]:
    """Parquet files of the columns of contracts.rated_usage that make a line, with run, host and day; one a month.

    Twelve rows a run, 40 teams of three projects each, two clusters, three accelerators, two tiers: some thousand
    lines a month. A ninth of the quantities are sevenths.
    """
    files = []
    for month in range(1, months + 1):
        at = pl.col("at") + month * 1_000_003
        run = at // 12
        columns = {
            "month": pl.lit(f"2026-{month:02d}"),
            "cluster": _one_of(("slurm-a", "k8s-b"), run % 2),
            "day": pl.format("2026-{}-{}", pl.lit(f"{month:02d}"), (1 + at % 28).cast(pl.String).str.zfill(2)),
            "run": pl.format("{}@2026-10-05T00:00:00Z", run),
            "host": pl.format("gpu{}", at * 7_919 % 10_000),
            "accelerator": _one_of(ACCELERATORS, run // 2 % 3),
            "tier": _one_of(TIERS, run // 6 % 2),
            "team": pl.format("team-{}", run // 12 % 40),
            "cost_centre": pl.format("{}", 4_700 + run // 12 % 40),
            "project": pl.format("project-{}", run // 12 % 120),
            "company": pl.lit("C1"),
            "kind": pl.lit("allocation"),
            "sharing": pl.when(run // 2 % 3 == 2).then(pl.lit("mig")).otherwise(pl.lit("whole")),
            "customer_class": pl.lit(""),
            "quantity_numerator": at * 104_729 % 86_400 * (1 + at % 8),
            "quantity_denominator": pl.when(run % 9 == 0).then(7).otherwise(1),
            "gpu_seconds_numerator": at * 104_729 % 86_400 * (1 + at % 8),
            "gpu_seconds_denominator": pl.lit(1),
        }
        file = folder / f"{month:02d}.parquet"
        pl.LazyFrame({"at": pl.int_range(rows, eager=True)}).select(**columns).sink_parquet(file, compression="zstd")
        files.append(file)
    return files


def rerated(files: Sequence[Path]) -> list[pl.DataFrame]:
    """The lines of every month under another card."""
    old, new = a_card("2.385", weight=(3, 7)), a_card("2.4013", weight=(4, 8))
    usage = (usage_of_lines(pl.scan_parquet(file), month=f"2026-{file.stem}") for file in files)
    return [charge_lines(reprice(each, old, new), currency=Currency("EUR")) for each in usage]


def scanned(files: Sequence[Path]) -> list[pl.DataFrame]:
    """The limit: every value that re-rating looks at is read and goes into a sum."""
    lengths = (pl.col(name).str.len_bytes().sum() for name in TEXTS)
    sums = (*lengths, *(pl.col(name).sum() for name in NUMBERS))
    return [pl.scan_parquet(file).select(*sums).collect(engine="streaming") for file in files]


def a_card(price: str, *, weight: tuple[int, int]) -> pl.DataFrame:
    """contracts.rate_card: one price, the slice weighed."""
    rows = [
        {
            **{name: "" for name, dtype in RATE_CARD.schema.items() if dtype == pl.String()},
            "accelerator": accelerator,
            "tier": tier,
            "card_version": CARD,
            "price_unit": "GPU-hour",
            "price": Decimal(price),
            "stated_price": Decimal(price),
            "is_signed": True,
            "billing_weight_numerator": weight[0] if ":" in accelerator else None,
            "billing_weight_denominator": weight[1] if ":" in accelerator else None,
        }
        for accelerator in ACCELERATORS
        for tier in TIERS
    ]
    return pl.DataFrame(rows, schema=RATE_CARD.schema, orient="row")


def main() -> None:
    """Time both in turn, then re-rate once more by the wall clock."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=ROWS, help="rated rows a month")
    parser.add_argument("--months", type=int, default=MONTHS)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        files = months_written(Path(folder), months=asked.months, rows=asked.rows)
        name = f"re-rate {asked.months} months of {asked.rows:,} rows"
        time_in_turn({name: (lambda: rerated(files), lambda: scanned(files))})
        begun = time.perf_counter()
        lines = sum(len(month) for month in rerated(files))
        took = time.perf_counter() - begun
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    said = f"{name}: {took:.1f} s by the wall clock, {lines:,} lines, peak memory {peak:,} MiB"
    said += f", load average {os.getloadavg()[0]:.1f}"
    Console(width=120, highlight=False).print(said, markup=False)


def _one_of(names: Sequence[str], number: pl.Expr) -> pl.Expr:
    return pl.lit(pl.Series(names)).gather(number)


if __name__ == "__main__":
    main()
