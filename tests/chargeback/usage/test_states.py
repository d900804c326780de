"""Slurm's states: final, running or pending, and why a run ended."""

import polars as pl
import pytest

from chargeback.contracts.runs import END_CAUSES
from chargeback.usage.states import STATES, base_state, end_cause_of, phase_of


def meaning(text: str, *, end: bool) -> tuple:
    frame = pl.DataFrame({"state": [text]}).with_columns(state=base_state(pl.col("state")))
    return frame.select(
        "state", phase=phase_of(pl.col("state"), end_is_known=pl.lit(end)), cause=end_cause_of(pl.col("state"))
    ).row(0)


@pytest.mark.parametrize(
    ("text", "state", "cause"),
    [
        ("CANCELLED by 1001", "CANCELLED", "cancelled"),
        ("CANCELLED+", "CANCELLED", "cancelled"),
        ("COMPLEteD", "COMPLETED", "completed"),
        ("OUT_OF_MEMORY", "OUT_OF_MEMORY", "out of memory"),
        ("NODE_FAIL", "NODE_FAIL", "platform fault"),
        ("BOOT_FAIL", "BOOT_FAIL", "platform fault"),
        ("DEADLINE", "DEADLINE", "timeout"),
        ("PREEMPTED", "PREEMPTED", "preempted"),
        ("REQUEUED", "REQUEUED", "evicted"),
    ],
)
def test_an_ended_run_has_one_cause(text: str, state: str, cause: str) -> None:
    assert meaning(text, end=True) == (state, "final", cause)


@pytest.mark.parametrize("text", ["RUNNING", "SUSPENDED", "COMPLETING", "CONFIGURING", "STAGE_OUT", "SIGNALING"])
def test_a_running_record_has_no_cause_even_if_it_shows_an_end(text: str) -> None:
    assert meaning(text, end=True) == (text, "running", None)


def test_a_requeued_job_that_waits_again_is_pending_and_a_resizing_one_runs() -> None:
    assert meaning("REQUEUED", end=False)[1] == "pending"
    assert meaning("RESIZING", end=False)[1] == "running"


def test_an_unknown_state_has_no_meaning() -> None:
    assert meaning("FOO", end=True) == ("FOO", None, None)


def test_causes_are_words_of_the_contract() -> None:
    assert {meaning.end_cause for meaning in STATES.values()} - {None} <= set(END_CAUSES)
