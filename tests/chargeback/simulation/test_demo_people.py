"""What the demo's people hand in is accepted as anybody's would be, and fits what the demo month holds."""

from chargeback.pricing.ownership import read_ownership
from chargeback.pricing.rate_card import RateCard, read_rate_card
from chargeback.simulation.demo_people import DEMO_UNOWNED_ACCOUNT, demo_ownership, demo_rate_card


def test_the_ownership_file_is_accepted_and_leaves_one_account_to_nobody() -> None:
    rows, refusals = read_ownership(demo_ownership("gpuc").encode(), object_key="ownership/demo.csv")

    assert refusals == []
    assert set(rows["key"]) == {"vision", "nlp", "platform"}
    assert DEMO_UNOWNED_ACCOUNT not in set(rows["key"])


def test_the_card_is_accepted_and_prices_every_accelerator_and_slice_in_all_tiers() -> None:
    card = read_rate_card(demo_rate_card("2026-10").encode(), object_key="rate-cards/demo.yaml")

    assert isinstance(card, RateCard)
    assert card.effective_from == "2026-01"
    assert {(price.accelerator, price.tier) for price in card.prices} == {
        (accelerator, tier)
        for whole in ("h100-sxm5-80gb", "a100-sxm4-80gb")
        for accelerator in (whole, *(f"{whole}:{profile}" for profile in ("1g.10gb", "2g.20gb", "3g.40gb")))
        for tier in ("standard", "preemptible", "reserved")
    }


def test_the_prices_of_the_card_follow_from_its_build_ups() -> None:
    card = read_rate_card(demo_rate_card("2026-10").encode(), object_key="rate-cards/demo.yaml")

    assert isinstance(card, RateCard)
    stated = {price.accelerator: str(price.price) for price in card.prices if price.tier == "standard"}
    assert (stated["h100-sxm5-80gb"], stated["a100-sxm4-80gb"]) == ("2.95", "1.60")
    assert [build_up.accelerator for build_up in card.build_ups] == ["h100-sxm5-80gb", "a100-sxm4-80gb"]
