"""Ownership: read line by line, cut to the month, refused where it is ambiguous."""

import polars as pl
import pytest

from chargeback.contracts.ownership import OWNERSHIP
from chargeback.pricing.ownership import ownership_findings, ownership_of_month, read_ownership
from tests.chargeback.worked_month import MARCH, the_ownership

HEADER = "cluster,kind,key,project,team,cost_centre,company,percent,valid_from,valid_until\n"


def rows_of(*lines: str) -> tuple[pl.DataFrame, list[str]]:
    return read_ownership((HEADER + "\n".join(lines) + "\n").encode(), object_key="ownership/o.csv")


def test_the_worked_months_ownership_is_cut_to_the_month_with_exact_parts() -> None:
    ownership = the_ownership()

    assert OWNERSHIP.breaches(ownership) == []
    assert ownership_findings(ownership) == []
    columns = ("key", "team", "cost_centre", "percent_numerator", "percent_denominator", "valid_from", "valid_until")
    assert ownership.select(columns).filter(pl.col("key").is_in(["robotics", "shared-lab"])).rows() == [
        ("robotics", "Robotics", "4713", 1, 1, "2026-03-01", "2026-03-21"),
        ("robotics", "Robotics", "4714", 1, 1, "2026-03-21", "2026-04-01"),
        ("shared-lab", "NLP", "4712", 2, 5, "2026-03-01", "2026-04-01"),
        ("shared-lab", "Vision", "4711", 3, 5, "2026-03-01", "2026-04-01"),
    ]


def test_a_percent_is_an_exact_decimal() -> None:
    rows, refusals = rows_of("c,account,a,p,T,1,C1,33.333,2026-01-01,")

    assert refusals == []
    assert rows.select("percent_numerator", "percent_denominator").rows() == [(33333, 100000)]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("c,account,a,p,T,1,C1,100,2026-01-01", "has 9 cells, must have 10"),
        ("c,pod,a,p,T,1,C1,100,2026-01-01,", "kind 'pod' must be one of account, namespace, queue, label, user, wckey"),
        ("c,label,team=a,p,T,1,C1,100,2026-01-01,", "key 'team=a' must be namespace/label=value"),
        ("c,label,ml/team,p,T,1,C1,100,2026-01-01,", "key 'ml/team' must be namespace/label=value"),
        ("c,account,a,p,,1,C1,100,2026-01-01,", "team is empty"),
        ("c,account,a,p,T,1,C1,0,2026-01-01,", "percent '0' must be above 0"),
        ("c,account,a,p,T,1,C1,100.5,2026-01-01,", "percent '100.5' must be above 0 and at most 100"),
        ("c,account,a,p,T,1,C1,1e2,2026-01-01,", "percent '1e2'"),
        ("c,account,a,p,T,1,C1,100,01.01.2026,", "valid_from '01.01.2026' must be a day"),
        ("c,account,a,p,T,1,C1,100,2026-02-30,", "valid_from '2026-02-30' must be a day"),
        ("c,account,a,p,T,1,C1,100,2026-02-01,2026-02-01", "valid_until 2026-02-01 is not after valid_from"),
        ("c,account,a,p,Unattributed,1,C1,100,2026-02-01,", "is the name of the suspense line"),
        ("c,account,a,p,T,1,C:1,100,2026-02-01,", "company 'C:1' must be a code"),
    ],
)
def test_a_wrong_row_is_refused_with_its_line(line: str, reason: str) -> None:
    rows, refusals = rows_of("c,account,good,p,T,1,C1,100,2026-01-01,", line)

    assert len(rows) == 1
    assert len(refusals) == 1
    assert refusals[0].startswith("ownership ownership/o.csv line 3: ")
    assert reason in refusals[0]


@pytest.mark.parametrize("content", [b"", b"\xff", b"a,b\n1,2\n", b'cluster,"x\n'])
def test_what_is_no_ownership_file_is_refused_without_a_stack_trace(content: bytes) -> None:
    rows, refusals = read_ownership(content, object_key="ownership/o.csv")

    assert len(rows) == 0
    assert len(refusals) == 1


def test_an_overlap_is_refused_naming_both_lines() -> None:
    rows, _ = rows_of("c,account,a,p,T,1,C1,100,2026-01-01,", "c,account,a,p,U,2,C1,33.5,2026-03-10,")

    (finding,) = ownership_findings(rows)

    assert finding == (
        "ownership lines 2 and 3: account a on c is owned 133.5 % from 2026-03-10, 33.5 % too much: end the older row "
        "with valid_until, or lower a percent"
    )


def test_an_overlap_of_another_month_is_no_finding_of_this_one() -> None:
    rows, _ = rows_of("c,account,a,p,T,1,C1,100,2026-01-01,2026-05-01", "c,account,a,p,U,2,C1,100,2026-04-01,")

    assert ownership_findings(ownership_of_month(rows, period=MARCH)) == []
    assert len(ownership_findings(rows)) == 1


def test_one_owner_twice_for_the_same_days_is_refused() -> None:
    rows, _ = rows_of("c,account,a,p,T,1,C1,50,2026-01-01,", "c,account,a,p,T,1,C1,50,2026-01-01,")

    assert ownership_findings(rows) == [
        "ownership lines 2 and 3: account a on c names one owner twice from 2026-01-01: add the percents up in one row"
    ]


def test_two_spellings_of_one_team_are_refused() -> None:
    rows, _ = rows_of("c,account,a,p,Vision Lab,1,C1,100,2026-01-01,", "c,account,b,p,vision-lab,1,C1,100,2026-01-01,")

    (finding,) = ownership_findings(rows)

    assert "lines 2 and 3: teams 'Vision Lab' and 'vision-lab' would share the name 'vision-lab' in ids" in finding
