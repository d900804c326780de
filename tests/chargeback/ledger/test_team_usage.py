"""A month that is read in parts makes the very statements and FOCUS rows that it makes at once."""

import polars as pl
import pytest

from chargeback.contracts.names import UNATTRIBUTED
from chargeback.ledger.charges import charge_lines
from chargeback.ledger.focus_rows import focus_rows
from chargeback.ledger.team_usage import parts_of_teams, usage_by_team
from chargeback.pricing.credits import CreditPolicies
from chargeback.pricing.prices_of_month import prices_of_month
from tests.chargeback.ledger.focus_month import terms
from tests.chargeback.ledger.measured_usage import measured_usage, sizes_of
from tests.chargeback.ledger.worked_statements import worked_statements
from tests.chargeback.worked_month import EUR, MARCH, rated_usage, the_card

SOME = pl.DataFrame({"team": ["b", "a", "c", "a", "b", "b"], "row": range(6)})


def test_parts_are_of_whole_teams_and_as_large_as_they_may_be() -> None:
    assert parts_of_teams(SOME, rows_at_once=99) == [["a", "b", "c"]]
    assert parts_of_teams(SOME, rows_at_once=4) == [["a"], ["b", "c"]]
    assert parts_of_teams(SOME, rows_at_once=1) == [["a"], ["b"], ["c"]]
    assert parts_of_teams(SOME, rows_at_once=1, also=["aa"], by={"c": "1", "a": "2"}) == [["aa"], ["b"], ["c"], ["a"]]
    assert parts_of_teams(SOME.clear()) == []


def test_every_team_comes_once_with_its_rows_and_one_without_rows_with_none() -> None:
    found = [
        (team, rows["row"].sort().to_list()) for team, rows in usage_by_team(SOME, also=["z", "a"], rows_at_once=2)
    ]

    assert found == [("a", [1, 3]), ("b", [0, 4, 5]), ("c", [2]), ("z", [])]


@pytest.mark.parametrize("rated", [
    rated_usage(credit_policies=CreditPolicies(platform_fault_cap_hours=24, suspense=True)),
    measured_usage(),
], ids=["credited", "measured"])  # fmt: skip
def test_statements_of_a_stream_in_parts_are_those_of_the_frame(rated: pl.DataFrame) -> None:
    lines, sizes = charge_lines(rated, currency=EUR), sizes_of(rated)

    at_once = worked_statements(rated=rated, lines=lines, sizes=sizes)

    shuffled = rated.sample(fraction=1, shuffle=True, seed=7).lazy()
    in_parts = worked_statements(rated=shuffled, lines=lines, sizes=sizes, rows_at_once=1)
    assert in_parts.equals(at_once)


def test_focus_rows_of_a_stream_in_parts_are_those_of_the_frame_and_in_order() -> None:
    rated = rated_usage(credit_policies=CreditPolicies(platform_fault_cap_hours=24))
    lines = charge_lines(rated, currency=EUR)
    # An order of invoices that is not that of teams: Zeta's is the first.
    renamed = pl.when(pl.col("team") == "Vision").then(pl.lit("Zeta")).otherwise("team").alias("team")
    stated = worked_statements(rated=rated, lines=lines).with_columns(renamed)
    ids = pl.when(pl.col("team") == "Zeta").then(pl.lit("GPU-2026-03-a-r1")).otherwise("statement_id")
    given = (lines.with_columns(renamed), prices_of_month(the_card(), period=MARCH),
             stated.with_columns(statement_id=ids))  # fmt: skip

    at_once = focus_rows(rated.with_columns(renamed), *given, terms=terms())

    in_parts = focus_rows(rated.with_columns(renamed).reverse().lazy(), *given, terms=terms(), rows_at_once=1)
    assert in_parts.equals(at_once)
    assert at_once["InvoiceId"].is_sorted()
    assert set(at_once["SubAccountName"]) == {"NLP", "Robotics", UNATTRIBUTED, "Zeta"}
