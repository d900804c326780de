"""A month at another card is what rating it anew with that card makes of it."""

from decimal import Decimal
from fractions import Fraction

import polars as pl
import pytest

from chargeback.contracts.rated_usage import RATED_USAGE
from chargeback.ledger.charges import charge_lines, total_of
from chargeback.pricing.credits import CreditPolicies
from chargeback.pricing.prices_of_month import prices_of_month
from chargeback.pricing.repricing import reprice
from tests.chargeback.worked_month import CARD, EUR, MARCH, rated_usage, the_card

STATED = b"standard: {price: 0.60, unit: slice-hour}"
ALL = CreditPolicies(platform_fault_cap_hours=24, preempted_minutes=30, suspended=True)
CARDS = {
    "the same": CARD,
    "dearer": CARD.replace(b"2.385", b"3.1415").replace(b'"2026.1"', b'"2026.2"'),
    "per month": CARD.replace(b"{price: 1.10, unit: GPU-hour}", b"{price: 743, unit: month}"),
    "weighed": CARD.replace(STATED, b"billing_weight: 1/2"),
    "weighed otherwise": CARD.replace(STATED, b"billing_weight: 3/7"),
    "no slices": CARD.partition(b"    slices:")[0],
}


def prices_of(name: str) -> pl.DataFrame:
    return prices_of_month(the_card(CARDS[name]), period=MARCH)


@pytest.mark.parametrize("before", ["the same", "weighed", "weighed otherwise"])
@pytest.mark.parametrize("after", list(CARDS))
def test_a_month_repriced_is_the_month_rated_anew(before: str, after: str) -> None:
    rated = rated_usage(card=CARDS[before], credit_policies=ALL)

    repriced = reprice(rated, prices_of(before), prices_of(after))

    assert repriced.sort(RATED_USAGE.key).equals(rated_usage(card=CARDS[after], credit_policies=ALL))


def test_usage_without_a_price_has_one_when_the_card_says_so() -> None:
    unpriced = rated_usage(card=CARDS["no slices"])

    repriced = reprice(unpriced, prices_of("no slices"), prices_of("weighed"))

    assert unpriced["price"].null_count() > 0
    assert repriced.equals(rated_usage(card=CARDS["weighed"]))


def test_the_worked_month_at_a_dearer_card_costs_more_by_what_its_hours_say() -> None:
    rated = rated_usage()

    repriced = reprice(rated, prices_of("the same"), prices_of("dearer"))

    before, after = (charge_lines(frame, currency=EUR) for frame in (rated, repriced))
    assert total_of(before) == Decimal("1490.92")
    dearer = Fraction(2_044_801 - 108_000, 3600) * Fraction("0.7565")  # standard H100 seconds of expected.json, not 102
    assert abs(Fraction(total_of(after) - total_of(before)) - dearer) <= Fraction(len(before), 100)
