"""Runs whose process died without a word: found by the process that a run names, and marked as failed.

Dagster knows nothing of a process that it did not launch; without this such a run would be shown as started for ever.
Runs of other machines are left to Dagster's run monitoring, which gives up a run by its age.
"""

import os
import socket
from pathlib import Path

import dagster as dg
from dagster._core.storage.dagster_run import IN_PROGRESS_RUN_STATUSES, DagsterRunStatus, RunsFilter

WORKER_TAG = "chargeback/process"
STARTED_AT_FIELD = 19
"""Place of a process's start, in ticks since the machine's start, among what follows its name in /proc/PID/stat."""


def this_process() -> str:
    """Machine, namespace, id and start of this process: no other process ever has the same four."""
    return _named(os.getpid()) or f"{_place()}/{os.getpid()}/unknown"


def fail_runs_of_dead_workers(instance: dg.DagsterInstance) -> list[str]:
    """Mark runs in progress whose process is gone from this machine as failed, and free their slots; their ids."""
    statuses = [*IN_PROGRESS_RUN_STATUSES, DagsterRunStatus.NOT_STARTED]
    ended = []
    for run in instance.get_runs(filters=RunsFilter(statuses=statuses)):
        process = run.tags.get(WORKER_TAG, "")
        if not process.startswith(f"{_place()}/") or _is_alive(process):
            continue
        instance.report_run_failed(
            run, f"its process {process} died (killed, or out of memory) before the run ended; nothing is half done"
        )
        instance.event_log_storage.free_concurrency_slots_for_run(run.run_id)
        ended.append(run.run_id)
    return ended


def _is_alive(process: str) -> bool:
    process_id, started = process.split("/")[-2:]
    return _named(int(process_id)) == process or started == "unknown"


def _place() -> str:
    """This machine, and in it the namespace in which process ids count."""
    namespace = Path("/proc/self/ns/pid")
    return f"{socket.gethostname()}/{namespace.readlink() if namespace.exists() else ''}"


def _named(process_id: int) -> str | None:
    """The full name of a process that lives here; None if there is none. A dead one that nobody fetched is gone."""
    try:
        fields = Path(f"/proc/{process_id}/stat").read_text().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return None
    return None if fields[0] in ("Z", "X") else f"{_place()}/{process_id}/{fields[STARTED_AT_FIELD]}"
