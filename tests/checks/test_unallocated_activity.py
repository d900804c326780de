"""The check of unallocated_activity: it passes on what was billed, and fails on what it is there for (case K18)."""

import polars as pl

from chargeback.contracts.unallocated_activity import UNALLOCATED_ACTIVITY
from tests.checks.judging import judged, put
from tests.estates import Estate
from tests.tables import a_table_of, instant


def busy(milliseconds: int) -> pl.DataFrame:
    """One GPU that was active for so long in one hour of the last day."""
    return a_table_of(
        UNALLOCATED_ACTIVITY,
        "host  gpu\ngpu01  GPU-1",
        cluster="slurm-a",
        day="2026-03-31",
        hour_start=instant("2026-03-31T08:00Z"),
        accelerator="h100",
        active_milliseconds=milliseconds,
        labels="ml/miner",
    )


def test_nothing_ran_unheld_passes_for_the_last_sample_of_a_hold_that_ended(estate: Estate) -> None:
    put(estate, UNALLOCATED_ACTIVITY, busy(90_000))

    assert judged("nothing_ran_unheld", estate).is_pass


def test_nothing_ran_unheld_fails_for_an_hour_of_work_that_no_scheduler_granted_and_stops_nothing(
    estate: Estate,
) -> None:
    put(estate, UNALLOCATED_ACTIVITY, busy(3_600_000))

    judgement = judged("nothing_ran_unheld", estate)

    assert judgement.is_failure
    assert not judgement.evidence.blocking
    assert judgement.evidence.metrics["gpu_hours_active"] == 1
    assert judgement.told == (
        "gpu01 GPU-1 h100 | held by somebody, or not active | "
        "active for 3600 s in 1 hours, held by nobody; labelled ml/miner"
    )
