"""`make focus-test`: the official FOCUS validator on the worked month, in an environment of its own.

It cannot stand in ours: it needs Python 3.12 and numpy below 2. Every version that `chargeback focus` writes is judged
by the one model that it carries, 1.2.0.1. Exit codes: 0 as known, 1 something else, 2 it cannot be run here.
"""

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from chargeback.ledger.focus_files import FILE_KINDS, FOCUS_VERSIONS
from tests.estates import MONTH, ROOT, command_line
from tests.focus_validator.known_faults import KnownFaults, against, known_faults, said
from tests.orchestration.test_worked_month import by_the_commands

ENVIRONMENT = ROOT / ".venv-focus"
LOCK = Path(__file__).parent / "requirements.lock"
MODEL = "1.2.0.1"
PYTHON = (3, 12)


def main() -> int:
    """Make the environment if it is not there, bill the worked month, judge each file."""
    python = _python()
    if python is None:
        _say(
            "Python 3.12 is absent, and focus-validator 2.2.1 needs it: install it (pyenv install 3.12), or name one: "
            "make focus-test FOCUS_PYTHON=/path/to/python3.12"
        )
        return 2
    _install(python)
    known = known_faults()
    with tempfile.TemporaryDirectory() as scratch:
        month = Path(scratch) / "month"
        _say(f"billing the worked month {MONTH} ...")
        by_the_commands(month)
        wrong = [
            sentence
            for version in FOCUS_VERSIONS
            for kind in FILE_KINDS
            for sentence in _judged(_written(month, version, kind), version, kind, known)
        ]
    for sentence in wrong:
        _say(sentence)
    return 1 if wrong else 0


def _judged(file: Path, version: str, kind: str, known: KnownFaults) -> list[str]:
    report = file.with_suffix(f".{kind}.xml")
    validated = subprocess.run(
        [
            ENVIRONMENT / "bin" / "focus-validator", "--data-file", file, "--validate-version", MODEL,
            "--block-download", "--applicability-criteria", ",".join(known.criteria), "--output-type", "unittest",
            "--output-destination", report,
        ],
        cwd=next((ENVIRONMENT / "lib").glob("python3.12/site-packages")),  # it opens its currency list relative to that
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    if not report.exists():
        return [f"FOCUS {version} {kind}: the validator stopped: {(validated.stderr or validated.stdout)[-600:]}"]
    found, faults = said(report.read_text()), known.of(version, kind)
    _say(
        f"FOCUS {version} {kind:<8}{len(found.passed)} rules passed, {len(found.failed)} failed of which "
        f"{len(found.failed & faults)} are known faults of the validator, {len(found.skipped)} do not apply"
    )
    return [f"FOCUS {version} {kind}: {sentence}" for sentence in against(found, faults)]


def _written(month: Path, version: str, kind: str) -> Path:
    file = month / f"focus-{version}.{kind}"
    subprocess.run(
        command_line("focus", MONTH, "--out", str(file), "--focus-version", version), cwd=month, check=True,
        capture_output=True,
    )  # fmt: skip
    return file


def _install(python: str) -> None:
    """The environment as the lock says; made anew when the lock is another."""
    stamp, wanted = ENVIRONMENT / ".installed", hashlib.sha256(LOCK.read_bytes()).hexdigest()
    if stamp.exists() and stamp.read_text() == wanted:
        return
    _say(f"setting up {ENVIRONMENT.name} (once; 600 MB)")
    uv = str(Path(sys.executable).parent / "uv")
    subprocess.run([uv, "venv", "--quiet", "--clear", "--python", python, ENVIRONMENT], check=True)
    inside = ENVIRONMENT / "bin" / "python"
    subprocess.run([uv, "pip", "install", "--quiet", "--python", inside, "--require-hashes", "-r", LOCK], check=True)
    stamp.write_text(wanted)


def _python() -> str | None:
    """A Python 3.12: the one that was named, else one in PATH or of pyenv."""
    named = os.environ.get("FOCUS_PYTHON")
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    candidates = [named] if named else [shutil.which("python3.12"), *map(str, pyenv.glob("3.12*/bin/python"))]
    return next((path for path in candidates if path and _is_wanted(path)), None)


def _is_wanted(path: str) -> bool:
    if shutil.which(path) is None:
        return False
    asked = subprocess.run(
        [path, "-c", f"import sys; sys.exit(sys.version_info[:2] != {PYTHON})"], capture_output=True, check=False
    )
    return asked.returncode == 0


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
