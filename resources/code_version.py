"""Which code computed a table: a hash of the rules' own source, so that a change of any rule recomputes what it made."""

import hashlib
from functools import cache
from pathlib import Path

import chargeback


@cache
def code_version() -> str:
    """The first 16 hex digits of the sha256 over every source file of the rules, in order of their paths."""
    folder = Path(chargeback.__path__[0])
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        if path.suffix in (".py", ".jinja"):
            digest.update(path.relative_to(folder).as_posix().encode())
            digest.update(b"\0")
            digest.update(path.read_bytes())
    return digest.hexdigest()[:16]
