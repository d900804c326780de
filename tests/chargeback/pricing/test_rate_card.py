"""Reading a rate card: what is taken as written, and what is refused with a line that says what to do."""

from decimal import Decimal
from fractions import Fraction

import pytest

from chargeback.pricing.rate_card import CardRefused, RateCard, read_rate_card
from chargeback.pricing.stated_price import StatedPrice
from tests.chargeback.worked_month import CARD, the_card

HEAD = 'version: "2026.2"\neffective_from: 2026-03\neffective_to: 2026-07\ncurrency: EUR\n'


def card_of(accelerators: str, head: str = HEAD) -> RateCard | CardRefused:
    return read_rate_card((head + "accelerators:\n" + accelerators).encode(), object_key="rate-cards/c.yaml")


def reasons_of(accelerators: str, head: str = HEAD) -> str:
    card = card_of(accelerators, head)
    assert isinstance(card, CardRefused), card
    return "\n".join(card.reasons)


def test_the_worked_months_card_is_read_as_it_is_written_and_marked_unsigned() -> None:
    card = the_card()

    assert (card.version, card.effective_from, card.effective_to, card.currency) == ("2026.1", "2026-01", None, "EUR")
    assert not card.is_signed
    assert card.prices == (
        StatedPrice("a100-sxm4-80gb", "standard", Decimal("1.10"), "GPU-hour"),
        StatedPrice("a100-sxm4-80gb:3g.40gb", "standard", Decimal("0.60"), "slice-hour"),
        StatedPrice("h100-sxm5-80gb", "preemptible", Decimal("1.68"), "GPU-hour"),
        StatedPrice("h100-sxm5-80gb", "standard", Decimal("2.385"), "GPU-hour"),
    )


def test_a_slice_with_a_billing_weight_is_weighed_in_every_tier_of_its_gpu() -> None:
    card = card_of(
        "  a100:\n    standard: {price: 1.10, unit: GPU-hour}\n    preemptible: {price: 0.77, unit: GPU-hour}\n"
        "    slices:\n      3g.40gb: {billing_weight: 4/8}\n"
    )

    assert isinstance(card, RateCard)
    weighed = [price for price in card.prices if price.accelerator == "a100:3g.40gb"]
    assert weighed == [
        StatedPrice("a100:3g.40gb", "preemptible", Decimal("0.77"), "GPU-hour", Fraction(1, 2)),
        StatedPrice("a100:3g.40gb", "standard", Decimal("1.10"), "GPU-hour", Fraction(1, 2)),
    ]


@pytest.mark.parametrize(
    ("accelerators", "reason"),
    [
        ("  h100:\n    standard: {price: 2.40}\n", "line 7: unit is missing: state one of GPU-hour, month, month_730"),
        ("  h100:\n    standard: {unit: GPU-hour}\n", "line 7: price is missing: state a plain decimal number"),
        (
            "  h100:\n    standard: {price: 2.4e0, unit: GPU-hour}\n",
            "line 7: price is '2.4e0', must be a plain decimal",
        ),
        ("  h100:\n    standard: {price: .inf, unit: GPU-hour}\n", "price is '.inf'"),
        ('  h100:\n    standard: {price: "2,40", unit: GPU-hour}\n', "price is '2,40'"),
        ("  h100:\n    standard: {price: -2.40, unit: GPU-hour}\n", "h100, standard: price -2.40 is negative"),
        (
            "  h100:\n    standard: {price: 0.1234567890123, unit: month}\n",
            "has 13 decimals, 1 more than a price keeps",
        ),
        ("  h100:\n    standard: {price: 2.40, unit: hour}\n", "unit is 'hour', must be one of"),
        ("  h100:\n    standart: {price: 2.40, unit: GPU-hour}\n", "unknown tier 'standart': known are standard"),
        ("  h100:\n    standard: {price: 2.40, unit: GPU-hour, per: x}\n", "unknown field 'per'"),
        ("  h100:\n    standard: 2.40\n", "line 7: h100, standard is '2.40', must be {price: 2.40, unit: GPU-hour}"),
        (
            "  h100:\n    standard: {price: 1, unit: GPU-hour}\n  h100:\n    standard: {price: 2, unit: GPU-hour}\n",
            "line 8: 'h100' stands twice (first in line 6)",
        ),
        (
            (
                "  a:\n    standard: {price: 1, unit: GPU-hour}\n    slices:\n      3g:\n        billing_weight: 3/7\n"
                "        standard: {price: 1, unit: slice-hour}\n"
            ),
            "a:3g states a billing_weight and standard: state a price or a weight, never both",
        ),
        (
            (
                "  a:\n    standard: {price: 1, unit: GPU-hour}\n    slices:\n      3g:\n        standard: "
                "{price: 1, unit: GPU-hour}\n"
            ),
            "unit is 'GPU-hour', must be one of slice-hour",
        ),
        (
            "  a:\n    standard: {price: 1, unit: GPU-hour}\n    slices:\n      3g: {billing_weight: 8/7}\n",
            "billing_weight '8/7' must be a fraction above 0 and at most 1",
        ),
        ("  a:\n    slices:\n      3g: {billing_weight: 3/7}\n", "weighs the GPU's own price, and it has none"),
        ("  a: &x\n    standard: {price: 1, unit: GPU-hour}\n  b: *x\n", "anchors and aliases are not read"),
        ("  a: [1, 2]\n", "a list stands where"),
        ("  a: {b: {c: {d: {e: {f: {g: {h: {i: 1}}}}}}}}\n", "nested more than 8 levels"),
        ("  a: {b: }: \n", "line 6"),
    ],
)
def test_a_wrong_price_is_refused_with_its_line_and_what_to_do(accelerators: str, reason: str) -> None:
    reasons = reasons_of(accelerators)

    assert reason in reasons
    assert "rate-cards/c.yaml" in reasons


@pytest.mark.parametrize(
    ("head", "reason"),
    [
        (HEAD.replace("currency: EUR\n", ""), "currency is missing: state an ISO 4217 code"),
        (HEAD.replace("EUR", "EUX"), "'EUX' is not an ISO 4217 code"),
        (HEAD.replace("2026-07", "2026-03"), "effective_to 2026-03 is not after effective_from 2026-03"),
        (HEAD.replace("2026-03", "2026-03-15"), "effective_from is '2026-03-15', must be a month"),
        (HEAD + "discount: 5\n", "line 5: unknown field 'discount'"),
        (HEAD + "rounding: up\n", "rounding is 'up', must be half-even"),
        (HEAD.replace('"2026.2"', "latest"), "version is 'latest', must be numbers with dots"),
    ],
)
def test_a_wrong_head_is_refused_with_its_line_and_what_to_do(head: str, reason: str) -> None:
    reasons = reasons_of("  h100:\n    standard: {price: 2.40, unit: GPU-hour}\n", head)

    assert reason in reasons


def test_all_faults_of_a_card_are_reported_at_once() -> None:
    reasons = reasons_of("  h100:\n    standard: {price: -1, unit: hour}\n", HEAD.replace("EUR", "euro"))

    assert len(reasons.splitlines()) == 3


@pytest.mark.parametrize("content", [b"\xff\xfe", b"", b"- a\n", b"just text", b"a: [", b"\x00", b"!!python/name:os x"])
def test_what_is_no_card_is_refused_without_a_stack_trace(content: bytes) -> None:
    refused = read_rate_card(content, object_key="rate-cards/c.yaml")

    assert isinstance(refused, CardRefused)
    assert all(reason.startswith("rate card rate-cards/c.yaml") for reason in refused.reasons)


def test_two_readings_of_one_card_are_equal() -> None:
    assert the_card(CARD) == the_card(CARD)
