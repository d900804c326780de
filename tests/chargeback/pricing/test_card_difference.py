"""What one card changes against another, price by price and component by component."""

from fractions import Fraction

from chargeback.pricing.card_difference import component_changes, price_changes
from tests.chargeback.pricing.built_cards import H100, card_with

A100 = "  a100:\n    standard: {price: 1.10, unit: GPU-hour}\n    slices:\n      3g.40gb: {billing_weight: 4/8}\n"
DEARER = H100.replace("tariff_per_kwh: 0.14", "tariff_per_kwh: 0.16").replace("1.9900", "2.0306")


def test_a_price_is_compared_with_its_difference_and_as_a_part_of_what_it_was() -> None:
    changes = price_changes(card_with(), card_with(DEARER))

    assert [(each.accelerator, each.name, each.unit) for each in changes] == [
        ("h100-sxm5-80gb", "preemptible", "GPU-hour"),
        ("h100-sxm5-80gb", "standard", "GPU-hour"),
    ]
    assert changes[1].difference == Fraction("0.0406")
    assert changes[1].share == Fraction("0.0406") / Fraction("1.99")


def test_only_the_component_that_changed_differs_and_says_by_how_much_exactly() -> None:
    changed = [each for each in component_changes(card_with(), card_with(DEARER)) if each.is_change]

    assert [(each.name, each.difference) for each in changed] == [("power", Fraction("0.040625"))]


def test_a_price_that_only_one_card_has_is_told_without_a_difference() -> None:
    (whole, part) = price_changes(card_with(H100), card_with(H100 + A100))[:2]

    assert (whole.accelerator, whole.before, whole.after, whole.difference) == ("a100", None, Fraction("1.1"), None)
    assert (part.accelerator, part.unit, part.after) == ("a100:3g.40gb", "slice-hour", Fraction("0.55"))


def test_a_monthly_price_is_compared_by_the_hour() -> None:
    monthly = card_with("  a:\n    standard: {price: 730, unit: month_730}\n")
    hourly = card_with("  a:\n    standard: {price: 1.00, unit: GPU-hour}\n")

    assert [each.is_change for each in price_changes(monthly, hourly)] == [False]


def test_a_card_does_not_differ_from_itself() -> None:
    changes = [*price_changes(card_with(), card_with()), *component_changes(card_with(), card_with())]

    assert not any(each.is_change for each in changes)
