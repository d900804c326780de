"""What a (cluster, day) run does, against the physical limit of the same data: CPU time, ratios, five rounds in turn.

`make bench`. Holds and sacct text are generated, the same in every run. Not here: telemetry (day_of_samples.py).
"""

import hashlib
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import polars as pl

from benchmarks.rounds import time_in_turn, written_and_read
from chargeback.attribution.hourly import attribute_hours
from chargeback.billing_period import Interval
from chargeback.contracts.attribution import ATTRIBUTION
from chargeback.contracts.bindings import BINDINGS
from chargeback.contracts.holds import HOLDS
from chargeback.contracts.raw_samples import RAW_SAMPLES
from chargeback.contracts.runs import RUNS
from chargeback.usage.sacct_text import parse_sacct_text
from resources.content_hash import content_hash

HOLD_COUNT = 100_000
HOST_COUNT = 10_000
DAY = Interval(datetime(2026, 10, 5, tzinfo=UTC), datetime(2026, 10, 6, tzinfo=UTC))


def a_day_of_holds() -> pl.DataFrame:
    """contracts.holds: jobs of 10 minutes to 16 hours on 10,000 hosts, ten a host, one after the other."""
    at = pl.int_range(HOLD_COUNT, eager=True)
    start = (at // HOST_COUNT) * 8_640 + (at * 7_919) % 600
    length = 600 + (at * 104_729) % 7_000
    columns = {
        "cluster": pl.lit("bench"),
        "day": pl.lit("2026-10-05"),
        "run": pl.format("{}@2026-10-05T00:00:00Z", pl.lit(at)),
        "host": pl.format("gpu{}", pl.lit(at % HOST_COUNT)),
        "accelerator": pl.lit("h100-sxm5-80gb"),
        "sharing": pl.lit("whole"),
        "held_from": pl.lit(DAY.start) + pl.duration(seconds=pl.lit(start)),
        "held_until": pl.lit(DAY.start) + pl.duration(seconds=pl.lit(start + length)),
        "device_count": pl.lit(1 + at % 8),
        "share_units": pl.lit(1),
        "units_per_gpu": pl.lit(1),
        "slice_profile": pl.lit(""),
        "split": pl.lit("one host"),
        "is_running": pl.lit(False),
    }
    frame = pl.DataFrame({"at": at}).select(expression.alias(name) for name, expression in columns.items())
    return frame.select(pl.col(name).cast(dtype) for name, dtype in HOLDS.schema.items())


def a_day_of_sacct() -> bytes:
    """As many job rows as `sacct -P` prints for a busy day."""
    header = "JobIDRaw|JobID|Cluster|Account|User|State|Submit|Start|End|ElapsedRaw|Suspended|AllocTRES|NodeList"
    rows = [header]
    for number in range(HOLD_COUNT):
        start = DAY.start + timedelta(seconds=number * 37 % 40_000)
        end = start + timedelta(seconds=600 + number % 7_000)
        gpus = 1 + number % 8
        who = f"{number}|{number}|bench|lab-{number % 40}|u{number % 300}|COMPLETED"
        when = f"{start:%FT%T}|{start:%FT%T}|{end:%FT%T}|{600 + number % 7_000}|00:00:00"
        what = f"billing=8,cpu=64,gres/gpu:h100={gpus},gres/gpu={gpus},mem=512G,node=1|gpu{number % HOST_COUNT}"
        rows.append(f"{who}|{when}|{what}")
    return "\n".join(rows).encode()


def hours_of(holds: pl.DataFrame) -> pl.DataFrame:
    """The holds in hours, unmeasured: there is no telemetry."""
    return attribute_hours(
        holds, BINDINGS.empty(), RUNS.empty(), RAW_SAMPLES.empty(), cluster="bench", day="2026-10-05", interval=DAY,
        active_above_ppm=200_000, staleness_seconds=90,
    )  # fmt: skip


def main() -> None:
    """Run every stage and its limit in turn, and print what they cost."""
    holds, sacct = a_day_of_holds(), a_day_of_sacct()
    hours = hours_of(holds)
    hashed = bytes(int(hours.estimated_size()))
    time_in_turn(
        {
            f"parse sacct text, {HOLD_COUNT:,} rows": (
                lambda: parse_sacct_text(sacct, cluster="bench", zone=ZoneInfo("UTC")),
                lambda: pl.read_csv(sacct, separator="|", infer_schema=False),
            ),
            f"holds to hours, {len(hours):,} rows": (lambda: hours_of(holds), lambda: written_and_read(hours)),
            f"content hash, {len(hours):,} rows": (
                lambda: content_hash(hours, ATTRIBUTION),
                lambda: hashlib.sha256(hashed).hexdigest(),
            ),
        }
    )


if __name__ == "__main__":
    main()
