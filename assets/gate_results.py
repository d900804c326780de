"""What every check of a month found, whether the month is certified or not: evidence for exactly what stands there now.

Not here: certifying (certification.py), what checks are (checks/).
"""

from collections.abc import Mapping
from dataclasses import dataclass

from assets.certification import CERTIFIED, contents_of
from assets.materialisation import Month
from resources.code_version import suite_version
from resources.evidence import Evidence, EvidenceStore
from resources.lake import Lake
from resources.settings import Settings

PASSED, WARNING, FAILED, MISSING = "passed", "warning", "failed", "missing"


@dataclass(frozen=True, slots=True)
class PartitionResult:
    """One check of one partition. `evidence` None: it was not run for what stands there now."""

    partition: str
    outcome: str
    evidence: Evidence | None


def gate_results(
    month: Month, *, lake: Lake, evidence: EvidenceStore, settings: Settings
) -> dict[tuple[str, str], list[PartitionResult]]:
    """(table, check) -> its result for each partition of the month that has content, in order of partition."""
    contents = contents_of(month, lake)
    versions: Mapping[str, str] = {
        check: suite_version(check, settings.judged_under(check)) for contract in CERTIFIED for check in contract.checks
    }
    found: dict[tuple[str, str], list[PartitionResult]] = {}
    for contract in CERTIFIED:
        own = sorted(key for key in contents if key.partition("|")[0] == contract.table)
        for check in contract.checks:
            results = found.setdefault((contract.table, check), [])
            for key in own:
                partition = key.partition("|")[2]
                latest = evidence.latest(contract.table, partition, check, contents, suite_version=versions[check])
                results.append(PartitionResult(partition, _outcome(latest), latest))
    return found


def _outcome(evidence: Evidence | None) -> str:
    if evidence is None:
        return MISSING
    if evidence.passed:
        return PASSED
    return FAILED if evidence.blocking else WARNING
