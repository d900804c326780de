"""Which card is in force, and what a month's price is per hour."""

from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from zoneinfo import ZoneInfo

import pytest

from chargeback.billing_period import BillingPeriod
from chargeback.contracts.rate_card import RATE_CARD
from chargeback.money import Currency, amount_of
from chargeback.pricing.prices_of_month import card_in_force, prices_of_month
from chargeback.pricing.rate_card import CardRefused, RateCard
from chargeback.pricing.stated_price import StatedPrice, hourly_price
from tests.chargeback.worked_month import AMSTERDAM, MARCH, the_card

UTC_ZONE = ZoneInfo("UTC")


def test_the_months_prices_keep_what_the_card_states_beside_the_hourly_price() -> None:
    prices = prices_of_month(the_card(), period=MARCH)

    assert RATE_CARD.breaches(prices) == []
    assert prices.select("accelerator", "tier", "price", "price_unit").rows() == [
        ("a100-sxm4-80gb", "standard", Decimal("1.10"), "GPU-hour"),
        ("a100-sxm4-80gb:3g.40gb", "standard", Decimal("0.60"), "slice-hour"),
        ("h100-sxm5-80gb", "preemptible", Decimal("1.68"), "GPU-hour"),
        ("h100-sxm5-80gb", "standard", Decimal("2.385"), "GPU-hour"),
    ]


@pytest.mark.parametrize(
    ("month", "zone", "hours", "published"),
    [
        ("2026-01", UTC_ZONE, 744, "0.134408602"),
        ("2026-04", UTC_ZONE, 720, "0.138888889"),
        ("2028-02", UTC_ZONE, 696, "0.143678161"),
        ("2026-02", UTC_ZONE, 672, "0.148809524"),
        ("2026-03", AMSTERDAM, 743, "0.134589502"),
        ("2026-10", AMSTERDAM, 745, "0.134228188"),
    ],
)
def test_a_monthly_price_is_divided_by_the_hours_of_that_month_and_a_full_month_costs_it(
    month: str, zone: ZoneInfo, hours: int, published: str
) -> None:  # case F01
    period = BillingPeriod(month, zone)
    card = replace(the_card(), prices=(StatedPrice("h100", "standard", Decimal("100.00"), "month"),))

    (price,) = prices_of_month(card, period=period)["price"]

    assert period.interval.seconds == hours * 3600
    assert f"{price:.9f}" == published
    for gpus in (1, 100_000):
        held = Fraction(gpus * hours * 3600)
        assert amount_of(held, price_per_gpu_hour=price, currency=Currency("EUR")) == Decimal(100 * gpus)


def test_a_price_per_730_hours_never_lands_in_the_hourly_column() -> None:  # cases F10, K22
    small = hourly_price(StatedPrice("a", "standard", Decimal("0.08687"), "month_730"), hours_in_month=Fraction(744))
    whole = hourly_price(StatedPrice("a", "standard", Decimal("730"), "month_730"), hours_in_month=Fraction(744))

    assert f"{small:.6f}" == "0.000119"
    assert whole == Decimal(1)


def test_a_quotient_that_does_not_terminate_is_rounded_half_even_at_the_twelfth_decimal() -> None:
    tie = StatedPrice("a", "standard", Decimal("0.000000000365"), "month_730")

    assert hourly_price(tie, hours_in_month=Fraction(744)) == Decimal("0E-12")
    assert hourly_price(replace(tie, price=Decimal("0.000000001095")), hours_in_month=Fraction(744)) == Decimal("2E-12")


def test_the_highest_version_that_covers_the_month_is_in_force_whatever_the_order() -> None:
    old, new = the_card(), replace(the_card(), version="2026.10", effective_from="2026-03", sha256="b")
    ended = replace(the_card(), version="2026.11", effective_to="2026-03", sha256="c")

    chosen = [card_in_force(cards, period=MARCH) for cards in ([old, new, ended], [ended, new, old])]

    assert chosen == [new, new]


def test_a_card_landed_twice_is_one_card_but_one_version_with_two_contents_is_refused() -> None:
    card = the_card()
    twice = replace(card, object_key="rate-cards/z.yaml")

    assert card_in_force([twice, card], period=MARCH) == card
    refused = card_in_force([card, replace(twice, sha256="other")], period=MARCH)
    assert isinstance(refused, CardRefused)
    assert "rate card 2026.1 has two contents, in rate-cards/2026.1.yaml and rate-cards/z.yaml" in refused.reasons[0]


@pytest.mark.parametrize("cards", [[], [replace(the_card(), effective_from="2026-04")]])
def test_a_month_without_a_card_is_refused(cards: list[RateCard]) -> None:
    refused = card_in_force(cards, period=MARCH)

    assert isinstance(refused, CardRefused)
    assert refused.reasons[0].startswith("no rate card is in force in 2026-03; known: ")


def test_a_card_in_another_currency_than_the_lakes_is_refused_not_converted() -> None:
    refused = card_in_force([the_card()], period=MARCH, currency="USD")

    assert isinstance(refused, CardRefused)
    assert "is in EUR, the lake bills in USD: state it in USD, nothing is converted" in refused.reasons[0]
