"""A worker process that is killed in the middle of a bill: a clear reason; the next bill goes on."""

import os
import select
import signal
import subprocess
from pathlib import Path

import pytest

from tests.estates import BUSY, LAST_DAY, MONTH, OVERNIGHT, Estate, command_line, sacct

pytestmark = pytest.mark.timeout(900)


def test_a_killed_worker_is_a_clear_reason_and_the_next_bill_ends_where_it_would_have(
    billed_estate: Estate, tmp_path: Path
) -> None:
    estate = Estate.begun_in(tmp_path / "estate")
    estate.land("slurm/sacct", sacct(BUSY, OVERNIGHT, LAST_DAY))

    with subprocess.Popen(
        command_line("bill", MONTH, "--workers", "1"), cwd=estate.folder, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True,
    ) as billing:  # fmt: skip
        assert billing.stdout is not None
        for line in billing.stdout:
            if line.startswith("days: 1 of 2"):
                break
        for worker in workers_of(billing.pid):
            os.kill(worker, signal.SIGKILL)
        said, faults = billing.communicate(timeout=600)

    assert billing.returncode == 3, said + faults
    assert "a worker process died" in said
    assert "bill the month again" in said
    assert "Traceback" not in faults
    assert not estate.published()

    outcome = estate.bill()

    assert (outcome.refused, outcome.failures) == ((), ())
    assert outcome.days_unchanged == 1
    assert estate.contents() == billed_estate.contents()
    assert estate.published() == billed_estate.published()


def test_workers_end_by_themselves_when_their_bill_is_killed(tmp_path: Path) -> None:
    estate = Estate.begun_in(tmp_path / "estate")
    estate.land("slurm/sacct", sacct(BUSY, OVERNIGHT, LAST_DAY))

    with subprocess.Popen(
        command_line("bill", MONTH, "--workers", "1"), cwd=estate.folder, stdout=subprocess.PIPE, text=True
    ) as billing:
        assert billing.stdout is not None
        next(line for line in billing.stdout if line.startswith("days: 1 of 2"))
        workers = workers_of(billing.pid)
        billing.kill()
        billing.wait(timeout=60)

    assert workers
    assert all(ended_within(worker, seconds=30) for worker in workers)


def ended_within(pid: int, *, seconds: int) -> bool:
    """Whether a process is gone before so many seconds are over; the kernel says when."""
    try:
        gone = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    return bool(select.select([gone], [], [], seconds)[0])


def workers_of(pid: int) -> list[int]:
    """The processes that run partitions for a bill."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [int(child) for child in children if b"spawn_main" in Path(f"/proc/{child}/cmdline").read_bytes()]
