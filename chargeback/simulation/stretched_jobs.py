"""The dump's job records in a replay, as a nightly `sacct` would have printed them at a given instant.

Not here: when extracts are made (spread_month.py).
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta

from chargeback.simulation.replay import FACTOR, Replay, dump_instant, printed

DELIMITER = "\x1f"

COLUMNS = (
    "JobIDRaw", "JobID", "Cluster", "User", "Account", "WCKey", "Partition", "QOS", "State", "Reason", "Submit",
    "Eligible", "Start", "End", "ElapsedRaw", "Suspended", "TimelimitRaw", "AllocTRES", "ReqTRES", "NNodes", "NodeList",
    "Reservation", "DBIndex", "ExitCode", "Flags", "SubmitLine", "JobName",
)  # fmt: skip
"""What the recommended command extracts (real_slurm/README.md)."""

JobRecord = Mapping[str, str]


def job_records(sacct: bytes) -> list[JobRecord]:
    """The dump's records under sacct's field names, moved to where a site would have them.

    A CPU job that shared a GPU host runs on a CPU host (`cpu-1`), as a site would have it: on a GPU host its missing
    GPU count would be unknown. What `slcarol` ran on account nlp is put on account `research`, which nobody owns.
    """
    lines = sacct.decode().splitlines()
    header = lines[0].split(DELIMITER)
    return [_at_home(dict(zip(header, line.split(DELIMITER), strict=True))) for line in lines[1:]]


def _at_home(record: dict[str, str]) -> JobRecord:
    if record["AllocTRES"] and "gres/gpu" not in record["AllocTRES"]:
        return record | {"NodeList": "cpu-1", "Partition": "cpu"}
    if (record["Account"], record["User"]) == ("nlp", "slcarol"):
        return record | {"Account": "research"}
    return record


def origin_of(records: Iterable[JobRecord]) -> datetime:
    """The dump's first submission."""
    return min(dump_instant(record["Submit"]) for record in records)


def sacct_extract(
    replays: Sequence[Replay], records: Sequence[JobRecord], *, window_start: datetime, extracted_at: datetime
) -> bytes:
    """What `sacct -S window_start` prints at `extracted_at`: jobs that were there since, as they are then."""
    rows = [
        row
        for replay in replays
        for record in records
        if (row := _as_seen(record, replay, window_start=window_start, extracted_at=extracted_at))
    ]
    return "".join(f"{DELIMITER.join(line)}\n" for line in [COLUMNS, *rows]).encode()


def _as_seen(
    record: JobRecord, replay: Replay, *, window_start: datetime, extracted_at: datetime
) -> tuple[str, ...] | None:
    """The record's line at that instant; None before its submission and once it had ended before the window."""
    submitted, started, ended = (replay.instant(record[name]) for name in ("Submit", "Start", "End"))
    if submitted is None or submitted >= extracted_at or ended is None or ended < window_start:
        return None
    if ended <= extracted_at:
        seen = _finished(record)
    elif started is not None and started < extracted_at:
        seen = _running(record, for_seconds=int((extracted_at - started).total_seconds()))
    else:
        seen = _WAITING
    moved = {
        "JobIDRaw": replay.renumbered(record["JobIDRaw"]),
        "JobID": replay.renumbered(record["JobID"]),
        "DBIndex": replay.renumbered(record["DBIndex"]),
        "Submit": printed(submitted),
        "Eligible": printed(replay.instant(record["Eligible"])),
        "Start": "None" if record["Start"] == "None" else printed(started),
        "End": printed(ended),
        "TimelimitRaw": _limit_minutes(record),
    }
    line = {**record, **moved, **seen}
    return tuple(replay.renamed(line[name]) for name in COLUMNS)


_WAITING = {
    "State": "PENDING", "Reason": "Priority", "Start": "Unknown", "End": "Unknown", "ElapsedRaw": "0",
    "Suspended": "00:00:00", "AllocTRES": "", "NodeList": "None assigned", "ExitCode": "0:0",
}  # fmt: skip


def _finished(record: JobRecord) -> dict[str, str]:
    return {
        "ElapsedRaw": str(FACTOR * int(record["ElapsedRaw"])),
        "Suspended": _clock(FACTOR * _seconds(record["Suspended"])),
    }


def _running(record: JobRecord, *, for_seconds: int) -> dict[str, str]:
    """A job that will be suspended runs first and is suspended then."""
    elapsed = min(for_seconds, FACTOR * int(record["ElapsedRaw"]))
    return {
        "State": "RUNNING", "End": "Unknown", "ElapsedRaw": str(elapsed), "Suspended": _clock(for_seconds - elapsed),
        "ExitCode": "0:0",
    }  # fmt: skip


def _limit_minutes(record: JobRecord) -> str:
    """The limit that a job ran into is stretched with it; a day is enough for all others."""
    limit = record["TimelimitRaw"]
    return str(FACTOR * int(limit)) if record["State"] == "TIMEOUT" else limit


def _seconds(clock: str) -> int:
    hours, minutes, seconds = map(int, clock.split(":"))
    return (hours * 60 + minutes) * 60 + seconds


def _clock(seconds: int) -> str:
    """`HH:MM:SS`; nothing here lasts a day."""
    return f"{timedelta(seconds=seconds)}".rjust(8, "0")
