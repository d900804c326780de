"""What makes a whole card unbelievable: a slipped decimal point, a GPU charged twice, a policy without its means."""

import pytest

from tests.chargeback.pricing.built_cards import HEAD, card_with, refusal_of


def priced(**prices: str) -> str:
    return "".join(f"  {name}:\n    standard: {{{price}}}\n" for name, price in prices.items())


def test_a_price_ninety_nine_times_above_its_neighbours_is_dear_and_accepted() -> None:
    card = card_with(priced(a100="price: 1.00, unit: GPU-hour", h100="price: 99, unit: GPU-hour"))

    assert len(card.prices) == 2


def test_a_price_with_a_slipped_decimal_point_is_refused_and_only_that_one() -> None:
    reason = refusal_of(
        priced(
            a100="price: 1.10, unit: GPU-hour", h100="price: 290, unit: GPU-hour", h200="price: 2.90, unit: GPU-hour"
        )
    )

    assert reason == (
        "rate card rate-cards/c.yaml line 7: h100, standard: 290 per GPU-hour is 100 times above its nearest "
        "neighbour, h200 standard at 2.90 per GPU-hour: correct unit or decimal point, or say why (`why: "
        "...` beside the price)"
    )


def test_a_monthly_price_that_says_it_is_hourly_is_refused() -> None:
    reason = refusal_of(priced(a100="price: 803, unit: month_730", h100="price: 1752, unit: GPU-hour"))

    assert "h100, standard: 1752 per GPU-hour is 1592 times above its nearest neighbour, a100 standard at 803" in reason


def test_an_unusual_price_is_accepted_if_the_card_says_why() -> None:
    card = card_with(
        priced(t4="price: 0.02, unit: GPU-hour, why: written off in 2022", h100="price: 2.40, unit: GPU-hour, why: new")
    )

    assert {price.why for price in card.prices} == {"written off in 2022", "new"}


def test_a_tier_that_is_free_is_not_taken_for_a_slip() -> None:
    card = card_with(
        "  a100:\n    standard: {price: 1.10, unit: GPU-hour}\n    preemptible: {price: 0, unit: GPU-hour}\n"
    )

    assert len(card.prices) == 2


def test_a_price_far_from_the_other_tiers_of_its_own_accelerator_is_refused() -> None:
    reason = refusal_of(
        "  a100:\n    standard: {price: 110, unit: GPU-hour}\n    preemptible: {price: 0.80, unit: GPU-hour}\n"
    )

    assert (
        "a100, standard: 110 per GPU-hour is 137 times above its nearest neighbour, a100 preemptible at 0.80" in reason
    )


SLICED = """\
  a100:
    standard: {price: 1.10, unit: GPU-hour}
    slices:
      4g.40gb: {billing_weight: 4/7}
      3g.40gb: {billing_weight: 4/8}
      1g.10gb: {billing_weight: 1/8}
    geometries:
"""


def test_a_geometry_in_use_that_sums_above_one_gpu_is_refused() -> None:
    reason = refusal_of(SLICED + "      mixed: 1 x 4g.40gb + 1 x 3g.40gb\n")

    assert reason == (
        "rate card rate-cards/c.yaml line 5: a100, geometry mixed (1 x 4g.40gb + 1 x 3g.40gb) is charged as 15/14 "
        "GPUs, 1/14 too much: lower a billing_weight, so that it sums to at most 1"
    )


def test_geometries_that_sum_to_one_gpu_or_below_are_accepted() -> None:
    card = card_with(SLICED + "      halves: 2 x 3g.40gb\n      sevenths: 7 x 1g.10gb\n")

    assert [(each.name, each.slices) for each in card.geometries] == [
        ("halves", (("3g.40gb", 2),)),
        ("sevenths", (("1g.10gb", 7),)),
    ]


def test_a_geometry_of_a_slice_that_the_card_does_not_price_is_refused_since_it_cannot_be_summed() -> None:
    reason = refusal_of(SLICED + "      halves: 2 x 3g.40bg\n")

    assert reason.endswith(
        "a100, geometry halves has a slice 3g.40bg, which the card does not price: add it under `slices`, or correct "
        "its name"
    )


@pytest.mark.parametrize("text", ["two halves", "3g.40gb", "0 x 3g.40gb", "1 x 3g.40gb and 1 x 4g.40gb", '""'])
def test_a_geometry_that_cannot_be_read_is_refused(text: str) -> None:
    assert "must be slices of one GPU, 1 x 4g.40gb + 1 x 3g.40gb" in refusal_of(f"{SLICED}      odd: {text}\n")


def test_blocked_time_cannot_be_charged_without_saying_what_belongs_to_a_gpu() -> None:
    head = HEAD + "policies: {blocked: charge}\n"
    node = "    node: {cpus_per_gpu: 24, memory_gib_per_gpu: 256}\n"

    assert "state `node: {cpus_per_gpu: 24, memory_gib_per_gpu: 256}`" in refusal_of(
        SLICED[: SLICED.index("    sl")], head
    )
    assert card_with(SLICED[: SLICED.index("    sl")] + node, head).node_shapes[0].cpus_per_gpu == 24
