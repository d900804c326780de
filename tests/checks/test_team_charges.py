"""Checks of team_charges: each passes on what was billed, and fails on what it is there for."""

import polars as pl

from chargeback.contracts.team_charges import TEAM_CHARGES
from tests.checks.judging import change_first, judged, put, rows_of
from tests.estates import Estate


def test_charges_recompute_passes_for_every_line(billed_estate: Estate) -> None:
    assert judged("charges_recompute", billed_estate).is_pass


def test_charges_recompute_fails_for_a_line_that_is_a_cent_off(estate: Estate) -> None:
    change_first(estate, TEAM_CHARGES, amount=pl.col("amount") + pl.lit("0.01").cast(pl.Decimal(38, 4)))

    judgement = judged("charges_recompute", estate)

    assert judgement.is_failure
    assert "off by 0.0100" in judgement.told


def test_charges_complete_passes_when_every_held_second_is_on_a_line(billed_estate: Estate) -> None:
    assert judged("charges_complete", billed_estate).is_pass


def test_charges_complete_fails_for_usage_without_a_line(estate: Estate) -> None:
    put(estate, TEAM_CHARGES, rows_of(estate, TEAM_CHARGES)[1:])

    judgement = judged("charges_complete", estate)

    assert judgement.is_failure
    assert "are missing" in judgement.told


def test_line_prices_equal_card_passes_for_every_line(billed_estate: Estate) -> None:
    assert judged("line_prices_equal_card", billed_estate).is_pass


def test_line_prices_equal_card_fails_for_a_line_at_another_price(estate: Estate) -> None:
    change_first(estate, TEAM_CHARGES, price=pl.lit("2.40").cast(pl.Decimal(38, 12)))

    judgement = judged("line_prices_equal_card", estate)

    assert judgement.is_failure
    assert judgement.told.endswith("| price 2.385 | 2.4")


def test_line_prices_equal_card_fails_for_an_amount_that_means_another_price(estate: Estate) -> None:
    change_first(estate, TEAM_CHARGES, exact_amount=pl.lit("1"), quantity=pl.lit("3600"))

    assert judged("line_prices_equal_card", estate).told.endswith("| effective price 2.385 | 1 per hour")


def test_line_prices_equal_card_fails_for_a_line_that_the_card_does_not_know(estate: Estate) -> None:
    change_first(estate, TEAM_CHARGES, tier=pl.lit("reserved"))

    assert (
        "a price for h100-sxm5-80gb reserved | 2.385 on the line, none in the card"
        in judged("line_prices_equal_card", estate).told
    )


def test_owners_known_passes_where_everything_has_an_owner(billed_estate: Estate) -> None:
    assert judged("owners_known", billed_estate).is_pass


def test_owners_known_fails_where_a_tenth_and_more_of_the_held_hours_has_none(estate: Estate) -> None:
    rows = rows_of(estate, TEAM_CHARGES)
    put(estate, TEAM_CHARGES, rows.with_columns(team=pl.lit("unattributed")))

    judgement = judged("owners_known", estate)

    assert judgement.is_failure
    assert "at most 10 % of the held hours | 100.0 % of the held hours: name their owners" in judgement.told
