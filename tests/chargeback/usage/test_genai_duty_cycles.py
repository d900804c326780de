"""Real GPU duty cycles of 143 serving pods (Alibaba GenAI 2026), through the parser and the fold, day by day."""

import csv
import io
import tarfile
from datetime import UTC, datetime, timedelta

import orjson
import polars as pl
import pytest

from chargeback.billing_period import Interval
from chargeback.usage.dcgm import parse_dcgm
from chargeback.usage.telemetry_of_day import telemetry_of_day
from tests.chargeback.usage.telemetry import UTIL, matrix
from tests.tables import shared_file


@pytest.fixture(scope="module")
def duty_cycles() -> pl.DataFrame:
    """What the parser reads of the trace, a pod taken for a GPU, as an answer of Prometheus."""
    archive = shared_file("data", "traces", "alibaba-genai-v2026", "pod_gpu_duty_cycle_anon.tar.gz")
    with tarfile.open(archive) as trace:
        member = trace.extractfile("pod_gpu_duty_cycle_anon.csv")
        assert member is not None
        text = member.read().decode()
    values: dict[str, list[list[object]]] = {}
    for row in csv.DictReader(io.StringIO(text)):
        values.setdefault(row["container_ip"], []).append([float(row["timestamp_anon"]), row["value"]])
    labels = {pod: {"__name__": UTIL, "UUID": pod, "exported_pod": pod} for pod in values}
    answer = matrix(*({"metric": labels[pod], "values": said} for pod, said in values.items()))
    found = parse_dcgm(answer, cluster="genai")
    assert (found.records, len(found.frame), found.quarantined) == (143, 143, ())
    assert sum(len(each["values"]) for each in orjson.loads(answer)["data"]["result"]) == 157_417
    return found.frame


def test_real_duty_cycles_have_the_published_mean_median_and_share_of_zeros(duty_cycles: pl.DataFrame) -> None:
    ppm = duty_cycles["value"].explode()

    assert len(ppm) == 157_417
    assert (ppm < 0).sum() == 0
    assert round(ppm.sum() / len(ppm) / 10_000, 2) == 7.03
    assert ppm.median() == 0
    assert round((ppm == 0).sum() / len(ppm) * 100, 1) == 66.8


def test_the_days_of_real_duty_cycles_hold_each_sample_once(duty_cycles: pl.DataFrame) -> None:
    first, last = duty_cycles["overlaps_from"].min(), duty_cycles["overlaps_until"].max()
    assert isinstance(first, datetime)
    assert isinstance(last, datetime)
    midnight = first.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    samples, total = 0, 0
    while midnight <= last:
        day = Interval(midnight, midnight + timedelta(days=1))
        observations = duty_cycles.with_columns(object=pl.lit("genai"))
        devices, found = telemetry_of_day(
            observations, cluster="genai", day=str(midnight.date()), interval=day, staleness_seconds=180
        )
        of_day = found.filter(pl.col("at_milliseconds") >= 0)
        assert devices["pod"].str.len_chars().min() == 32
        samples, total = samples + len(of_day), total + int(of_day["active_ppm"].cast(pl.Int64).sum())
        midnight = day.end

    assert (samples, total) == (157_417, int(duty_cycles["value"].explode().sum()))
