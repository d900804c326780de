"""What a file is, by its shape: which landing source reads it, or what else it looks like.

Not here: reading it.
"""

import re

import orjson

from chargeback.usage.extract import UnreadableExtract
from chargeback.usage.sacct_json import is_json
from chargeback.usage.sacct_text import text_of

SACCT = "slurm/sacct"
NODES = "slurm/nodes"
EVENTS = "slurm/events"
RESERVATIONS = "slurm/reservations"
BINDINGS = "slurm/bindings"
NOT_READ = "not a source that is read"

_BEGINS = (
    (re.compile(r"^\s*NodeName=", re.M), NODES),
    (re.compile(r"^\s*ReservationName=", re.M), RESERVATIONS),
    (re.compile(r"^\s*JobId=", re.M), BINDINGS),
    (re.compile(r"^\s*PartitionName=", re.M), NOT_READ),
)

_HEADERS = (
    ({"nodename", "timestart", "timeend", "state"}, EVENTS),
    ({"jobid", "tres_alloc"}, NOT_READ),
    ({"jobid", "state"}, SACCT),
    ({"jobidraw", "state"}, SACCT),
    ({"name", "timestart", "timeend"}, RESERVATIONS),
    ({"avail", "partition"}, NOT_READ),
    ({"name", "priority", "preempt"}, NOT_READ),
    ({"cluster", "controlhost"}, NOT_READ),
    ({"account", "descr"}, NOT_READ),
    ({"account", "share"}, NOT_READ),
    ({"user", "admin"}, NOT_READ),
    ({"wckey", "cluster"}, NOT_READ),
    ({"type", "name", "id"}, NOT_READ),
    ({"time", "action", "actor"}, NOT_READ),
    ({"tres name", "used"}, NOT_READ),
)
"""Columns that a header names, in lower case; the first set that it has decides."""


def kind_of(content: bytes) -> str:
    """SACCT, NODES, EVENTS, RESERVATIONS or BINDINGS; NOT_READ for a shape that is known to be something else.

    A text of unknown shape is taken for SACCT: whether it has a layout that can be read is for its parser to say.
    """
    if is_json(content):
        return _kind_of_json(content)
    try:
        head = text_of(content)[:20_000]
    except UnreadableExtract:
        return SACCT
    for pattern, kind in _BEGINS:
        if pattern.search(head):
            return kind
    for line in head.splitlines()[:8]:
        names = {name.strip().lower() for name in re.split(r"[|☃\x1f\t#^]+", line)}
        for wanted, kind in _HEADERS:
            if wanted <= names:
                return kind
    return SACCT


def count_records(content: bytes) -> int:
    """Filled lines of a text, or entries of the longest list of a JSON document."""
    if is_json(content):
        document = _loaded(content)
        if isinstance(document, dict):
            return max((len(value) for value in document.values() if isinstance(value, list)), default=0) or 1
    return sum(1 for line in content.splitlines() if line.strip())


def _kind_of_json(content: bytes) -> str:
    document = _loaded(content)
    if document is None:
        lines = [line for line in content.splitlines() if line.strip()]
        return NOT_READ if lines and _loads(lines[0]) is not None else SACCT
    if not isinstance(document, dict):
        return NOT_READ
    if "nodes" in document or "sinfo" in document:
        return NODES
    jobs = document.get("jobs")
    timed = isinstance(jobs, list) and (not jobs or any(isinstance(job, dict) and "time" in job for job in jobs))
    return SACCT if timed else NOT_READ


def _loaded(content: bytes) -> object:
    return _loads(content.decode("utf-8", errors="replace").removeprefix("\ufeff").encode())


def _loads(content: bytes) -> object:
    try:
        return orjson.loads(content)
    except orjson.JSONDecodeError:
        return None
