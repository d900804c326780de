"""What a day's telemetry costs, against a plain scan of the same columns: CPU time, ratios, five rounds in turn.

`make bench`, or `python -m benchmarks.day_of_samples --gpus 8000` for another size. All is generated, the same in every
run. Not here: reading telemetry from its source, and holds without telemetry (day_of_holds.py).
"""

import argparse
import io
from datetime import UTC, datetime, timedelta

import polars as pl

from benchmarks.rounds import time_in_turn, written_and_read
from chargeback.attribution.hourly import attribute_hours
from chargeback.attribution.samples_over_time import READINGS
from chargeback.attribution.unallocated import unallocated_activity_of_day
from chargeback.billing_period import Interval
from chargeback.contracts.contract import Contract
from chargeback.contracts.holds import HOLDS
from chargeback.contracts.raw_bindings import RAW_BINDINGS
from chargeback.contracts.raw_claims import RAW_CLAIMS
from chargeback.contracts.raw_device_maps import RAW_DEVICE_MAPS
from chargeback.contracts.raw_devices import RAW_DEVICES
from chargeback.contracts.raw_pods import RAW_PODS
from chargeback.contracts.raw_samples import RAW_SAMPLES
from chargeback.contracts.raw_slices import RAW_SLICES
from chargeback.contracts.runs import RUNS
from chargeback.usage.bindings import bindings_of_day
from chargeback.usage.inventory import INVENTORY
from chargeback.usage.set_members import MEMBERS

GPUS_PER_HOST = 8
JOBS_PER_GPU = 8
SCRAPE_SECONDS = 30
DAY = Interval(datetime(2026, 10, 5, tzinfo=UTC), datetime(2026, 10, 6, tzinfo=UTC))
JOB_SECONDS = DAY.seconds // JOBS_PER_GPU
COMMON = {"cluster": "bench", "day": "2026-10-05", "interval": DAY}
LIMITS = {"active_above_ppm": 200_000, "staleness_seconds": 3 * SCRAPE_SECONDS}


def a_day_of_samples(gpus: int) -> pl.DataFrame:
    """contracts.raw_samples: four readings every 30 s of every GPU, one in a thousand lost."""
    per_gpu = DAY.seconds // SCRAPE_SECONDS
    at = pl.int_range(gpus * per_gpu, eager=True)
    noise = (at * 7_919 + at // per_gpu * 104_729) % 1_000_003
    readings = {
        "device": at // per_gpu,
        "at_milliseconds": at % per_gpu * SCRAPE_SECONDS * 1000 + noise % 997,
        "active_ppm": pl.select(pl.when(noise < 300_000).then(0).otherwise(noise.clip(0, 1_000_000))).to_series(),
        "running_ppm": noise.clip(0, 1_000_000),
        "power_milliwatts": 70_000 + noise // 2,
        "fb_used_mebibytes": noise // 13,
    }
    columns = [series.cast(pl.Int32).alias(name) for name, series in readings.items()]
    return _filled(pl.DataFrame(columns).filter(noise % 1000 != 0), RAW_SAMPLES)


def a_day_of_jobs(gpus: int) -> tuple[pl.DataFrame, pl.DataFrame, pl.DataFrame]:
    """holds, runs and raw_devices: jobs of one GPU, eight a day one after the other, each named by a job label."""
    at = pl.int_range(gpus * JOBS_PER_GPU, eager=True)
    gpu, number = at // JOBS_PER_GPU, at % JOBS_PER_GPU
    names = {
        "run": pl.format("{}@2026-10-05T00:00:00Z", pl.lit(at)),
        "job_id": pl.lit(at.cast(pl.String)),
        "job_id_raw": pl.lit(at.cast(pl.String)),
        "hpc_job": pl.lit(at.cast(pl.String)),
        "host": pl.format("gpu{}", pl.lit(gpu // GPUS_PER_HOST)),
        "gpu": pl.format("GPU-{}", pl.lit(gpu)),
        "device": pl.lit(gpu.cast(pl.Int32)),
        "held_from": pl.lit(DAY.start) + pl.duration(seconds=pl.lit(number * JOB_SECONDS)),
    }
    jobs = pl.DataFrame({"at": at}).select(value.alias(name) for name, value in names.items())
    lasting = pl.col("held_from") + timedelta(seconds=JOB_SECONDS - 120)
    jobs = jobs.with_columns(
        accelerator=pl.lit("h100"), sharing=pl.lit("whole"), split=pl.lit("one host"), held_until=lasting,
        device_count=pl.lit(1), seen_from="held_from", seen_until=lasting,
    )  # fmt: skip
    return _filled(jobs, HOLDS), _filled(jobs, RUNS), _filled(jobs, RAW_DEVICES)


def _filled(frame: pl.DataFrame, contract: Contract) -> pl.DataFrame:
    """The frame in a contract's schema; what it does not have is null, empty, one or long ago."""
    blanks = {pl.String: "", pl.Boolean: False, pl.Int64: 1, pl.Int32: 0}
    return frame.select(
        pl.col(column.name).cast(column.dtype)
        if column.name in frame.columns
        else pl.lit(None if column.nullable else blanks.get(type(column.dtype), DAY.start), column.dtype).alias(
            column.name
        )
        for column in contract.columns
    )


def main() -> None:
    """Run every stage and its limit in turn, and print what they cost."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--gpus", type=int, default=1_000)
    gpus = parser.parse_args().gpus
    samples = a_day_of_samples(gpus)
    holds, runs, devices = a_day_of_jobs(gpus)
    none = [contract.empty() for contract in (RAW_BINDINGS, RAW_DEVICE_MAPS, RAW_PODS, RAW_CLAIMS, RAW_SLICES)]
    nothing = {"inventory": pl.DataFrame(schema=INVENTORY), "members": pl.DataFrame(schema=MEMBERS)}

    def bound() -> pl.DataFrame:
        return bindings_of_day(holds, runs, *none, devices, nothing["inventory"], **COMMON)

    bindings = bound()
    stored = io.BytesIO()
    samples.select(READINGS).write_parquet(stored, compression="zstd", row_group_size=1_000_000)
    time_in_turn(
        {
            f"bind {len(holds):,} holds": (bound, lambda: written_and_read(bindings)),
            f"attribute {len(samples):,} samples": (
                lambda: attribute_hours(holds, bindings, runs, _read(stored), **COMMON, **LIMITS),
                lambda: _read(stored).sum(),
            ),
            f"find unheld work in {len(samples):,} samples": (
                lambda: unallocated_activity_of_day(
                    holds, bindings, _read(stored), devices, **nothing, **COMMON, **LIMITS
                ),
                lambda: _read(stored).sum(),
            ),
        }
    )


def _read(stored: io.BytesIO) -> pl.DataFrame:
    return pl.read_parquet(io.BytesIO(stored.getvalue()))


if __name__ == "__main__":
    main()
