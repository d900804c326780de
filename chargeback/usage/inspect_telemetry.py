"""What device telemetry says, before it is landed: devices, samples, coverage, and the values that are not believed.

The lake's own fold (telemetry_of_day.py), a UTC day at a time. Telemetry bills nothing. Not here: who held a device.
"""

from datetime import timedelta
from zoneinfo import ZoneInfo

import polars as pl

from chargeback.billing_period import day_interval, days_between
from chargeback.contracts.contract import INSTANT
from chargeback.contracts.raw_devices import RAW_DEVICES
from chargeback.contracts.raw_samples import RAW_SAMPLES
from chargeback.usage import extract_kinds
from chargeback.usage.extract import ParsedExtract
from chargeback.usage.inspection import ALL_TIME, BILLS_NOTHING, PLACE, Inspection, Telemetry
from chargeback.usage.telemetry_instants import FAULTS
from chargeback.usage.telemetry_of_day import telemetry_of_day

STALENESS_SCRAPES = 3
ACTIVE_ABOVE_PPM = 200_000
DEFAULT_SCRAPE_MILLISECONDS = 30_000

_GPU = ("gpu", "gpu_instance")
_UTC = ZoneInfo("UTC")


def inspect_telemetry(parsed: ParsedExtract, name: str) -> Inspection:
    """Say what a telemetry object holds. Coverage is by its own scrape interval: the median distance of samples."""
    ignored = {BILLS_NOTHING: len(parsed.frame)} if len(parsed.frame) else {}
    return Inspection(
        name=name,
        source=extract_kinds.TELEMETRY,
        records=parsed.records,
        ignored=ignored | dict(parsed.ignored_reasons),
        quarantined=parsed.quarantined,
        telemetry=_telemetry(parsed.frame),
    )


def _telemetry(frame: pl.DataFrame) -> Telemetry:
    scrape = _scrape_milliseconds(frame)
    staleness = STALENESS_SCRAPES * (scrape or DEFAULT_SCRAPE_MILLISECONDS)
    devices, samples = _devices_and_samples(frame, staleness)
    observed = samples.filter(pl.col("active_ppm").is_not_null())
    first, last = samples.select(pl.col("instant").min(), last=pl.col("instant").max()).row(0)
    return Telemetry(
        devices=devices.select(_GPU).n_unique(),
        slices=devices.filter(pl.col("gpu_instance") != "").select(_GPU).n_unique(),
        hosts=devices["host"].n_unique(),
        samples=len(samples),
        seen_from=first if scrape else None,
        seen_until=last if scrape else None,
        scrape_seconds=round(scrape / 1000) if scrape else None,
        observed_milliseconds=_total(observed, pl.min_horizontal("until_next", staleness)),
        active_milliseconds=_total(
            observed.filter(pl.col("active_ppm") > ACTIVE_ABOVE_PPM), pl.min_horizontal("until_next", staleness)
        ),
        expected_milliseconds=_total(samples, pl.col("until_next")),
        activity_metrics=_devices_by(devices, pl.col("activity_metric").fill_null("none")),
        labelled=_devices_by(devices, _label()),
        faults={fault: _total(devices, pl.col(fault)) for fault in FAULTS},
    )


def _scrape_milliseconds(frame: pl.DataFrame) -> int | None:
    """The median distance of two samples of one series; None where no series has two."""
    distances = frame.lazy().select(pl.col("at").list.diff(null_behavior="drop").explode(empty_as_null=False))
    median = distances.filter(pl.col("at") > 0).median().collect().item()
    return None if median is None else int(median)


def _devices_and_samples(frame: pl.DataFrame, staleness: int) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Of every UTC day: raw_devices, and raw_samples with `instant` and `until_next` (ms, 0 for a device's last)."""
    placed = frame.with_columns(
        pl.col("overlaps_from", "overlaps_until").fill_null(pl.lit(ALL_TIME.start).cast(INSTANT)), **PLACE
    )
    devices, samples = [RAW_DEVICES.empty()], [RAW_SAMPLES.empty().with_columns(instant=pl.lit(None, INSTANT))]
    for day in _days(placed):
        interval = day_interval(day, _UTC)
        of_day, sampled = telemetry_of_day(
            placed, cluster="", day=day, interval=interval, staleness_seconds=staleness // 1000
        )
        at = pl.lit(interval.start).cast(INSTANT) + pl.duration(milliseconds="at_milliseconds")
        devices.append(of_day)
        samples.append(sampled.filter(pl.col("at_milliseconds") >= 0).with_columns(instant=at.cast(INSTANT)))
    named = pl.concat(devices)
    of_device = named.select("day", "device", *_GPU).unique(["day", "device"])
    together = pl.concat(samples).join(of_device, on=["day", "device"], how="left", validate="m:1")
    until_next = (pl.col("instant").shift(-1).over(_GPU) - pl.col("instant")).dt.total_milliseconds().fill_null(0)
    return named, together.sort(*_GPU, "instant").with_columns(until_next=until_next)


def _days(placed: pl.DataFrame) -> list[str]:
    if placed.is_empty():
        return []
    first, last = placed.select(pl.col("overlaps_from").min(), pl.col("overlaps_until").max()).row(0)
    return days_between(first, last + timedelta(seconds=1), _UTC)


def _devices_by(devices: pl.DataFrame, value: pl.Expr) -> dict[str, int]:
    counted = devices.select(*_GPU, value=value).unique().group_by("value").len().sort("value")
    return {name: count for name, count in counted.rows() if name is not None}


def _label() -> pl.Expr:
    """What kind of workload label a stretch of a device carries; null if none."""
    return (
        pl.when(pl.col("hpc_job") != "").then(pl.lit("Slurm job"))
        .when(pl.col("pod") != "").then(pl.lit("pod"))
    )  # fmt: skip


def _total(frame: pl.DataFrame, value: pl.Expr) -> int:
    return int(frame.select(value.cast(pl.Int64).sum()).item())
