"""Each watcher sees what it watches for: a check that has never failed proves nothing."""

from collections.abc import Callable, Iterable

import pytest

from tests.architecture import watchers
from tests.architecture.source_tree import Module, module_of

OFFENCES = {
    watchers.long_functions: "def long() -> None:\n" + "    pass\n" * 60,
    watchers.missing_return_types: "class _Hidden:\n    def __init__(self):\n        def inner():\n            pass",
    watchers.catch_alls: "try:\n    pass\nexcept (ValueError, Exception):\n    pass",
    watchers.prints: "print('total')",
    watchers.clocks: "from datetime import datetime\nnow = datetime.now()",
    watchers.environment: "import os\nhome = os.environ['HOME']",
    watchers.mocks: "from unittest import mock",
}


@pytest.mark.parametrize("watcher", OFFENCES, ids=lambda watcher: watcher.__name__)
def test_a_watcher_sees_the_offence_that_it_watches_for(watcher: Callable[[Module], Iterable[str]]) -> None:
    module = module_of(OFFENCES[watcher])

    offences = list(watcher(module))

    assert offences


@pytest.mark.parametrize("watcher", OFFENCES, ids=lambda watcher: watcher.__name__)
def test_a_watcher_is_silent_about_clean_source(watcher: Callable[[Module], Iterable[str]]) -> None:
    module = module_of('"""What it is."""\n\n\ndef verb() -> None:\n    console.print("total")\n')

    offences = list(watcher(module))

    assert offences == []


def test_docstrings_are_missed_on_modules_classes_methods_and_functions_but_not_on_private_ones() -> None:
    module = module_of(
        "class A:\n    def b(self): ...\n    def _c(self): ...\ndef d(): ...\nclass _E:\n    def f(self): ..."
    )

    offences = [offence.split()[1] for offence in watchers.missing_docstrings(module)]

    assert offences == ["has", "A", "b", "d"]


def test_an_except_without_a_name_catches_everything() -> None:
    module = module_of("try:\n    pass\nexcept:\n    pass")

    offences = list(watchers.catch_alls(module))

    assert offences == ["chargeback/usage/example.py:3 catches everything"]


def test_own_imports_are_absolute_and_at_most_three_deep_and_others_may_be_deeper() -> None:
    module = module_of(
        "from . import runs\nimport chargeback.usage.slurm.runs\nfrom chargeback.usage.runs import x\nimport a.b.c.d"
    )

    offences = list(watchers.crooked_imports(module))

    assert offences == [
        "chargeback/usage/example.py:1 imports relatively",
        "chargeback/usage/example.py:2 imports chargeback.usage.slurm.runs, deeper than 3",
    ]


def test_unfinished_work_is_seen_in_any_text_with_its_line() -> None:
    text = "done\n# " + "TO" + "DO: later"

    offences = list(watchers.unfinished_work(text, "docs/runbook.md"))

    assert len(offences) == 1
    assert offences[0].startswith("docs/runbook.md:2 is unfinished")


@pytest.mark.parametrize(
    "line",
    [
        "AKIA" + "IOSFODNN7EXAMPLE",
        "-----BEGIN RSA " + "PRIVATE KEY-----",
        'aws_secret_access_key = "' + "wJalrXUtnFEMIK7MDENG" + '"',
        "postgresql://dagster:" + "hunter22" + "@db.example.org/dagster",
    ],
    ids=["AWS key", "private key", "assigned secret", "password in an address"],
)
def test_a_secret_is_seen_and_not_repeated(line: str) -> None:
    offences = list(watchers.secrets(line, "infra/values.yaml"))

    assert offences == ["infra/values.yaml:1 looks like a secret"]


def test_a_test_counts_for_a_check_only_if_it_says_that_it_fails_and_names_the_check() -> None:
    module = module_of(
        "def test_the_gate_refuses_it(): judge('a')\n"
        "def test_it_passes(): judge('b')\n"
        "@mark('c')\ndef test_it_fails_there(): pass\n"
        "def helper_fails_here(): judge('d')"
    )

    counted = [check for check in "abcd" if list(watchers.tests_in_which_fails(check, [module]))]

    assert counted == ["a", "c"]


def test_a_clock_is_seen_under_whatever_name_its_module_was_imported() -> None:
    module = module_of("import datetime as dt\nnow = dt.datetime.now(dt.UTC)\nsoon = run.datetime\nlast = now.time")

    offences = list(watchers.clocks(module))

    assert offences == ["chargeback/usage/example.py:2 reads the clock: dt.datetime.now"]
