"""The dump's node listing, node events, reservations and job details, in a replay and as they were at an instant.

Not here: job records (stretched_jobs.py).
"""

import re
from collections.abc import Sequence
from datetime import datetime, timedelta

from chargeback.simulation.replay import FACTOR, Replay, printed

_RUN_TIME = re.compile(r"\bRunTime=(?:(\d+)-)?(\d\d):(\d\d):(\d\d)")
_STARTED = re.compile(r"\bStartTime=(\S+)")


def node_listing(racks: Sequence[Replay], listing: bytes, *, extracted_at: datetime) -> bytes:
    """`scontrol show node` of all racks: each has the dump's hosts and a CPU host made of its slice host."""
    nodes = listing.decode().strip().split("\n\n")
    with_cpu_host = [*nodes, _cpu_host(next(node for node in nodes if node.startswith("NodeName=mig-1 ")))]
    now = printed(extracted_at - timedelta(hours=1))
    return "".join(
        re.sub(r"(\w*Time)=\d\S*", rf"\1={now}", rack.renamed(node)) + "\n\n"
        for rack in racks
        for node in with_cpu_host
    ).encode()


def _cpu_host(node: str) -> str:
    without_gpus = re.sub(r",gres/gpu\S*", "", re.sub(r"Gres=\S+", "Gres=(null)", node))
    return without_gpus.replace("NodeName=mig-1", "NodeName=cpu-1").replace("Partitions=mig", "Partitions=cpu")


def sacctmgr_extract(
    replays: Sequence[Replay], table: bytes, *, window_start: datetime, extracted_at: datetime
) -> bytes:
    """A table of `sacctmgr -P show event` or `show reservation`: what had begun and not ended before the window.

    What goes on at that instant has the end `Unknown` if it is an event; a reservation's end is planned and known.
    """
    header, *lines = table.decode().splitlines()
    names = header.split("|")
    begins, ends = names.index("TimeStart"), names.index("TimeEnd")
    rows = [header]
    for replay in replays:
        for cells in (line.split("|") for line in lines):
            started, ended = replay.instant(cells[begins]), replay.instant(cells[ends])
            if started is None or ended is None or started >= extracted_at or ended < window_start:
                continue
            until = None if "NodeName" in names and ended > extracted_at else ended
            cells = [*cells[:begins], printed(started), printed(until), *cells[ends + 1 :]]
            rows.append(replay.renamed("|".join(cells)))
    return ("\n".join(rows) + "\n").encode()


def job_details(replay: Replay, sample: bytes) -> tuple[datetime, bytes] | None:
    """A sample of `scontrol show job -d` in a replay: when it was taken, and its running jobs."""
    running = [job for job in sample.decode().split("\n\n") if "JobState=RUNNING" in job]
    taken = [at for job in running if (at := _taken_at(job, replay))]
    if not taken:
        return None
    return max(taken), "\n\n".join(_moved(job.strip("\n"), replay) for job in running).encode() + b"\n\n"


def _taken_at(job: str, replay: Replay) -> datetime | None:
    """A job that was never suspended has run since its start until the sample."""
    started, run_time = _STARTED.search(job), _RUN_TIME.search(job)
    begins = replay.instant(started[1]) if started else None
    return begins + FACTOR * _length(run_time) if begins and run_time else None


def _length(run_time: re.Match[str]) -> timedelta:
    days, hours, minutes, seconds = (int(part or 0) for part in run_time.groups())
    return timedelta(days=days, hours=hours, minutes=minutes, seconds=seconds)


def _moved(job: str, replay: Replay) -> str:
    """The job's text with its number, hosts, instants and run time moved; the end of its limit is left out."""
    without_limit = re.sub(r"\b(EndTime|TimeLimit)=\S+", r"\1=Unknown", job)
    renumbered = re.sub(r"^JobId=(\d+)", lambda number: f"JobId={replay.renumbered(number[1])}", without_limit)
    longer = _RUN_TIME.sub(lambda run_time: f"RunTime={_clock(FACTOR * _length(run_time))}", renumbered)
    return replay.retimed(replay.renamed(longer))


def _clock(length: timedelta) -> str:
    hours, seconds = divmod(int(length.total_seconds()), 3600)
    return f"{hours:02}:{seconds // 60:02}:{seconds % 60:02}"
