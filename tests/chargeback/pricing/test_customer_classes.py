"""Customer classes: who pays what is stated, who pays more, and who may not."""

from decimal import Decimal

import pytest

from chargeback.pricing.customer_classes import class_price, unequal_classes
from chargeback.pricing.rate_card import RateCard
from tests.chargeback.pricing.built_cards import H100, HEAD, card_with, refusal_of

FUNDED = H100.replace("      support", "      grant_funded: 896000\n      support", 1).replace("1.9900", "1.8901")
"""A tenth of the capital cost was paid by a grant: 6,300 of depreciation a GPU and year, 13,246.025 / 7,008 h."""


def card_for(classes: str, accelerators: str = FUNDED) -> RateCard:
    return card_with(accelerators, HEAD + "customer_classes:\n" + classes)


def prices_of(card: RateCard, name: str) -> list[str]:
    (customers,) = (each for each in card.customer_classes if each.name == name)
    return [
        str(class_price(price, customers, card.build_ups, scale=card.rate_scale))
        for price in card.prices
    ]  # fmt: skip


def unequal(card: RateCard) -> list[tuple[str, str, str]]:
    return unequal_classes(card.prices, card.customer_classes, card.build_ups, scale=card.rate_scale)


def test_an_internal_class_pays_what_the_card_states() -> None:
    card = card_for("  internal: {kind: internal}\n  federal: {kind: federal}\n")

    assert prices_of(card, "internal") == prices_of(card, "federal") == ["1.3231", "1.8901"]
    assert unequal(card) == []


def test_an_external_class_pays_for_what_a_grant_paid_and_the_mark_up_on_it() -> None:
    card = card_for("  partners: {kind: external, grant_funded: included, mark_up: 25 %}\n")

    # 13,946.025 / 13,246.025 = 1.052846... of the stated price, and a quarter more
    assert prices_of(card, "partners") == ["1.7413", "2.4875"]


def test_an_external_class_may_pay_more_than_an_internal_one() -> None:
    assert unequal(card_for("  a: {kind: internal}\n  x: {kind: external, mark_up: 40 %}\n")) == []


def test_an_internal_class_that_pays_more_than_another_is_told_for_every_price() -> None:
    card = card_for("  physics: {kind: internal}\n  medicine: {kind: internal, mark_up: 10 %}\n")

    assert unequal(card) == [
        (
            "h100-sxm5-80gb preemptible",
            "1.3231 per GPU-hour, what physics pays",
            "medicine (internal) pays 1.4554, 0.1323 more",
        ),
        (
            "h100-sxm5-80gb standard",
            "1.8901 per GPU-hour, what physics pays",
            "medicine (internal) pays 2.0791, 0.1890 more",
        ),
    ]


def test_federal_customers_that_pay_more_than_a_subsidised_internal_class_are_told() -> None:
    card = card_for("  students: {kind: internal, subsidy: 50 %}\n  federal: {kind: federal}\n")

    assert [who.partition(" ")[0] for _, _, who in unequal(card)] == ["federal", "federal"]


def test_federal_customers_may_pay_less() -> None:
    assert unequal(card_for("  all: {kind: internal}\n  federal: {kind: federal, subsidy: 5 %}\n")) == []


def test_without_a_build_up_nothing_is_known_of_grants_and_nothing_is_added() -> None:
    card = card_for(
        "  x: {kind: external, grant_funded: included}\n", "  a:\n    standard: {price: 1, unit: GPU-hour}\n"
    )

    assert class_price(card.prices[0], card.customer_classes[0], card.build_ups, scale=4) == Decimal(1)


@pytest.mark.parametrize(
    ("stated", "reason"),
    [
        ("  f: {kind: federal, grant_funded: included}\n", "would pay for what a grant has paid for"),
        ("  f: {kind: friends}\n", "kind is 'friends', must be internal, federal, external or intercompany"),
        ("  f: {}\n", "kind is missing"),
        ("  f: {kind: internal, subsidy: 101 %}\n", "subsidy is 101 %, at most 100 %"),
        ("  f: {kind: internal, markup: 1 %}\n", "unknown field 'markup'"),
    ],
)  # fmt: skip
def test_a_class_that_cannot_be_meant_is_refused(stated: str, reason: str) -> None:
    assert reason in refusal_of(FUNDED, HEAD + "customer_classes:\n" + stated)
