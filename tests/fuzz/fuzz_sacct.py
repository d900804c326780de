"""Mutated sacct records: each one must end up held, ignored, uncounted or quarantined, and nothing may raise.

Run by `make fuzz`: python -m tests.fuzz.fuzz_sacct [records] [seed]. Not part of the tests that pytest collects.
"""

import json
import random
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from chargeback.usage.inspect_extract import inspect_extract
from chargeback.usage.inspection import Inspection
from chargeback.usage.sacct_fields import words
from tests.chargeback.usage.sacct_days import SacctDays

RECORDS = 100_000
RECORDS_OF_A_FILE = 1000
JSON_SHARE = 0.1
DAYS = tuple(f"2026-07-0{day}" for day in range(1, 7))

FIELDS = words(
    """
    JobIDRaw JobID Cluster Account User QOS Partition State Submit Eligible Start End Elapsed ElapsedRaw Suspended
    AllocTRES ReqTRES NodeList NNodes Timelimit Comment SubmitLine JobName
    """
)

STATES = ("COMPLETED", "FAILED", "TIMEOUT", "CANCELLED by 1001", "RUNNING", "PENDING", "NODE_FAIL", "REQUEUED")
GRANTS = (
    "billing=8,cpu=8,gres/gpu:a100={n},gres/gpu={n},mem=64G,node=1",
    "cpu=8,gres/gpu={n},mem=64G,node=2",
    "cpu=8,gres/gpu:a100_3g.40gb={n},gres/gpu={n},node=1",
    "cpu=8,mem=64G,node=1",
    "gres/shard:gb10={n},gres/shard={n}",
)
HOSTS = ("gpu01", "gpu[01-02]", "gpu[01-04,07]", "a100gpu[2,4]", "None assigned")

ODD_TEXTS = (
    "",
    " ",
    "|",
    "||||",
    "\n",
    "\r",
    "\x00",
    "\u2028",
    "☃",
    "ñandú",
    "🦙" * 40,
    "9" * 40,
    "-1",
    "1e309",
    "NaN",
    "None",
    "Unknown",
    "=cmd()",
    "'; drop table jobs; --",
    "../../etc/passwd",
    "A" * 5000,
)
ODD_TIMES = (
    "2026-02-30T00:00:00",
    "2026-03-29T02:30:00",
    "2026-10-25T02:30:00",
    "1970-01-01T00:00:00",
    "9999-12-31T23:59:59",
    "2026-07-03T09:00:00+9999",
    "2026-07-03T25:61:61",
    "2026-07-03 09:00:00",
    "1783069200",
    "0",
)
ODD_DURATIONS = (
    "99999999-99:99:99",
    "-00:00:01",
    "UNLIMITED",
    "1:2:3:4:5",
    "00:00.001",
    "3-",
    "2147483648",
    "18446744073709551615",
)
ODD_TRES = (
    "gres/gpu=99999999999",
    "gres/gpu=2,gres/gpu:a100=3",
    "gres/gpu=-4",
    "gres/gpu:=1",
    "gres/gpu=1,gres/gpu=2",
    "gres/gpu",
    ",,,",
    "gres/gpu:a100_9g.40gb=1",
    "gres/mps=250",
)
ODD_HOSTS = ("gpu[1-999999999]", "gpu[01-", "gpu[3-1]", "@all", "a,b,,c", "[1-2]", "gpu[0-9][0-9][0-9][0-9][0-9]")


def main(records: int, seed: int) -> None:
    """Fuzz that many records and print one line of figures; any exception or record that got lost ends it."""
    chance = random.Random(seed)
    began = time.monotonic()
    totals: Counter[str] = Counter()
    made = 0
    while made < records:
        size = min(RECORDS_OF_A_FILE, records - made)
        content = _json_file(chance, size) if chance.random() < JSON_SHARE else _text_file(chance, size)
        _count(_inspect(content, day=DAYS[made // RECORDS_OF_A_FILE % len(DAYS)]), totals)
        made += size
    seconds = time.monotonic() - began
    shown = ", ".join(f"{totals[way]} {way}" for way in ("held", "uncounted", "ignored", "quarantined"))
    sys.stdout.write(f"fuzz_sacct: {made} mutated records, seed {seed}, read as {totals['records']} records: {shown}; ")
    sys.stdout.write(f"none lost, no exception, {seconds:.0f} s\n")


def _inspect(content: bytes, *, day: str) -> Inspection:
    utc = ZoneInfo("UTC")
    found = inspect_extract(content, name="fuzz", cluster="c1", zone=ZoneInfo("Europe/Amsterdam"), billing_zone=utc)
    if found.problem is not None and not content.startswith(b"{"):
        raise AssertionError(f"a file with a good header was refused: {found.problem}")
    if not content.startswith(b"{"):
        SacctDays([content]).holds(day)
    return found


def _count(found: Inspection, totals: Counter[str]) -> None:
    ways = {
        "held": found.holds,
        "uncounted": len(found.unknown_gpu_count),
        "ignored": sum(found.ignored.values()),
        "quarantined": len(found.quarantined),
    }
    if sum(ways.values()) != found.records:
        raise AssertionError(f"{found.records} records, but {ways}")
    totals.update(ways)
    totals["records"] += found.records


def _text_file(chance: random.Random, size: int) -> bytes:
    lines = ["|".join(FIELDS).encode()]
    lines += [_mutated(chance, _record(chance)) for _ in range(size)]
    return b"\n".join(lines) + b"\n"


def _record(chance: random.Random) -> dict[str, str]:
    start = datetime(2026, 7, 1) + timedelta(seconds=chance.randrange(5 * 86400))  # noqa: DTZ001
    elapsed = chance.randrange(100_000)
    state = chance.choice(STATES)
    never = state == "PENDING"
    job = str(chance.randrange(1, 10_000_000))
    step = chance.choice(("", "", "", ".batch", ".0"))
    return {
        "JobIDRaw": job + step,
        "JobID": job + step,
        "Cluster": "c1",
        "Account": "lab",
        "User": "u1",
        "QOS": "normal",
        "Partition": "gpu",
        "State": state,
        "Submit": f"{start - timedelta(hours=1):%Y-%m-%dT%H:%M:%S}",
        "Eligible": f"{start:%Y-%m-%dT%H:%M:%S}",
        "Start": "Unknown" if never else f"{start:%Y-%m-%dT%H:%M:%S}",
        "End": "Unknown" if never or state == "RUNNING" else f"{start + timedelta(seconds=elapsed):%Y-%m-%dT%H:%M:%S}",
        "Elapsed": "",
        "ElapsedRaw": str(elapsed),
        "Suspended": "00:00:00",
        "AllocTRES": "" if never else chance.choice(GRANTS).format(n=chance.randrange(1, 9)),
        "ReqTRES": "cpu=1",
        "NodeList": "None assigned" if never else chance.choice(HOSTS),
        "NNodes": "1",
        "Timelimit": "1-00:00:00",
        "Comment": "cc=4711",
        "SubmitLine": "sbatch train.sh",
        "JobName": "train",
    }


def _mutated(chance: random.Random, record: dict[str, str]) -> bytes:
    values = list(record.values())
    for _ in range(chance.choice((0, 1, 1, 1, 2, 3))):
        chance.choice(VALUE_MUTATIONS)(chance, values)
    content = "|".join(values).encode()
    return chance.choice(BYTE_MUTATIONS)(chance, content) if chance.random() < 0.3 else content


def _odd_text(chance: random.Random, values: list[str]) -> None:
    at = chance.randrange(len(values))
    values[at] = chance.choice((values[at], "")) + chance.choice(ODD_TEXTS)


def _odd_time(chance: random.Random, values: list[str]) -> None:
    _set(values, chance.choice(("Submit", "Eligible", "Start", "End")), chance.choice(ODD_TIMES))


def _odd_duration(chance: random.Random, values: list[str]) -> None:
    _set(values, chance.choice(("Elapsed", "ElapsedRaw", "Suspended", "Timelimit")), chance.choice(ODD_DURATIONS))


def _odd_grant(chance: random.Random, values: list[str]) -> None:
    _set(values, chance.choice(("AllocTRES", "ReqTRES")), chance.choice(ODD_TRES))


def _odd_host(chance: random.Random, values: list[str]) -> None:
    _set(values, "NodeList", chance.choice(ODD_HOSTS))


def _dropped(chance: random.Random, values: list[str]) -> None:
    if len(values) > 1:
        del values[chance.randrange(len(values))]


def _doubled(chance: random.Random, values: list[str]) -> None:
    values.insert(chance.randrange(len(values)), chance.choice(values))


def _swapped(chance: random.Random, values: list[str]) -> None:
    one, other = chance.randrange(len(values)), chance.randrange(len(values))
    values[one], values[other] = values[other], values[one]


def _set(values: list[str], name: str, value: str) -> None:
    at = FIELDS.index(name)
    if at < len(values):
        values[at] = value


def _flipped(chance: random.Random, content: bytes) -> bytes:
    changed = bytearray(content)
    for _ in range(chance.randrange(1, 6)):
        changed[chance.randrange(len(changed))] = chance.randrange(256)
    return bytes(changed)


def _cut(chance: random.Random, content: bytes) -> bytes:
    return content[: chance.randrange(1, len(content))]


def _repeated(chance: random.Random, content: bytes) -> bytes:
    return content + chance.choice((b"", b"|", b"\n")) + content


VALUE_MUTATIONS: tuple[Callable[[random.Random, list[str]], None], ...] = (
    _odd_text,
    _odd_time,
    _odd_duration,
    _odd_grant,
    _odd_host,
    _dropped,
    _doubled,
    _swapped,
)
BYTE_MUTATIONS: tuple[Callable[[random.Random, bytes], bytes], ...] = (_flipped, _cut, _repeated)

ODD_VALUES: tuple[object, ...] = (
    None,
    "",
    -1,
    0,
    2**32 - 2,
    2**64 - 2,
    1.5,
    True,
    [],
    {},
    ["RUNNING", "COMPLETING"],
    "☃",
)


def _json_file(chance: random.Random, size: int) -> bytes:
    jobs = [_mutated_job(chance) for _ in range(size)]
    return json.dumps({"meta": {"plugin": {"data_parser": "data_parser/v0.0.40"}}, "jobs": jobs}).encode()


def _mutated_job(chance: random.Random) -> object:
    start, elapsed = 1_783_000_000 + chance.randrange(400_000), chance.randrange(100_000)
    gpus = chance.randrange(9)
    job: dict[str, object] = {
        "job_id": chance.randrange(1, 10_000_000),
        "array": {"job_id": 0, "task_id": {"set": False, "infinite": False, "number": 0}},
        "association": {"account": "lab", "cluster": "c1", "user": "u1"},
        "nodes": chance.choice(HOSTS),
        "partition": "gpu",
        "state": {"current": [chance.choice(STATES).partition(" ")[0]], "reason": "None"},
        "time": {"submission": start - 9, "start": start, "end": start + elapsed, "elapsed": elapsed, "suspended": 0},
        "tres": {"allocated": [{"type": "gres", "name": "gpu", "count": gpus}], "requested": []},
        "steps": [{}] * chance.randrange(3),
    }
    for _ in range(chance.randrange(3)):
        holder, key = chance.choice(list(_places(job)))
        holder[key] = chance.choice(ODD_VALUES)
    return job if chance.random() < 0.99 else chance.choice(ODD_VALUES)


def _places(job: dict[str, object]) -> Iterator[tuple[dict[str, object], str]]:
    for key, value in job.items():
        yield job, key
        if isinstance(value, dict):
            yield from _places(value)


if __name__ == "__main__":
    arguments = [int(text) for text in sys.argv[1:]]
    main(*(arguments + [RECORDS, 20261130][len(arguments) :]))
