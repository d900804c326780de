"""The gate of a month as a document of texts: each check with its outcome, what it found, and who must act.

Not here: checks and evidence; the page of the same document (gate_page.py).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

ORDER = {"failed": 0, "missing": 1, "warning": 2, "passed": 3}
SHOWN_SAMPLES = 5


@dataclass(frozen=True, slots=True)
class CheckResult:
    """One check over the month. `partitions`: outcome -> partitions; `samples`: first findings, each with its place."""

    table: str
    check: str
    holds: str
    owner: str
    stops: str
    limit: int
    partitions: Mapping[str, Sequence[str]]
    findings: int
    samples: Sequence[Mapping[str, str]]

    @property
    def outcome(self) -> str:
        """The worst of its partitions; missing where it has none."""
        return min((each for each, keys in self.partitions.items() if keys), key=ORDER.__getitem__, default="missing")


def gate_report(
    month: str, results: Sequence[CheckResult], *, is_certified: bool, certificate: str, reasons: Sequence[str]
) -> dict[str, Any]:
    """A document of texts and counts, the worst outcome first. `reasons`: why there is no certificate that holds."""
    ordered = sorted(results, key=lambda each: (ORDER[each.outcome], each.owner, each.table, each.check))
    counts = {name: sum(each.outcome == name for each in results) for name in ORDER}
    return {
        "month": month,
        "is_certified": is_certified,
        "certificate": certificate,
        "counts": counts,
        "reasons": list(reasons),
        "acts": _who_acts(ordered),
        "checks": [
            {
                "table": each.table,
                "check": each.check,
                "holds": each.holds,
                "owner": each.owner,
                "stops": each.stops,
                "limit": each.limit,
                "outcome": each.outcome,
                "findings": each.findings,
                "partitions": {name: len(keys) for name, keys in each.partitions.items()},
                "where": _where(each),
                "samples": [dict(sample) for sample in each.samples[:SHOWN_SAMPLES]],
            }
            for each in ordered
        ],
    }


def _where(result: CheckResult) -> str:
    """The partitions that are not as they should be: the first three, and how many more."""
    wrong = sorted(key for name, keys in result.partitions.items() if name != "passed" for key in keys)
    more = f" and {len(wrong) - 3} more" if len(wrong) > 3 else ""
    return ", ".join(wrong[:3]) + more


def _who_acts(ordered: Sequence[CheckResult]) -> list[dict[str, str]]:
    """Owner -> the checks that wait for them, of those that keep the month from its certificate or warn."""
    waits: dict[str, list[str]] = {}
    for each in ordered:
        if each.outcome != "passed":
            waits.setdefault(each.owner, []).append(each.check)
    return [{"owner": owner, "checks": ", ".join(checks)} for owner, checks in sorted(waits.items())]
