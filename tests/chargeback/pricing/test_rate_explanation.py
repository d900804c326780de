"""How the rates of a card come about, and what one more year or cent does, to the last digit."""

from decimal import Decimal
from fractions import Fraction

from chargeback.pricing.rate_explanation import explain_card
from tests.chargeback.pricing.built_cards import H100, card_with

CENT = Decimal("0.01")


def test_an_explanation_adds_up_component_by_component_to_the_stated_rate() -> None:
    (explained,) = explain_card(card_with(), smallest_amount=CENT)

    assert sum(explained.per_gpu_hour.values()) == explained.rate == Fraction(13_946_025, 7_008_000)
    assert sum(explained.per_year.values()) == Fraction("3570182.40")
    assert explained.stated.price == Decimal("1.9900")
    assert explained.per_gpu_hour["depreciation"] == Fraction(7_000, 7_008)


def test_a_year_more_and_a_cent_more_are_said_with_what_they_do_in_a_year() -> None:
    (explained,) = explain_card(card_with(), smallest_amount=CENT)

    longer, dearer = explained.effects
    assert (longer.change, dearer.change) == (
        "life of 6 instead of 5 years",
        "tariff of 0.15 instead of 0.14 EUR per kWh",
    )
    assert (longer.per_year, dearer.per_year) == (Fraction(-1_792_000, 6), Fraction("36441.60"))
    assert dearer.difference == Fraction("0.0203125")


def test_what_is_written_off_does_not_become_dearer_by_living_longer() -> None:
    old = H100.replace("in_service: 2026-01", "in_service: 2019-01").replace("price: 1.9900", "price: 0.9912")

    (explained,) = explain_card(card_with(old), smallest_amount=CENT)

    assert [effect.label for effect in explained.effects] == ["+0.01 per kWh"]
    assert explained.per_year["depreciation"] == 0


def test_accelerators_without_a_build_up_are_not_explained() -> None:
    assert explain_card(card_with("  a:\n    standard: {price: 1, unit: GPU-hour}\n"), smallest_amount=CENT) == ()
