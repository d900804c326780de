"""Approved GPU counts: who settled the count of a run that nobody recorded, and how.

Not here: which runs are unknown (gpu_counts.py).
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

import yaml

from chargeback.usage.nesting import ALIASES_NOT_READ, NESTS_TOO_DEEP, has_aliases

_WHOLE_NUMBER = re.compile(r"^\d{1,6}$")

NODE_COUNT = "node count"
LARGEST_BYTES = 1_000_000

EXAMPLE = "write {cluster: c1, run: 4711, gpus: 2 or `node count`, by: name, reason: text}"


@dataclass(frozen=True, slots=True)
class GpuCountApproval:
    """One decision. `run` is a raw job id, a displayed one or a whole run key; `gpus` None means the hosts' GPUs."""

    cluster: str
    run: str
    gpus: int | None
    by: str
    reason: str


@dataclass(frozen=True, slots=True)
class ParsedApprovals:
    """The readable approvals of an object, and what is wrong with the others, one sentence each."""

    approvals: tuple[GpuCountApproval, ...]
    findings: tuple[str, ...]


def parse_approvals(content: bytes) -> ParsedApprovals:
    """Read approvals from YAML: a list of entries with cluster, run, gpus, by and reason, all of them given.

    Source: design.md 5.2. Never raises for what people wrote: it becomes a finding.
    """
    if len(content) > LARGEST_BYTES:
        return ParsedApprovals((), (f"approvals are {len(content)} bytes long; at most {LARGEST_BYTES} are read",))
    try:
        text = content.decode("utf-8-sig")
        if has_aliases(text):
            return ParsedApprovals((), (f"approvals: {ALIASES_NOT_READ}",))
        entries = yaml.load(text, Loader=yaml.CBaseLoader)  # noqa: S506  (texts only: a run 8_3 is no number)
    except RecursionError:
        return ParsedApprovals((), (f"approvals: {NESTS_TOO_DEEP}",))
    except (yaml.YAMLError, ValueError) as refusal:
        return ParsedApprovals((), (f"approvals are no YAML: {' '.join(str(refusal).split())[:200]}",))
    if not entries:
        return ParsedApprovals((), ())
    if not isinstance(entries, list):
        return ParsedApprovals((), (f"approvals are no list of entries: {EXAMPLE}",))
    approvals: list[GpuCountApproval] = []
    findings: list[str] = []
    for number, entry in enumerate(entries, start=1):
        problem = _problem_of(entry)
        if problem is None:
            approvals.append(_approval_of(entry))
        else:
            findings.append(f"approval {number}: {problem}: {EXAMPLE}")
    return ParsedApprovals(tuple(approvals), tuple(findings))


def _problem_of(entry: object) -> str | None:
    if not isinstance(entry, Mapping):
        return f"{entry!r} is no entry"
    missing = [key for key in ("cluster", "run", "gpus", "by", "reason") if not entry.get(key)]
    if missing:
        return f"{', '.join(missing)} missing"
    gpus = entry["gpus"]
    if gpus != NODE_COUNT and not _WHOLE_NUMBER.match(str(gpus)):
        return f"gpus {gpus!r} is neither a whole number nor `{NODE_COUNT}`"
    return None


def _approval_of(entry: Mapping[str, object]) -> GpuCountApproval:
    gpus = str(entry["gpus"])
    return GpuCountApproval(
        cluster=str(entry["cluster"]),
        run=str(entry["run"]),
        gpus=None if gpus == NODE_COUNT else int(gpus),
        by=str(entry["by"]),
        reason=str(entry["reason"]),
    )
