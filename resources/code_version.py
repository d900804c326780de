"""Which code computed a table, and which code judged it: hashes of the source, so that no change goes unseen."""

import hashlib
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import chargeback

RULES = ("chargeback",)
RULES_AND_CHECKS = ("chargeback", "checks")


@cache
def code_version(packages: Sequence[str] = RULES) -> str:
    """The first 16 hex digits of the sha256 over the source files of the packages, in order of their paths.

    The rules' own version decides whether a table is computed again; rules and checks together are part of a suite's
    version, so that evidence of an older check is not taken for the present one's.
    """
    folder = Path(chargeback.__path__[0]).parent
    digest = hashlib.sha256()
    for package in packages:
        for path in sorted((folder / package).rglob("*")):
            if path.suffix in (".py", ".jinja"):
                digest.update(path.relative_to(folder).as_posix().encode())
                digest.update(b"\0")
                digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def suite_version(check: str, policies: dict[str, str]) -> str:
    """What the outcome of a check depends on beside the contents that it reads: code with its limits, and policies."""
    spelled = repr([check, code_version(RULES_AND_CHECKS), sorted(policies.items())])
    return hashlib.sha256(spelled.encode()).hexdigest()[:16]
