"""Months of two public GPU clusters, billed pod by pod and day by day: every GPU-second as their own tables say."""

import json
from collections import Counter
from collections.abc import Iterator
from datetime import datetime, timedelta
from fractions import Fraction

import polars as pl

from chargeback.billing_period import Interval, day_interval
from chargeback.contracts.contract import INSTANT
from chargeback.contracts.holds import HOLDS
from chargeback.contracts.raw_claims import RAW_CLAIMS
from chargeback.contracts.raw_kubernetes_nodes import RAW_KUBERNETES_NODES
from chargeback.contracts.raw_slices import RAW_SLICES
from chargeback.contracts.raw_workloads import RAW_WORKLOADS
from chargeback.usage.kubernetes_holds import kubernetes_holds_of_day
from chargeback.usage.kubernetes_pods import parse_pods
from chargeback.usage.kubernetes_runs import kubernetes_runs_of_day
from chargeback.usage.pod_observations import raw_pods_of_day
from tests.chargeback.usage.alibaba_traces import (
    BEGIN,
    PodTrace,
    expected_of_2025,
    trace_of_2023,
    trace_of_2025,
)
from tests.chargeback.usage.kubernetes_estate import CLUSTER, UTC_ZONE
from tests.tables import shared_file

MILLI = 1000
NOTHING = (RAW_CLAIMS.empty(), RAW_SLICES.empty(), RAW_KUBERNETES_NODES.empty())


def days_of(trace: PodTrace, until: datetime) -> Iterator[tuple[str, pl.DataFrame, pl.DataFrame]]:
    """day, runs and holds of every day of a trace, as the assets make them."""
    frames, listings = [], []
    for number, (_, taken_at, content) in enumerate(trace.objects):
        extract = parse_pods(content, cluster=CLUSTER)
        assert extract.quarantined == ()
        frames.append(
            extract.frame.with_columns(object=pl.lit(f"pods/{number}"), extracted_at=pl.lit(taken_at, dtype=INSTANT))
        )
        listings += [(taken_at, kind) for kind in extract.full_listings_of]
    listed = pl.DataFrame(listings, schema={"extracted_at": INSTANT, "kind": pl.String()}, orient="row")
    observed = pl.concat(frames)
    for number in range((until - BEGIN).days + 1):
        day = (BEGIN + timedelta(days=number)).date().isoformat()
        yield day, *_tables(_told_of(observed, day_interval(day, UTC_ZONE)), listed, day)


def _told_of(observed: pl.DataFrame, interval: Interval) -> pl.DataFrame:
    """Pods that do not say themselves that they were over before the day or began after it: others leave no row."""
    over = pl.min_horizontal("finished", pl.when(pl.col("event") == "DELETED").then("deletionTimestamp"))
    return observed.filter(pl.col("creationTimestamp") < interval.end, over.is_null() | (over >= interval.start))


def _tables(observed: pl.DataFrame, listed: pl.DataFrame, day: str) -> tuple[pl.DataFrame, pl.DataFrame]:
    common = {"cluster": CLUSTER, "day": day, "interval": day_interval(day, UTC_ZONE)}
    pods = raw_pods_of_day(observed, listed, **common)
    runs = kubernetes_runs_of_day(pods, RAW_WORKLOADS.empty(), *NOTHING, **common, tiers={}, classes={}, approvals=())
    return runs, kubernetes_holds_of_day(runs, pods, *NOTHING, **common, aliases={"untyped": "gpu-of-openb"})


def milli_gpu_seconds(runs: pl.DataFrame, holds: pl.DataFrame) -> dict[str, Fraction]:
    """Priority class -> milliGPU-seconds of a day, summed in integers of each denominator."""
    seconds = (pl.col("held_until") - pl.col("held_from")).dt.total_seconds()
    unit_seconds = (seconds * pl.col("device_count") * pl.col("share_units")).sum()
    of_class = holds.join(runs.select("run", "qos"), on="run", how="left", validate="m:1")
    sums: Counter[str] = Counter()
    for qos, units, total in of_class.group_by("qos", "units_per_gpu").agg(unit_seconds).rows():
        sums[qos] += Fraction(total * MILLI, units)  # type: ignore[assignment]
    return dict(sums)  # type: ignore[arg-type]


def test_five_months_of_2023_with_their_shares_are_billed_to_the_milli_gpu_second() -> None:
    expected = json.loads(shared_file("data", "expected", "expected_from_public_data.json").read_text())
    figures = expected["alibaba_gpu_v2023"]
    trace = trace_of_2023()

    by_qos: Counter[str] = Counter()
    by_month: Counter[str] = Counter()
    held: set[str] = set()
    for day, runs, holds in days_of(trace, trace.taken_at):
        assert runs.filter(gpu_count_basis="unknown").is_empty()
        for qos, amount in milli_gpu_seconds(runs, holds).items():
            by_qos[qos] += amount  # type: ignore[assignment]
            by_month[day[:7]] += amount  # type: ignore[assignment]
        held |= set(holds["run"])

    assert sum(by_qos.values()) == 185_294_426_970 == figures["gpu_milliseconds_x1000_total(=milliGPU-seconds)"]
    assert dict(by_qos) == figures["milliGPU_seconds_by_qos"]
    assert dict(by_month) == figures["milliGPU_seconds_by_month_if_t0_is_2023-01-01T00:00:00Z"]
    assert len(held) <= figures["gpu_rows_scheduled"]


def test_a_month_of_2025_is_clipped_to_its_window_and_drops_no_instance_whose_times_are_unknown() -> None:
    trace = trace_of_2025()
    expected = sum(gpus * (until - since) for gpus, since, until in expected_of_2025())

    total, seen, still_running = Fraction(0), set(), HOLDS.empty()
    for _, runs, holds in days_of(trace, trace.taken_at):
        total += sum(milli_gpu_seconds(runs, holds).values()) / MILLI
        seen |= set(runs["run"])
        still_running = holds.filter("is_running")

    assert total == expected
    assert round(total / 3600) == 2_375_875
    assert len(seen) == 23_871
    assert len(still_running) == 2_277 + 1_045
