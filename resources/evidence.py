"""Evidence: the outcome of one check for exactly the contents that it read; immutable, addressed by what it says.

    evidence/<table>/<partition>/<check>-<sha256 of the object>.json

No clock and no run stands in it, so the same outcome recorded again is the same object. Source: design.md 6.
Not here: checks, and who may rely on them.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass

from resources.content_hash import canonical_json
from resources.object_store import ObjectStore


class EvidenceDamaged(Exception):
    """An evidence object is not the one that was recorded: its digest, or where it lies, contradicts its content."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """What a check found. `read`: `table|partition` -> content hash that was read; `samples`: a few offenders.

    `suite_version` stands for everything that decides the outcome besides the contents: rules and thresholds.
    Samples hold text, whole numbers, booleans and nulls only: amounts and instants are written as text.
    """

    table: str
    partition: str
    check: str
    passed: bool
    blocking: bool
    suite_version: str
    read: Mapping[str, str]
    metrics: Mapping[str, int | str]
    samples: list[dict[str, object]]


class EvidenceStore:
    """All evidence of one lake."""

    def __init__(self, store: ObjectStore) -> None:
        self._store = store

    def record(self, evidence: Evidence) -> str:
        """Keep evidence for good; its key is returned. Raises TypeError for a float in it."""
        content = canonical_json({name: getattr(evidence, name) for name in Evidence.__slots__})
        key = f"{_place(evidence.table, evidence.partition, evidence.check)}{hashlib.sha256(content).hexdigest()}.json"
        self._store.put_new(key, content)
        return key

    def read(self, key: str) -> Evidence:
        """Recorded evidence. Raises ObjectMissing; EvidenceDamaged if it is not what was recorded under this key."""
        content = self._store.get(key)
        if not key.endswith(f"-{hashlib.sha256(content).hexdigest()}.json"):
            raise EvidenceDamaged(f"{key}: its bytes are not those that were recorded")
        evidence = Evidence(**json.loads(content))
        if not key.startswith(_place(evidence.table, evidence.partition, evidence.check)):
            raise EvidenceDamaged(f"{key}: speaks of {evidence.check} of {evidence.table} {evidence.partition}")
        return evidence

    def latest(
        self,
        table: str,
        partition: str,
        check: str,
        contents: Mapping[str, str],
        *,
        suite_version: str | None = None,
    ) -> Evidence | None:
        """Evidence whose every content read is the present one in `contents`; None if there is none.

        `suite_version` asks for evidence of one suite. Where several are valid, one that failed counts before one that
        passed, whenever they were recorded: a clock decides nothing, and what the same check found once to be wrong
        in the same contents is not made right by another finding.
        """
        place = _place(table, partition, check)
        keys = [each.key for each in self._store.list(place) if "-" not in each.key.removeprefix(place)]
        passed: Evidence | None = None
        for key in reversed(keys):
            evidence = self.read(key)
            is_present = all(contents.get(name) == content for name, content in evidence.read.items())
            if is_present and suite_version in (None, evidence.suite_version):
                if not evidence.passed:
                    return evidence
                passed = passed or evidence
        return passed


def _place(table: str, partition: str, check: str) -> str:
    return f"evidence/{table}/{partition}/{check}-"
