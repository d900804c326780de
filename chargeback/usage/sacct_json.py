"""`sacct --json` of Slurm 21.08, 22.05 and 23.11 shapes, read into the same text fields as `sacct` text.

Shapes differ by release: states are text or lists, numbers bare or {set, infinite, number}, absent names null or "",
and sentinels stand for no value. Everything behind the shape is judged in sacct_records.py.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from zoneinfo import ZoneInfo

import orjson
import polars as pl

from chargeback.usage.extract import EXCERPT_LENGTH, ParsedExtract, UnreadableExtract
from chargeback.usage.sacct_records import WANTED_FIELDS, read_records
from chargeback.usage.sacct_text import text_of

KNOWN_PLUGINS = frozenset(
    {
        *(f"openapi/dbv0.0.{version}" for version in (36, 37, 38, 39)),
        *(f"data_parser/v0.0.{version}" for version in (39, 40, 41, 42, 43)),
    }
)

NO_VALUES = frozenset({2**32 - 2, 2**32 - 1, 2**64 - 2, 2**64 - 1})

Json = object


def parse_sacct_json(content: bytes, *, cluster: str, zone: ZoneInfo | None = None) -> ParsedExtract:
    """Records of `sacct --json`; `line` is the record's number in `jobs`. Steps inside a job count as steps ignored.

    Times are Unix seconds, so `zone` is not needed; it is taken so that both parsers are called alike.
    Raises: UnreadableExtract for broken JSON, for JSON that is not sacct's, and for a plugin version that is not known.
    """
    jobs, default_cluster = _jobs_of(text_of(content))
    rows = [_row_of(number, job, default_cluster) for number, job in enumerate(jobs, start=1)]
    schema = {"line": pl.Int64, "text": pl.String, **dict.fromkeys(WANTED_FIELDS, pl.String)}
    parsed = read_records(pl.DataFrame(rows, schema=schema, orient="row"), cluster=cluster, zone=zone)
    steps = sum(_length(_at(job, "steps")) for job in jobs)
    return replace(parsed, records=parsed.records + steps, steps_ignored=parsed.steps_ignored + steps)


def is_json(content: bytes) -> bool:
    """The object begins as a JSON document does."""
    return content.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] in (b"{", b"[")


def _jobs_of(text: str) -> tuple[Sequence[Json], str]:
    try:
        document = orjson.loads(text)
    except orjson.JSONDecodeError as problem:
        raise UnreadableExtract(f"the JSON is cut off or broken: {problem}") from None
    jobs = _at(document, "jobs")
    if not isinstance(jobs, list):
        raise UnreadableExtract("JSON without `jobs`: not an extract of `sacct --json`")
    plugin = _plugin_of(document)
    if plugin not in KNOWN_PLUGINS:
        raise UnreadableExtract(
            f"JSON of plugin {plugin or '(none named)'} is not known: extract with --parsable2 (-P)"
        )
    if jobs and all(_at(job, "time") is None for job in jobs):
        raise UnreadableExtract("jobs without `time`: this is `squeue --json`, not `sacct --json`")
    return jobs, _text(_at(document, "meta", "slurm", "cluster"))


def _plugin_of(document: Json) -> str:
    for key in ("plugin", "plugins"):
        for name in ("data_parser", "type"):
            found = _text(_at(document, "meta", key, name))
            if found:
                return found.partition("+")[0]
    return ""


def _row_of(number: int, job: Json, default_cluster: str) -> tuple[object, ...]:
    fields = _fields_of(job, default_cluster) if isinstance(job, Mapping) else {}
    text = orjson.dumps(job).decode("utf-8")
    shown = text if "�" in text else text[:EXCERPT_LENGTH]
    return (number, shown, *(fields.get(name) for name in WANTED_FIELDS))


def _fields_of(job: Mapping[str, Json], default_cluster: str) -> dict[str, str | None]:
    wckey = _at(job, "wckey")
    names_wckey = isinstance(wckey, Mapping)
    default = "*" if names_wckey and "ASSIGNED_DEFAULT" in _list(_at(wckey, "flags")) else ""
    key = _text(_at(wckey, "wckey") if names_wckey else wckey)
    return {
        "JobIDRaw": _number(_at(job, "job_id")),
        "JobID": _displayed_id(job),
        "SLUID": _text(_at(job, "sluid")) or None,
        "DBIndex": _number(_at(job, "db_index")) or None,
        "Cluster": _text(_at(job, "cluster")) or _text(_at(job, "association", "cluster")) or default_cluster,
        "User": _text(_at(job, "user")) or _text(_at(job, "association", "user")),
        "Account": _text(_at(job, "account")) or _text(_at(job, "association", "account")),
        "WCKey": f"{default}{key}" if key else "",
        "QOS": _text(_at(job, "qos")),
        "Partition": _text(_at(job, "partition")),
        "JobName": _text(_at(job, "name")),
        "State": _first(_at(job, "state", "current")),
        "Reason": _text(_at(job, "state", "reason")),
        "AllocTRES": _tres(_at(job, "tres", "allocated")),
        "ReqTRES": _tres(_at(job, "tres", "requested")),
        "NodeList": _text(_at(job, "nodes")),
        "NNodes": _number(_at(job, "allocation_nodes")),
        "Reservation": _text(_at(job, "reservation", "name")),
        "SubmitLine": _text(_at(job, "submit_line")) or None,
        "Flags": ",".join(_text(flag) for flag in _list(_at(job, "flags"))),
        "ExitCode": _exit_code(_at(job, "exit_code")),
        "TimelimitRaw": _number(_at(job, "time", "limit")),
        "ElapsedRaw": _number(_at(job, "time", "elapsed")),
        "Suspended": _number(_at(job, "time", "suspended")),
        **{
            field: _instant(_at(job, "time", name))
            for field, name in (
                ("Submit", "submission"),
                ("Eligible", "eligible"),
                ("Start", "start"),
                ("End", "end"),
            )
        },
    }


def _displayed_id(job: Mapping[str, Json]) -> str:
    raw = _number(_at(job, "job_id"))
    array, task, tasks = (_at(job, "array", name) for name in ("job_id", "task_id", "task"))
    if _number(array) not in ("", "0"):
        if _number(task):
            return f"{_number(array)}_{_number(task)}"
        return f"{_number(array)}_[{_text(tasks)}]" if _text(tasks) else raw
    leader = _number(_at(job, "het", "job_id"))
    return f"{leader}+{_number(_at(job, 'het', 'job_offset')) or 0}" if leader not in ("", "0") else raw


def _tres(entries: Json) -> str:
    """TRES as sacct prints it; entries without a count are left out."""
    parts = []
    for entry in _list(entries):
        kind, name, count = _text(_at(entry, "type")), _text(_at(entry, "name")), _number(_at(entry, "count"))
        if kind and count and not count.startswith("-"):
            parts.append(f"{kind}/{name}={count}" if name else f"{kind}={count}")
    return ",".join(parts)


def _exit_code(code: Json) -> str:
    returned = _number(_at(code, "return_code"))
    signal = _at(code, "signal", "signal_id")
    if signal is None:
        signal = _at(code, "signal", "id")
    stopped = _number(signal)
    return f"{returned or 0}:{stopped or 0}" if returned or stopped else ""


def _instant(value: Json) -> str:
    seconds = _number(value)
    return "" if seconds == "0" else seconds


def _number(value: Json) -> str:
    """A number as text; empty for null, a sentinel, `set: false` and `infinite: true`."""
    if isinstance(value, Mapping):
        return _number(value.get("number")) if value.get("set") and not value.get("infinite") else ""
    if isinstance(value, int) and not isinstance(value, bool):
        return "" if value in NO_VALUES else str(value)
    return value.strip() if isinstance(value, str) else ""


def _first(value: Json) -> str:
    return _text(value[0]) if isinstance(value, list) and value else _text(value)


def _text(value: Json) -> str:
    return value if isinstance(value, str) else ""


def _list(value: Json) -> Sequence[Json]:
    return value if isinstance(value, list) else ()


def _length(value: Json) -> int:
    return len(value) if isinstance(value, list) else 0


def _at(value: Json, *path: str) -> Json:
    for key in path:
        if not isinstance(value, Mapping):
            return None
        value = value.get(key)
    return value
