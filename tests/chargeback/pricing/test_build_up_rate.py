"""How a rate follows from its inputs: the figures by hand, and what must hold of any."""

from dataclasses import replace
from decimal import Decimal
from fractions import Fraction

from hypothesis import given, settings
from hypothesis import strategies as st

from chargeback.pricing.build_up_rate import (
    at_scale,
    billable_hours,
    exact_rate,
    grant_funded_rate,
    rate_components,
    rate_of,
    with_a_year_more,
    with_dearer_power,
    yearly_costs,
)
from chargeback.pricing.card_build_up import YEARLY, BuildUp, Power
from tests.chargeback.pricing.built_cards import card_with

PENCIL = card_with().build_ups[0]

AMOUNTS = st.decimals(min_value=0, max_value=10**9, places=2)


@st.composite
def build_ups(draw: st.DrawFn) -> BuildUp:
    """Any build-up whose costs are not below 0 but for the carry-forward."""
    capital = draw(AMOUNTS)
    return BuildUp(
        accelerator="h100-sxm5-80gb",
        priced_from="2026-03",
        gpus=draw(st.integers(1, 100_000)),
        in_service=draw(st.sampled_from(["2015-01", "2024-07", "2026-03"])),
        life_years=Fraction(draw(st.integers(12, 120)), 12),
        capital_cost=capital,
        residual=capital / 10,
        grant_funded=capital / 4,
        power=Power(
            draw(st.decimals("0.1", "3", places=2)), "measured", draw(st.decimals("1", "2", places=2)), Decimal("0.14")
        ),
        yearly=tuple((name, draw(AMOUNTS) - (5 if name == "carry-forward" else 0)) for name in YEARLY),
        share_of_capacity=Fraction(draw(st.integers(1, 50)), 100),
    )


def test_every_component_of_a_year_is_what_a_pencil_says() -> None:
    assert yearly_costs(PENCIL) == {
        "depreciation": 1_792_000,
        "support": 448_000,
        "power": Fraction("510182.40"),
        "space": 96_000,
        "interconnect": 160_000,
        "storage": 120_000,
        "staff": 380_000,
        "software": 64_000,
        "carry-forward": 0,
    }


def test_the_costs_of_a_year_are_divided_by_the_practical_capacity() -> None:
    assert billable_hours(PENCIL) == 256 * 7_008


def test_the_rate_is_rounded_once_to_the_scale_of_the_card() -> None:
    assert exact_rate(PENCIL) == Fraction(13_946_025, 7_008_000)
    assert [str(rate_of(PENCIL, scale=scale)) for scale in (2, 4, 6)] == ["1.99", "1.9900", "1.990015"]


def test_a_tie_goes_to_the_even_digit() -> None:
    assert [str(at_scale(Fraction(tie), 2)) for tie in ("0.125", "0.135", "-0.125")] == ["0.12", "0.14", "-0.12"]


def test_a_year_more_of_life_lowers_the_rate_by_a_sixth_of_the_depreciation() -> None:
    longer = with_a_year_more(PENCIL)

    assert exact_rate(longer) - exact_rate(PENCIL) == Fraction(-7_000, 6 * 7_008)


def test_a_cent_of_tariff_raises_the_rate_by_the_kilowatts_behind_a_billable_hour() -> None:
    dearer = with_dearer_power(PENCIL, Decimal("0.01"))

    assert exact_rate(dearer) - exact_rate(PENCIL) == Fraction("0.0203125")


def test_what_a_grant_paid_for_and_what_will_be_left_is_not_depreciated() -> None:
    funded = replace(PENCIL, grant_funded=Decimal(896_000), residual=Decimal(448_000))

    assert yearly_costs(funded)["depreciation"] == (8_960_000 - 896_000 - 448_000) // 5
    assert grant_funded_rate(funded) == Fraction(179_200, 256 * 7_008)


def test_nothing_is_depreciated_after_its_life() -> None:
    old = replace(PENCIL, in_service="2021-03")

    assert (PENCIL.written_off_from, old.written_off_from) == ("2031-01", "2026-03")
    assert yearly_costs(old)["depreciation"] == 0
    assert exact_rate(with_a_year_more(old)) == exact_rate(old)


@given(build_ups())
@settings(max_examples=200, deadline=None)
def test_the_components_add_up_to_the_rate(build_up: BuildUp) -> None:
    assert sum(rate_components(build_up).values()) == exact_rate(build_up)
    assert sum(yearly_costs(build_up).values()) == exact_rate(build_up) * billable_hours(build_up)


@given(build_ups())
@settings(max_examples=200, deadline=None)
def test_a_denominator_twice_as_large_halves_the_rate(build_up: BuildUp) -> None:
    twice = replace(build_up, share_of_capacity=build_up.share_of_capacity * 2)

    assert exact_rate(twice) * 2 == exact_rate(build_up)


@given(build_ups())
@settings(max_examples=200, deadline=None)
def test_twice_as_many_gpus_at_twice_the_cost_have_the_same_rate(build_up: BuildUp) -> None:
    twice = replace(
        build_up,
        gpus=build_up.gpus * 2,
        capital_cost=build_up.capital_cost * 2,
        residual=build_up.residual * 2,
        grant_funded=build_up.grant_funded * 2,
        yearly=tuple((name, amount * 2) for name, amount in build_up.yearly),
    )

    assert exact_rate(twice) == exact_rate(build_up)


@given(build_ups(), st.integers(0, 12))
@settings(max_examples=200, deadline=None)
def test_a_stated_rate_is_at_most_half_a_last_digit_off_the_exact_one(build_up: BuildUp, scale: int) -> None:
    off = abs(Fraction(rate_of(build_up, scale=scale)) - exact_rate(build_up))

    assert off <= Fraction(1, 2 * 10**scale)
