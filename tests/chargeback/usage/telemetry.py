"""Telemetry made for a test: series as Prometheus answers them, and a UTC day folded from what objects say."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import orjson
import polars as pl

from chargeback.billing_period import Interval
from chargeback.contracts.contract import INSTANT
from chargeback.contracts.raw_devices import RAW_DEVICES
from chargeback.contracts.raw_samples import RAW_SAMPLES
from chargeback.usage.dcgm import parse_dcgm
from chargeback.usage.telemetry_of_day import telemetry_of_day
from tests.tables import instant

DAY = "2026-07-08"
INTERVAL = Interval(instant("2026-07-08T00:00Z"), instant("2026-07-09T00:00Z"))
START = int(INTERVAL.start.timestamp())
STALENESS = 90

UTIL, SM, ENGINE = "DCGM_FI_DEV_GPU_UTIL", "DCGM_FI_PROF_SM_ACTIVE", "DCGM_FI_PROF_GR_ENGINE_ACTIVE"
POWER, ENERGY, FB = "DCGM_FI_DEV_POWER_USAGE", "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION", "DCGM_FI_DEV_FB_USED"

Samples = Mapping[float, object]
"""Seconds of the day -> value."""


@dataclass(frozen=True)
class Telemetry:
    """What a day's objects say."""

    devices: pl.DataFrame
    samples: pl.DataFrame

    def readings(self, *columns: str) -> list[tuple[object, ...]]:
        """Rows of raw_samples: these columns, or instant and activity."""
        return self.samples.select(columns or ("at_milliseconds", "active_ppm")).rows()

    def counted(self, *columns: str) -> tuple[int, ...]:
        """Sums of counts over all devices."""
        return tuple(int(self.devices[name].sum()) for name in columns)


def series(metric: str, samples: Samples, **labels: str) -> dict[str, object]:
    """One element of a matrix, of GPU-1 on n1 unless labels say otherwise."""
    named = {"__name__": metric, "UUID": "GPU-1", "Hostname": "n1", "gpu": "0", **labels}
    return {"metric": named, "values": [[START + at, str(value)] for at, value in samples.items()]}


def matrix(*elements: dict[str, object]) -> bytes:
    """What the API answers to METRIC[1d]."""
    return orjson.dumps({"status": "success", "data": {"resultType": "matrix", "result": list(elements)}})


def every(step: float, first: float, last: float, value: object) -> dict[float, object]:
    """The same value every `step` seconds, from `first` to `last` inclusive."""
    return {first + number * step: value for number in range(int((last - first) / step) + 1)}


def observed(*objects: bytes, extracted_at: str = "2026-07-09T02:00:00Z") -> pl.DataFrame:
    """What the objects say, as the lake hands it to the fold; samples without a time are of the extraction."""
    frames = [
        parse_dcgm(content, cluster="k").frame.with_columns(
            pl.col("overlaps_from").fill_null(pl.lit(instant(extracted_at), dtype=INSTANT)),
            object=pl.lit(f"object-{number}"),
            extracted_at=pl.lit(instant(extracted_at), dtype=INSTANT),
        )
        for number, content in enumerate(objects)
    ]
    return pl.concat(frames)


def telemetry_said(
    observations: pl.DataFrame, *, staleness: int = STALENESS, interval: Interval = INTERVAL
) -> Telemetry:
    """The day that observations make; both tables keep their contracts."""
    devices, samples = telemetry_of_day(
        observations, cluster="k", day=DAY, interval=interval, staleness_seconds=staleness
    )
    assert RAW_DEVICES.breaches(devices) == []
    assert RAW_SAMPLES.breaches(samples) == []
    return Telemetry(devices, samples)


def day_of(*elements: dict[str, object], staleness: int = STALENESS) -> Telemetry:
    """The day that one answer makes."""
    return telemetry_said(observed(matrix(*elements)), staleness=staleness)


def scraped(text: str, *, at: str = "2026-07-08T12:00:00Z") -> Telemetry:
    """The day of which one scrape of an exporter is known."""
    return telemetry_said(observed(text.encode(), extracted_at=at))


def stretches(telemetry: Telemetry, *labels: str) -> list[tuple[object, ...]]:
    """Labels, first and last second of the day, and samples of each stretch."""
    second = [(pl.col(name).dt.epoch("s") - START).alias(name) for name in ("seen_from", "seen_until")]
    return telemetry.devices.select(*labels, *second, "samples").rows()


def rows(telemetry: Telemetry, columns: Sequence[str]) -> list[tuple[object, ...]]:
    """Rows of raw_devices."""
    return telemetry.devices.select(columns).rows()
