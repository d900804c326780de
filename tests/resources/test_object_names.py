"""Names that others chose: those that could mean something else are refused, and shown so that one sees why."""

import re

import pytest

from resources.object_names import key_fault, name_fault, plain, readable

BIDI, ZERO_WIDTH, DECOMPOSED = "\u202e", "\u200b", "u\u0308"


@pytest.mark.parametrize(
    "key, why",
    [
        ("incoming/../landing/x", "folder"),
        ("incoming//x", "folder"),
        ("/incoming/x", "folder"),
        ("incoming/./x", "folder"),
        ("incoming/a\nb", "control character"),
        ("incoming/a\x1b[2Jb", "control character"),
        ("incoming/a\x00b", "control character"),
        ("incoming/a\x7fb", "control character"),
        ("incoming/..\\x", "backslash"),
        ("incoming/~/x", "'~'"),
        ("incoming/" + "a" * 201, "longer than 200 bytes"),
        ("incoming/" + "ab/" * 300, "folder"),
        ("incoming/" + "ab/" * 300 + "x", "longer than 700 bytes"),
        (f"incoming/{BIDI}vsp.tccas", "invisible character .U.202E"),
        (f"incoming/a{ZERO_WIDTH}b", "invisible character .U.200B"),
        (f"incoming/f{DECOMPOSED}r.psv", "NFC"),
        ("incoming/cluster=slurm-a/x.psv", "without '='"),
        ("incoming/date=2026-10-05/x.psv", "without '='"),
        ("incoming/a\udcff", "no UTF-8"),
        ("incoming/a\u2028b", "line separator"),
    ],
)
def test_a_key_that_could_mean_something_else_is_refused(key: str, why: str) -> None:
    assert re.search(why, key_fault(key))


@pytest.mark.parametrize(
    "key", ["incoming/slurm-a/für März.psv", "incoming/x (1).json", "incoming/日本/a=b.csv", "incoming/.x"]
)
def test_names_that_people_like_to_give_are_fine(key: str) -> None:
    assert key_fault(key) == ""


def test_a_file_is_judged_by_its_own_name() -> None:
    assert name_fault("sacct.psv") == ""
    assert "U+202E" in name_fault(f"x{BIDI}vsp")


def test_an_odd_name_is_shown_with_everything_that_cannot_be_seen() -> None:
    assert readable(f"a{BIDI}b\n") == "a\\u202eb\\u000a"


def test_a_plain_name_reminds_of_the_odd_one_and_has_nothing_odd_itself() -> None:
    assert plain("../für\\März\n.psv") == "f_r_M_rz_.psv"
    assert plain("....") == "unnamed"
    assert len(plain("x" * 500)) == 80
