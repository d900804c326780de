"""`make focus-test` fails on a failure that is not listed, and on a listed one that no longer appears."""

import pytest

from tests.focus_validator.known_faults import Said, against, known_faults, said
from tests.focus_validator.validate import main

REPORT = """<testsuites><testsuite>
<testcase name="A-C-001-M :: Type"/>
<testcase name="B-C-001-M :: None"><error message="failed"/></testcase>
<testcase name="C-C-001-M :: Presence"><failure/></testcase>
<testcase name="D-C-001-C :: Presence"><skipped/></testcase>
</testsuite></testsuites>"""
LIST = """
criteria = ["TAGGING_SUPPORTED"]
[[fault]]
why = "inverted"
rules = ["B-C-001-M"]
[[fault]]
why = "dropped"
versions = ["1.4"]
kinds = ["csv"]
rules = ["C-C-001-M"]
"""


def test_failures_and_errors_are_failures_and_what_was_skipped_is_neither() -> None:
    assert said(REPORT) == Said(
        frozenset({"A-C-001-M"}), frozenset({"B-C-001-M", "C-C-001-M"}), frozenset({"D-C-001-C"})
    )


def test_a_report_in_which_nothing_passed_is_no_report() -> None:
    with pytest.raises(ValueError, match="it has not read the file"):
        said("<testsuites/>")


def test_a_failure_that_is_not_listed_is_told() -> None:
    assert against(said(REPORT), known_faults(LIST).of("1.3", "csv")) == [
        "C-C-001-M fails and is no known fault of the validator"
    ]


def test_listed_faults_hold_for_their_version_and_kind_only() -> None:
    known = known_faults(LIST)

    assert against(said(REPORT), known.of("1.4", "csv")) == []
    assert "C-C-001-M" not in known.of("1.4", "parquet")


def test_a_listed_fault_that_no_longer_appears_is_told() -> None:
    mended = said(REPORT.replace('<error message="failed"/>', ""))

    assert against(mended, known_faults(LIST).of("1.4", "csv")) == [
        "B-C-001-M is a known fault and no longer appears: strike it off"
    ]


def test_every_listed_fault_says_why_and_names_a_rule_once() -> None:
    faults = known_faults().faults

    assert all(len(str(fault["why"])) > 40 for fault in faults)
    assert all(len(fault["rules"]) == len(set(fault["rules"])) for fault in faults)  # type: ignore[arg-type,call-overload]


def test_without_a_python_3_12_it_says_so_and_exits_2(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("FOCUS_PYTHON", "/nowhere/python3.12")

    assert main() == 2
    assert "Python 3.12 is absent" in capfd.readouterr().out
