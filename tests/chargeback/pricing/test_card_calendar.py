"""All cards beside each other: overlaps nobody declared, months without a price, predecessors that never landed."""

from itertools import permutations

from chargeback.pricing.card_calendar import calendar_findings
from chargeback.pricing.rate_card import RateCard
from tests.chargeback.pricing.built_cards import card_with


def card(version: str, begin: str, end: str = "", *, supersedes: str = "", accelerators: str = "h100") -> RateCard:
    head = f'version: "{version}"\neffective_from: {begin}\ncurrency: EUR\n'
    head += f"effective_to: {end}\n" if end else ""
    head += f"supersedes: {supersedes}\n" if supersedes else ""
    priced = "".join(f"  {name}:\n    standard: {{price: 2, unit: GPU-hour}}\n" for name in accelerators.split())
    return card_with(priced, head)


def test_cards_that_follow_each_other_to_the_month_are_in_order() -> None:
    assert calendar_findings([card("1", "2026-01", "2026-07"), card("2", "2026-07")]) == []


def test_a_card_that_supersedes_an_open_one_takes_its_place() -> None:
    assert calendar_findings([card("1", "2026-01"), card("2", "2026-07", supersedes="1")]) == []


def test_a_card_may_supersede_one_that_superseded_another() -> None:
    cards = [card("1", "2026-01"), card("2", "2026-04", supersedes="1"), card("3", "2026-07", supersedes="2")]

    assert all(calendar_findings(order) == [] for order in permutations(cards))


def test_two_cards_that_price_one_accelerator_in_one_month_are_told() -> None:
    (told,) = calendar_findings([card("2", "2026-06", accelerators="a100 h100"), card("1", "2026-01", "2026-07")])

    assert told == (
        'rate cards 1 and 2 both price h100 from 2026-06 on: end 1 there, or say in 2 `supersedes: "1"`; until then 2 '
        "counts"
    )


def test_an_accelerator_that_a_later_card_forgets_is_told() -> None:
    (told,) = calendar_findings([card("1", "2026-01"), card("2", "2026-03", accelerators="a100")])

    assert told == (
        "rate card 2 counts from 2026-03 on and has no price for h100, which 1 still prices: add it to 2, or end 1 "
        'there, or say in 2 `supersedes: "1"`'
    )


def test_months_between_two_cards_without_a_price_are_told() -> None:
    (told,) = calendar_findings([card("1", "2026-01", "2026-03"), card("2", "2026-05")])

    assert told == (
        "h100 has no price from 2026-03 to 2026-05, between two cards that price it: land one that covers these "
        "months, or let 2 begin in 2026-03"
    )


def test_an_accelerator_that_is_dropped_and_taken_up_again_has_a_gap() -> None:
    told = calendar_findings(
        [
            card("1", "2026-01", accelerators="a100 h100"),
            card("2", "2026-04", supersedes="1", accelerators="a100"),
            card("3", "2026-08", supersedes="2", accelerators="a100 h100"),
        ]
    )

    assert [each.partition(",")[0] for each in told] == ["h100 has no price from 2026-04 to 2026-08"]


def test_an_accelerator_that_is_retired_for_good_has_no_gap() -> None:
    first, second = card("1", "2026-01", accelerators="a100 h100"), card("2", "2026-04", supersedes="1")

    assert calendar_findings([first, second]) == []


def test_a_card_whose_predecessor_never_landed_is_told() -> None:
    assert calendar_findings([card("2", "2026-04", supersedes="1")]) == [
        "rate card 2 supersedes 1, which never landed: correct or land it"
    ]


def test_no_cards_have_nothing_to_tell() -> None:
    assert calendar_findings([]) == []
