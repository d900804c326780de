"""A card with a cost build-up: what is read, and what is refused with a line that says what to do."""

from decimal import Decimal
from fractions import Fraction

import pytest

from chargeback.pricing.card_build_up import month_after
from chargeback.pricing.stated_price import StatedPrice
from tests.chargeback.pricing.built_cards import H100, HEAD, card_with, refusal_of
from tests.chargeback.worked_month import the_card


def changed(old: str, new: str) -> str:
    assert old in H100
    return H100.replace(old, new)


def test_a_build_up_is_read_as_it_is_written_with_the_practical_capacity_by_default() -> None:
    (build_up,) = card_with().build_ups

    assert (build_up.gpus, build_up.in_service, build_up.life_years) == (256, "2026-01", 5)
    assert build_up.power.basis == "measured"
    assert (build_up.share_of_capacity, build_up.denominator_basis) == (Fraction(4, 5), "practical capacity")
    assert dict(build_up.yearly)["carry-forward"] == 0


def test_a_card_of_prices_alone_has_no_build_up_and_forgives_nothing() -> None:
    card = the_card()

    assert (card.build_ups, card.geometries, card.customer_classes) == ((), (), ())
    assert (card.policies.suspended, card.policies.blocked) == ("hold", "report")


def test_who_made_a_card_why_and_what_it_supersedes_is_carried() -> None:
    card = card_with(
        head=HEAD + "prepared_by: A. Ono\napproved_by: B. Ruiz\nreason: yearly review\nsupersedes: 2026.1\n"
    )

    assert (card.prepared_by, card.approved_by, card.reason) == ("A. Ono", "B. Ruiz", "yearly review")
    assert card.supersedes == "2026.1"


def test_a_discount_is_taken_off_the_standard_price_and_rounded_once_to_the_cards_scale() -> None:
    card = card_with("  a100:\n    preemptible: {discount: 33.3 %}\n    standard: {price: 1.10, unit: GPU-hour}\n")

    assert card.prices[0] == StatedPrice(
        "a100", "preemptible", Decimal("0.7337"), "GPU-hour", discount=Fraction("0.333")
    )


def test_a_slice_with_a_billing_weight_is_weighed_in_a_discounted_tier_too() -> None:
    card = card_with(H100 + "    slices:\n      3g.40gb: {billing_weight: 4/8}\n")

    slices = [each for each in card.prices if each.accelerator.endswith("3g.40gb")]
    assert [(each.tier, each.price) for each in slices] == [
        ("preemptible", Decimal("1.3930")),
        ("standard", Decimal("1.9900")),
    ]


def test_a_rate_per_month_of_730_hours_recomputes_too() -> None:
    card = card_with(changed("price: 1.9900, unit: GPU-hour", "price: 1452.70, unit: month_730"))

    assert card.prices[1].unit == "month_730"


def test_an_accelerator_beyond_its_life_is_priced_without_depreciation() -> None:
    old = changed("in_service: 2026-01", "in_service: 2019-01").replace("price: 1.9900", "price: 0.9912")

    assert card_with(old).build_ups[0].is_written_off


@pytest.mark.parametrize(
    ("accelerators", "reason"),
    [
        (
            changed("price: 1.9900", "price: 2.40"),
            "line 5: h100-sxm5-80gb, standard: the card states 2.40 per GPU-hour, its inputs make 1.9900, 0.4100 less",
        ),
        (changed("price: 1.9900", "price: 1.9901"), "its inputs make 1.9900, 0.0001 less"),
        (changed("price: 1.9900, unit: GPU-hour", "price: 1.9900"), "unit is missing: state one of GPU-hour"),
        (changed("unit: GPU-hour", "unit: month"), "a build-up makes a price per GPU-hour or month_730"),
        (changed("standard: {price: 1.9900, ", "standard: {"), "the build-up makes 1.9900 per GPU-hour, state that"),
        (changed("    standard: {price: 1.9900, unit: GPU-hour}\n", ""), "a discount is off the standard price"),
        (changed("gpus: 256", "gpus: 0"), "gpus must be 1 or more: the costs are divided by them"),
        (changed("      support_per_year: 448000\n", ""), "support_per_year is missing: state a plain decimal number"),
        (changed("support_per_year", "suport_per_year"), "build_up: unknown field 'suport_per_year'"),
        (changed("space_per_year: 96000", "space_per_year: -1"), "space_per_year is -1: it cannot be below 0"),
        (changed("space_per_year: 96000", "space_per_year: 9.6e4"), "space_per_year is '9.6e4', must be a plain"),
        (changed("life_years: 5", "life_years: 0"), "life_years is 0: it must be above 0"),
        (changed("life_years: 5", "life_years: 4.7"), "life_years is 4.7: it must be whole months, 4.5 or 5"),
        (changed("life_years: 5", "life_years: 120"), "life_years is 120.0: it must be whole months, 4.5 or 5, and at"),
        (changed("in_service: 2026-01", "in_service: 2026-04"), "nothing is charged before it can be used"),
        (changed("basis: measured", "basis: guessed"), "basis is 'guessed', must be nameplate or measured"),
        (changed("pue: 1.30", "pue: 0.90"), "pue is 0.90: a site cannot use less than its machines"),
        (
            changed("      support", "      residual: 9000000\n      support"),
            "residual and grant_funded are 40000.00 more than the capital cost",
        ),
        (
            changed("      support", "      denominator: {share_of_capacity: 120 %, basis: hope}\n      support"),
            "share_of_capacity is 120 %, must be above 0 % and at most 100 %",
        ),
        (
            changed("      support", "      denominator: {share_of_capacity: 90 %}\n      support"),
            "basis is missing: state where the share comes from",
        ),
        (changed("discount: 30 %", "discount: 130 %"), "discount 130 % is more than the price"),
        (changed("discount: 30 %", "discount: 0.3"), "discount is '0.3', must be a per cent, 80 %"),
        (changed("{discount: 30 %}", "{discount: 30 %, price: 1}"), "states a discount and price: a discount or"),
    ],
)  # fmt: skip
def test_a_build_up_that_cannot_be_believed_is_refused(accelerators: str, reason: str) -> None:
    assert reason in refusal_of(accelerators)


def test_a_card_of_which_neither_month_can_be_read_says_both_and_nothing_that_follows_from_them() -> None:
    head = HEAD.replace("effective_from: 2026-03\n", "")

    reasons = refusal_of(changed("in_service: 2026-01", "in_service: soon"), head).splitlines()

    assert [reason.partition(": ")[2].partition(" is ")[0] for reason in reasons] == ["effective_from", "in_service"]


def test_a_refused_rate_says_by_what_it_is_off_and_what_to_state() -> None:
    assert refusal_of(changed("price: 1.9900", "price: 1.98")).endswith(
        "its inputs make 1.9900, 0.0100 more (rate_scale 4): state 1.9900, or correct the input that is wrong"
    )


def test_a_card_that_goes_on_beyond_the_life_of_what_it_depreciates_is_refused() -> None:
    head = HEAD.replace("currency", "effective_to: 2032-01\ncurrency")

    assert "its life ends with 2031-01, the card goes on to 2032-01: end the card in 2031-01" in refusal_of(head=head)


def test_a_card_cannot_supersede_a_later_version() -> None:
    assert "version 2026.2 cannot supersede 2026.10" in refusal_of(head=HEAD + "supersedes: 2026.10\n")


def test_more_decimals_than_a_price_keeps_are_refused() -> None:
    assert "rate_scale is 13: a price keeps at most 12 decimals" in refusal_of(head=HEAD + "rate_scale: 13\n")


def test_a_card_says_by_its_scale_how_exactly_its_rates_are_stated() -> None:
    assert card_with(changed("1.9900", "1.99"), HEAD + "rate_scale: 2\n").rate_scale == 2


@pytest.mark.parametrize(("month", "months", "after"), [("2026-11", 3, "2027-02"), ("2026-01", 60, "2031-01")])
def test_months_are_counted_across_years(month: str, months: int, after: str) -> None:
    assert month_after(month, months) == after
