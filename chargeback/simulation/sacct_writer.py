"""What a nightly `sacct -a -D -X -P` prints: every run that there was since the window's start, as it was at that time.

Not here: node events, reservations and job details (slurm_listing_writer.py).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from zoneinfo import ZoneInfo

from chargeback.simulation.calendar_days import HOUR, naive
from chargeback.simulation.slurm_run import SlurmRun

DELIMITER = "\x1f"

COLUMNS = (
    "JobIDRaw", "JobID", "Cluster", "User", "Account", "WCKey", "Partition", "QOS", "State", "Reason", "Submit",
    "Eligible", "Start", "End", "ElapsedRaw", "Suspended", "TimelimitRaw", "AllocTRES", "ReqTRES", "NNodes", "NodeList",
    "Reservation", "DBIndex", "ExitCode", "Flags", "SubmitLine", "JobName",
)  # fmt: skip

CPUS_PER_GPU, GIGABYTES_PER_GPU = 12, 96
EXIT_CODES = {"FAILED": "1:0", "OUT_OF_MEMORY": "0:125", "CANCELLED": "0:15", "TIMEOUT": "0:0", "NODE_FAIL": "1:0"}


@dataclass(frozen=True, slots=True)
class ExtractWindow:
    """An extract of a cluster: everything since `starts` as it was at `extracted_at`, in naive times of `zone`."""

    cluster: str
    starts: int
    extracted_at: int
    zone: ZoneInfo


def sacct_text(runs: Sequence[SlurmRun], window: ExtractWindow) -> bytes:
    """The extract: a header and one line a run, separated by a character that no name has."""
    lines = [
        _line(run, window)
        for run in sorted(runs, key=lambda run: (run.submitted, run.job_id_raw, run.started or 0))
        if run.submitted <= window.extracted_at and (run.ended is None or run.ended >= window.starts)
    ]
    return "".join(f"{DELIMITER.join(line)}\n" for line in [COLUMNS, *lines]).encode()


def _line(run: SlurmRun, window: ExtractWindow) -> tuple[str, ...]:
    at, zone = window.extracted_at, window.zone
    started = run.started if run.started is not None and run.started <= at else None
    ended = run.ended if run.ended is not None and run.ended <= at else None
    suspended = 0 if started is None else run.suspended_seconds(at if ended is None else ended)
    until = at if ended is None else ended
    cells = {
        "JobIDRaw": str(run.job_id_raw),
        "JobID": run.job_id,
        "Cluster": window.cluster,
        "User": run.user,
        "Account": run.account,
        "WCKey": f"*{run.account}",
        "Partition": run.partition,
        "QOS": run.qos,
        "State": _state(run, started, ended, at),
        "Reason": run.reason if started is None or run.reason in ("BeginTime", "NodeDown") else "None",
        "Submit": naive(run.submitted, zone),
        "Eligible": naive(run.submitted, zone),
        "Start": naive(started, zone) if ended is None or started is not None else "None",
        "End": naive(ended, zone),
        "ElapsedRaw": "0" if started is None else str(until - started - suspended),
        "Suspended": clock(suspended),
        "TimelimitRaw": str(run.limit_minutes),
        "AllocTRES": "" if started is None else tres_of(run),
        "ReqTRES": asked_tres(run),
        "NNodes": str(max(1, len(run.hosts))),
        "NodeList": "None assigned" if started is None else fold(run.hosts),
        "Reservation": run.reservation,
        "DBIndex": str(run.job_id_raw * 10 + (run.started or run.submitted) % 10),
        "ExitCode": EXIT_CODES.get(run.state, "0:0") if ended is not None else "0:0",
        "Flags": "SchedBackfill,StartRecieved" if started is not None else "",
        "SubmitLine": submit_line(run),
        "JobName": run.job_name,
    }
    return tuple(cells[name] for name in COLUMNS)


def _state(run: SlurmRun, started: int | None, ended: int | None, at: int) -> str:
    if ended is not None:
        return "CANCELLED by 1001" if run.state == "CANCELLED" else run.state
    if started is None:
        return "PENDING"
    return "SUSPENDED" if run.is_suspended(at) else "RUNNING"


def tres_of(run: SlurmRun) -> str:
    """What it was granted, typed and untyped entries of the same devices, in sacct's order."""
    counts = run.devices_by_gres()
    total = sum(counts.values())
    gpus = [f"gres/gpu:{gres}={count}" for gres, count in sorted(counts.items())] + [f"gres/gpu={total}"] * bool(total)
    size = max(1, total)
    return ",".join(
        [f"billing={size * 16}", f"cpu={size * CPUS_PER_GPU}", *gpus, f"mem={size * GIGABYTES_PER_GPU}G",
         f"node={max(1, len(run.hosts))}"]
    )  # fmt: skip


def asked_tres(run: SlurmRun) -> str:
    """What it had asked for: one without a start says it itself."""
    gres, count = run.asked
    if not gres:
        return tres_of(run)
    return f"billing={count * 16},cpu={count * CPUS_PER_GPU},gres/gpu:{gres}={count},gres/gpu={count},mem=96G,node=1"


def submit_line(run: SlurmRun) -> str:
    """The command that submitted it."""
    wanted = ",".join(f"gpu:{gres}:{count}" for gres, count in sorted(run.devices_by_gres().items()))
    command = "srun --pty" if run.is_interactive else "sbatch --parsable"
    options = [f"-A {run.account}", f"-q {run.qos}", f"-J {run.job_name}"]
    options += [f"--gres={wanted}"] * bool(wanted) + ["--exclusive"] * run.is_exclusive
    return f"{command} {' '.join(options)} {'bash' if run.is_interactive else 'train.sh'}"


def clock(seconds: int) -> str:
    """`HH:MM:SS`, `D-HH:MM:SS` from a day on."""
    days, rest = divmod(seconds, 24 * HOUR)
    spelled = f"{rest // HOUR:02}:{rest % HOUR // 60:02}:{rest % 60:02}"
    return f"{days}-{spelled}" if days else spelled


def fold(hosts: Sequence[str]) -> str:
    """`sa-a100-[01-02]`: hosts that differ in their last two digits only stand in brackets."""
    by_stem: dict[str, list[str]] = {}
    for host in hosts:
        by_stem.setdefault(host[:-2], []).append(host[-2:])
    return ",".join(
        f"{stem}{numbers[0]}" if len(numbers) == 1 else f"{stem}[{','.join(numbers)}]"
        for stem, numbers in by_stem.items()
    )
