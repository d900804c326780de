"""How our own source reads: sizes, docstrings, types, imports, and what may stand only at the edges."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.architecture import watchers
from tests.architecture.source_tree import PACKAGES, ROOT, SHELL, Module, modules_in

OURS = modules_in(*PACKAGES)
TESTS = modules_in("tests", "benchmarks")
INSIDE = tuple(module for module in OURS if module.package not in SHELL)

LONGER_THAN_USUAL: dict[str, int] = {}
"""Files of more than 250 lines, with the length that they may not exceed. This list may only shrink."""

TEXT_ENDINGS = {".py", ".md", ".toml", ".yaml", ".yml", ".jinja", ".typ", ".sh", ".cfg", ".ini", ".json", ".csv", ""}


def _source_files() -> list[Path]:
    """Text that we wrote, not what it was made into, and not the field's own records in tests/cases."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT, capture_output=True, text=True, check=True,
    )  # fmt: skip
    found = [ROOT / name for name in listed.stdout.splitlines()]
    return [file for file in found if file.is_file() and file.suffix in TEXT_ENDINGS]


def _offences(watch: object, modules: tuple[Module, ...]) -> list[str]:
    return [offence for module in modules for offence in watch(module)]  # type: ignore[operator]


def test_no_function_is_longer_than_sixty_lines() -> None:
    assert _offences(watchers.long_functions, OURS + TESTS) == []


def test_no_file_is_longer_than_four_hundred_lines() -> None:
    too_long = [f"{module.path}: {module.length}" for module in OURS + TESTS if module.length > watchers.LONGEST_FILE]

    assert too_long == []


def test_no_file_of_ours_is_longer_than_usual_but_those_on_a_list_that_only_shrinks() -> None:
    longer = {module.path: module.length for module in OURS if module.length > watchers.USUAL_FILE}

    assert {path: length for path, length in longer.items() if length > LONGER_THAN_USUAL.get(path, 0)} == {}


def test_no_exemption_from_the_usual_length_is_stale() -> None:
    longer = {module.path for module in OURS if module.length > watchers.USUAL_FILE}

    assert set(LONGER_THAN_USUAL) - longer == set()


def test_every_module_and_everything_public_says_what_it_promises() -> None:
    assert _offences(watchers.missing_docstrings, OURS) == []


def test_every_function_says_what_it_returns() -> None:
    assert _offences(watchers.missing_return_types, OURS + TESTS) == []


def test_own_imports_are_absolute_and_shallow() -> None:
    assert _offences(watchers.crooked_imports, OURS + TESTS) == []


def test_packages_re_export_nothing() -> None:
    filled = [module.path for module in OURS + TESTS if module.path.endswith("__init__.py") and module.text.strip()]

    assert filled == []


def test_every_folder_of_modules_is_a_package() -> None:
    folders = {(ROOT / module.path).parent for module in OURS + modules_in("tests")}

    assert sorted(str(folder) for folder in folders if not (folder / "__init__.py").exists()) == []


def test_nothing_is_caught_that_cannot_be_named() -> None:
    assert _offences(watchers.catch_alls, OURS + TESTS) == []


def test_nothing_prints() -> None:
    assert _offences(watchers.prints, OURS) == []


@pytest.mark.parametrize("watch", [watchers.clocks, watchers.environment], ids=["clock", "environment"])
def test_clock_and_environment_are_read_at_the_edges_only(watch: object) -> None:
    assert _offences(watch, INSIDE) == []


def test_no_test_mocks() -> None:
    assert _offences(watchers.mocks, OURS + TESTS) == []


def test_nothing_is_left_for_later() -> None:
    read = [file for file in _source_files() if file.parent != ROOT / "tests" / "architecture"]

    offences = [
        offence
        for file in read
        for offence in watchers.unfinished_work(file.read_text(encoding="utf-8", errors="replace"), file.name)
    ]

    assert offences == []


def test_no_secret_is_kept_in_the_repository() -> None:
    offences = [
        offence
        for file in _source_files()
        for offence in watchers.secrets(file.read_text(encoding="utf-8", errors="replace"), str(file.relative_to(ROOT)))
    ]

    assert offences == []


def test_the_rules_have_at_least_as_many_lines_of_tests_as_of_code() -> None:
    code = sum(module.length for module in OURS if module.package == "chargeback")
    tests = sum(module.length for module in TESTS)

    assert tests >= code


def test_imports_run_one_way_and_the_stages_meet_in_contracts_only() -> None:
    linter = Path(sys.executable).parent / "lint-imports"

    outcome = subprocess.run([linter, "--no-cache"], cwd=ROOT, capture_output=True, text=True, check=False)

    assert outcome.returncode == 0, outcome.stdout + outcome.stderr
