"""A second oracle: a real Prometheus adds up the same series, and comes to the same GPU-hours, hour by hour."""

from pathlib import Path
from random import Random

import polars as pl
import pytest
import requests

from tests.chargeback.measured_days import job, measured_jobs
from tests.chargeback.usage.telemetry import INTERVAL, SM, START, observed, telemetry_said
from tests.services.prometheus import History, prometheus_with

STEP = 60
MINUTES = range(24 * 60)
JUST_BEFORE = 0.001


@pytest.fixture(scope="module")
def histories() -> list[History]:
    """Four GPUs of n1, a value a minute on the minute, without gaps: steady, idle, at the threshold, anything."""
    random = Random(20260708)
    kinds = [lambda: 0.9, lambda: 0, lambda: random.choice([0.2, 0.200001]), lambda: round(random.random(), 6)]
    return [
        History(
            SM,
            {"UUID": f"GPU-{at}", "Hostname": "n1", "gpu": str(at)},
            {START + STEP * minute: value() for minute in MINUTES},
        )
        for at, value in enumerate(kinds)
    ]


def by_hour(url: str, query: str) -> dict[tuple[int, str], float]:
    """What a query over the hour before says of each GPU; the sample at the hour's end is not of it."""
    found: dict[tuple[int, str], float] = {}
    for hour in range(24):
        at = START + 3600 * (hour + 1) - JUST_BEFORE
        answer = requests.get(f"{url}/api/v1/query", {"query": query, "time": f"{at:.3f}"}, timeout=30).json()
        for series in answer["data"]["result"]:
            found[hour, series["metric"]["UUID"]] = float(series["value"][1])
    return found


def test_consumed_and_active_gpu_time_of_every_hour_is_what_promql_adds_up(
    tmp_path: Path, histories: list[History]
) -> None:
    with prometheus_with(tmp_path, *histories) as url:
        consumed = by_hour(url, f"sum_over_time({SM}[1h])")
        active = by_hour(url, f"sum_over_time(({SM} > bool 0.2)[1h:1m])")
        told = requests.get(
            f"{url}/api/v1/query", {"query": f"{SM}[1d]", "time": START + 86_400 - JUST_BEFORE}, timeout=60
        ).content
    telemetry = telemetry_said(observed(told), staleness=3 * STEP)

    day = measured_jobs(job(1, "00:00", "24:00", gpus=4), gpus=4, telemetry=telemetry, staleness=3 * STEP)

    hour = ((pl.col("hour_start") - INTERVAL.start).dt.total_seconds() // 3600).alias("hour")
    ours = day.hours.select(hour, "gpu", "consumed_ppm_milliseconds", "active_milliseconds", "observed_milliseconds")
    assert len(consumed) == len(active) == len(ours) == 24 * 4
    for at, gpu, ppm_milliseconds, active_milliseconds, observed_milliseconds in ours.rows():
        assert ppm_milliseconds == round(consumed[at, gpu] * 1_000_000) * STEP * 1000
        assert active_milliseconds == active[at, gpu] * STEP * 1000
        assert observed_milliseconds == 3_600_000
