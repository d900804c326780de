"""Why lines differ between two states: the causes are the right ones, and add up to every difference exactly."""

from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chargeback.ledger.charge_causes import (
    BETWEEN_MONTHS,
    CAUSES,
    LINE,
    WITHIN_A_MONTH,
    LineChange,
    line_changes,
    total_causes,
)
from chargeback.ledger.charge_difference import difference_of_charges, render_difference_csv
from chargeback.ledger.charges import charge_lines, total_of
from chargeback.money import Currency
from chargeback.pricing.credits import CreditPolicies
from tests.chargeback.ledger.measured_usage import measured_usage
from tests.chargeback.worked_month import CARD, EUR, HOLDS, rated_usage

HEAD = "run  day  host  workload  workload_class  user  team  idle  starved  busy  unmeasured  after_end  gpus  never"


def usage(*rows: str, price: str = "2.00", part: str = "1/1", month: str = "2026-03") -> pl.DataFrame:
    """Rated usage of rows `run user team hours`."""
    told = [
        f"{run}  {month}-02  gpu01  Job/{run}  batch  {user}  {team}  0  0  {hours}  0  0  0  0"
        for run, user, team, hours in (row.split() for row in rows)
    ]
    rated = measured_usage("\n".join([HEAD, *told]), price=price, part=part, month=month)
    return rated.with_columns(month=pl.lit(month))


def changes(
    before: pl.DataFrame, after: pl.DataFrame, *, source: tuple[str, ...] = WITHIN_A_MONTH, currency: Currency = EUR
) -> list[LineChange]:
    states = [(charge_lines(rated, currency=currency), rated) for rated in (before, after)]
    return line_changes(states[0], states[1], source=source, currency=currency)


def told(found: list[LineChange]) -> list[tuple[str, str, dict[str, str]]]:
    """team, difference and causes that are not zero."""
    return [(change.key[LINE.index("team")], f"{change.difference:.2f}", _told(change.causes)) for change in found]


def _told(causes: Mapping[str, Decimal]) -> dict[str, str]:
    return {cause: f"{amount:.2f}" for cause, amount in causes.items() if amount}


def test_equal_states_differ_in_no_line() -> None:
    assert changes(rated_usage(), rated_usage()) == []


def test_a_run_that_came_late_is_more_hours() -> None:
    before, after = usage("a ana Vision 10"), usage("a ana Vision 10", "b ana Vision 3")

    assert told(changes(before, after)) == [("Vision", "6.00", {"hours": "6.00"})]


def test_another_rate_for_the_same_hours_is_the_rate() -> None:
    before, after = usage("a ana Vision 10"), usage("a ana Vision 10", price="2.50")

    assert told(changes(before, after)) == [("Vision", "5.00", {"rate": "5.00"})]


def test_the_same_hours_under_another_owner_are_ownership_on_both_lines_and_nothing_in_all() -> None:
    before, after = usage("a ana Vision 10", "b bo NLP 1"), usage("a ana NLP 10", "b bo NLP 1")

    found = changes(before, after)

    assert told(found) == [
        ("NLP", "20.00", {"ownership": "20.00"}),
        ("Vision", "-20.00", {"ownership": "-20.00"}),
    ]
    assert total_causes(found)["ownership"] == 0


def test_hours_rate_and_ownership_at_once_are_told_apart() -> None:
    before = usage("a ana Vision 10")
    after = usage("a ana NLP 12", price="3.00")

    assert told(changes(before, after)) == [
        ("NLP", "36.00", {"ownership": "24.00", "rate": "12.00"}),
        ("Vision", "-20.00", {"hours": "4.00", "ownership": "-24.00"}),
    ]


def test_a_price_that_lands_for_usage_without_one_is_the_rate() -> None:
    after = usage("a ana Vision 10")
    before = after.with_columns(price=pl.lit(None, after.schema["price"]))

    assert told(changes(before, after)) == [("Vision", "20.00", {"rate": "20.00"})]


def test_what_is_forgiven_is_credits() -> None:
    before, after = rated_usage(), rated_usage(credit_policies=CreditPolicies(platform_fault_cap_hours=24))

    found = changes(before, after)

    assert [set(change.causes) for change in found] == [{"credits"}]
    assert found[0].difference == total_causes(found)["credits"] == Decimal("-105.60")


def test_a_slice_that_is_weighed_otherwise_has_another_rate_and_the_same_hours() -> None:
    weighed = CARD.replace(b"standard: {price: 0.60, unit: slice-hour}", b"billing_weight: 1/2")

    assert told(changes(rated_usage(), rated_usage(card=weighed))) == [
        ("Robotics", "-1.15", {"rate": "-1.15"}),  # 23 hours; its owner changed in between
        ("Robotics", "-0.05", {"rate": "-0.05"}),
    ]


def test_between_months_an_account_that_changed_hands_is_ownership_and_other_runs_of_it_are_not_other_hours() -> None:
    march, april = usage("a ana Vision 10"), usage("z ana NLP 10", month="2026-04")
    moved = april.with_columns(account=pl.lit("vision-lab"))

    found = changes(march, moved, source=BETWEEN_MONTHS)

    assert told(found) == [
        ("NLP", "20.00", {"ownership": "20.00"}),
        ("Vision", "-20.00", {"ownership": "-20.00"}),
    ]


def test_the_worked_month_without_one_job_says_which_line_lost_its_hours() -> None:
    without = "\n".join(line for line in HOLDS.strip().splitlines() if not line.startswith("    103"))
    lost = (
        charge_lines(rated_usage(), currency=EUR)["amount"].sum()
        - charge_lines(rated_usage(without), currency=EUR)["amount"].sum()
    )

    found = changes(rated_usage(), rated_usage(without))

    assert [(each[0], each[2].keys()) for each in told(found)] == [("NLP", {"hours"})]
    assert found[0].difference == -lost


rows = st.lists(
    st.tuples(st.sampled_from("abcd"), st.sampled_from(("ana", "bo")), st.sampled_from(("Vision", "NLP", "Robots")),
              st.integers(1, 50)).map(lambda row: " ".join(map(str, row))),
    min_size=1, max_size=6, unique_by=lambda row: tuple(row.split()[:3]),
)  # fmt: skip
prices = st.decimals("0.001", "9.999", places=3).map(str)


@settings(max_examples=60, deadline=None)
@given(rows, rows, prices, prices, st.sampled_from(("1/1", "1/3", "2/7")), st.sampled_from(("JPY", "EUR", "KWD")))
def test_causes_add_up_to_every_difference_and_these_to_that_of_the_totals(
    before: list[str], after: list[str], price: str, new_price: str, part: str, code: str
) -> None:
    currency = Currency(code)
    then, now = usage(*before, price=price), usage(*after, price=new_price, part=part)

    found = changes(then, now, currency=currency)

    assert all(sum(change.causes.values()) == change.difference for change in found)
    totals = [total_of(charge_lines(rated, currency=currency)) for rated in (then, now)]
    assert sum(total_causes(found).values()) == totals[1] - totals[0]
    assert all(amount == currency.round(Fraction(amount)) for amount in total_causes(found).values())


@pytest.mark.parametrize(("code", "amounts"), [("JPY", ("20", "26")), ("KWD", ("20.000", "26.000"))])
def test_the_document_has_the_minor_units_of_its_currency_and_its_csv_is_numbers(
    code: str, amounts: tuple[str, str]
) -> None:
    currency = Currency(code)
    before, after = usage("a ana Vision 10"), usage("a ana Vision 13")
    lines = [charge_lines(rated, currency=currency) for rated in (before, after)]

    document = difference_of_charges(
        changes(before, after, currency=currency), *lines, states=({"called": "v1"}, {"called": "now"}),
        currency=currency,
    )  # fmt: skip

    assert (document["total_before"], document["total_after"]) == amounts
    assert set(document["causes"]) == set(CAUSES)
    row = document["rows"][0]
    assert (row["amount_before"], row["amount_after"], row["hours_difference"]) == (*amounts, "3.00")
    header, line = render_difference_csv(document).decode().splitlines()
    assert f",{amounts[0]},{amounts[1]},3.00," in line
    assert header.endswith("because_of_hours,because_of_rate,because_of_ownership,because_of_credits,because_of_other")
