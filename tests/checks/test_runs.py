"""Checks of runs: each passes on what was billed, and fails on what it is there for."""

import polars as pl

from chargeback.contracts.runs import RUNS
from tests.checks.judging import change_first, judged
from tests.estates import Estate


def test_runs_valid_passes_for_the_runs_of_a_day(billed_estate: Estate) -> None:
    judgement = judged("runs_valid", billed_estate)

    assert judgement.is_pass
    assert judgement.evidence.metrics["runs"] == 2


def test_runs_valid_fails_for_a_run_last_seen_before_it_started(estate: Estate) -> None:
    change_first(estate, RUNS, observed_until=pl.col("started") - pl.duration(seconds=1))

    judgement = judged("runs_valid", estate)

    assert judgement.is_failure
    assert judgement.told.startswith("2@2026-03-30T20:00:00Z | seen at or after 2026-03-30 20:00:00")


def test_gpu_counts_known_passes_when_each_count_is_recorded(billed_estate: Estate) -> None:
    assert judged("gpu_counts_known", billed_estate).is_pass


def test_gpu_counts_known_fails_for_a_run_whose_gpus_nobody_recorded(estate: Estate) -> None:
    change_first(estate, RUNS, gpu_count=pl.lit(None), gpu_count_basis=pl.lit("unknown"))

    judgement = judged("gpu_counts_known", estate)

    assert judgement.is_failure
    assert judgement.told == (
        "2@2026-03-30T20:00:00Z | a GPU count, or an entry in approvals/ that settles it | "
        "account nlp-lab, 28800 s on gpu01"
    )


def test_gpu_counts_known_fails_for_a_pod_in_its_own_words(estate: Estate) -> None:
    change_first(
        estate, RUNS, scheduler=pl.lit("kubernetes"), gpu_count=pl.lit(None), gpu_count_basis=pl.lit("unknown"),
        started=pl.lit(None), job_id=pl.lit("ml/train"), alloc_tres=pl.lit("gpu-fraction=half"),
    )  # fmt: skip

    judgement = judged("gpu_counts_known", estate)

    assert judgement.is_failure
    assert judgement.told.endswith("ml/train account nlp-lab, 28800 s on gpu01, asks gpu-fraction=half")


def test_runs_valid_passes_for_a_pod_that_ended_before_its_container_would_have_started(estate: Estate) -> None:
    change_first(
        estate, RUNS, scheduler=pl.lit("kubernetes"), started=pl.col("observed_until") + pl.duration(seconds=2)
    )

    assert judged("runs_valid", estate).is_pass
