"""Slurm's job states: whether a record in that state is final, and why the run ended. One table, kept as data.

A state that is not in the table is unknown and its record goes to quarantine. Source: job_state_string() of Slurm 18 to
25, sacct(1) JOB STATE CODES; end causes of contracts/runs.py. Not here: how long a run held its GPUs.
"""

from dataclasses import dataclass

import polars as pl

FINAL, RUNNING, PENDING = "final", "running", "pending"


@dataclass(frozen=True, slots=True)
class StateMeaning:
    """`phase` of a record in this state; `end_cause` of a run that ended in it, None if the state says no end.

    A state that is not final but has an end cause is final on records that have an End: one size of a resized job, one
    run of a requeued one.
    """

    phase: str
    end_cause: str | None


STATES = {
    "COMPLETED": StateMeaning(FINAL, "completed"),
    "FAILED": StateMeaning(FINAL, "failed"),
    "CANCELLED": StateMeaning(FINAL, "cancelled"),
    "TIMEOUT": StateMeaning(FINAL, "timeout"),
    "DEADLINE": StateMeaning(FINAL, "timeout"),
    "OUT_OF_MEMORY": StateMeaning(FINAL, "out of memory"),
    "PREEMPTED": StateMeaning(FINAL, "preempted"),
    "NODE_FAIL": StateMeaning(FINAL, "platform fault"),
    "BOOT_FAIL": StateMeaning(FINAL, "platform fault"),
    "LAUNCH_FAILED": StateMeaning(FINAL, "platform fault"),
    "RECONFIG_FAIL": StateMeaning(FINAL, "platform fault"),
    "REVOKED": StateMeaning(FINAL, "cancelled"),
    "REQUEUED": StateMeaning(PENDING, "evicted"),
    "SPECIAL_EXIT": StateMeaning(PENDING, "failed"),
    "RESIZING": StateMeaning(RUNNING, "completed"),
    "RUNNING": StateMeaning(RUNNING, None),
    "SUSPENDED": StateMeaning(RUNNING, None),
    "STOPPED": StateMeaning(RUNNING, None),
    "COMPLETING": StateMeaning(RUNNING, None),
    "CONFIGURING": StateMeaning(RUNNING, None),
    "SIGNALING": StateMeaning(RUNNING, None),
    "STAGE_OUT": StateMeaning(RUNNING, None),
    "POWER_UP_NODE": StateMeaning(RUNNING, None),
    "PENDING": StateMeaning(PENDING, None),
    "REQUEUE_FED": StateMeaning(PENDING, None),
    "REQUEUE_HOLD": StateMeaning(PENDING, None),
    "RESV_DEL_HOLD": StateMeaning(PENDING, None),
}


def base_state(text: pl.Expr) -> pl.Expr:
    """`CANCELLED by 1001` and `CANCELLED+` as CANCELLED, upper case."""
    return text.str.to_uppercase().str.replace(r"\s+BY\s.*$", "").str.strip_chars(" +")


def phase_of(state: pl.Expr, *, end_is_known: pl.Expr) -> pl.Expr:
    """`final`, `running` or `pending` of a base state; null for a state that is not in the table."""
    phases = {name: meaning.phase for name, meaning in STATES.items()}
    ends = [name for name, meaning in STATES.items() if meaning.end_cause is not None]
    return (
        pl.when(state.is_in(ends) & end_is_known)
        .then(pl.lit(FINAL))
        .otherwise(state.replace_strict(phases, default=None, return_dtype=pl.String))
    )


def end_cause_of(state: pl.Expr) -> pl.Expr:
    """Why a run ended that ended in this state, in the words of END_CAUSES; null where the state says no end."""
    causes = {name: meaning.end_cause for name, meaning in STATES.items() if meaning.end_cause is not None}
    return state.replace_strict(causes, default=None, return_dtype=pl.String)
