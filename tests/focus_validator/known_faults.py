"""What the official validator said, held against its faults that are known: neither more nor fewer may appear."""

import tomllib
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

FILE = Path(__file__).parent / "known_faults.toml"


@dataclass(frozen=True)
class Said:
    """The rules that it looked at, by outcome."""

    passed: frozenset[str]
    failed: frozenset[str]
    skipped: frozenset[str]


@dataclass(frozen=True)
class KnownFaults:
    """known_faults.toml."""

    criteria: tuple[str, ...]
    faults: tuple[dict[str, object], ...]

    def of(self, version: str, kind: str) -> frozenset[str]:
        """The rules that fail by the validator's own fault on a file of this FOCUS version and kind."""
        found: set[str] = set()
        for fault in self.faults:
            if version in _listed(fault, "versions", version) and kind in _listed(fault, "kinds", kind):
                found |= set(_listed(fault, "rules"))
        return frozenset(found)


def known_faults(text: str | None = None) -> KnownFaults:
    """The list; each fault says why."""
    read = tomllib.loads(FILE.read_text() if text is None else text)
    return KnownFaults(tuple(read["criteria"]), tuple(read["fault"]))


def said(report: str) -> Said:
    """Its report of type unittest. Raises ValueError where it looked at nothing."""
    outcomes: dict[str, set[str]] = {"passed": set(), "failed": set(), "skipped": set()}
    for case in ElementTree.fromstring(report).iter("testcase"):
        is_failure = case.find("failure") is not None or case.find("error") is not None
        outcome = "failed" if is_failure else "skipped" if case.find("skipped") is not None else "passed"
        outcomes[outcome].add(case.attrib["name"].partition(" ")[0])
    if not outcomes["passed"]:
        raise ValueError("the validator passed no rule at all: it has not read the file")
    return Said(**{name: frozenset(rules) for name, rules in outcomes.items()})


def against(found: Said, known: frozenset[str]) -> list[str]:
    """What is wrong, a sentence a rule: failures that are not known, and known ones that no longer appear."""
    return [
        *(f"{rule} fails and is no known fault of the validator" for rule in sorted(found.failed - known)),
        *(f"{rule} is a known fault and no longer appears: strike it off" for rule in sorted(known - found.failed)),
    ]


def _listed(fault: dict[str, object], name: str, *otherwise: str) -> list[str]:
    values = fault.get(name, list(otherwise))
    return [str(value) for value in values] if isinstance(values, list) else []
