"""Checks of rate_card: each passes on what was billed, and fails on what it is there for."""

import polars as pl

from chargeback.contracts.rate_card import RATE_CARD
from tests.checks.judging import change_first, judged, put, rows_of
from tests.estates import Estate


def test_rate_card_valid_passes_for_one_card_in_the_currency_of_the_lake(billed_estate: Estate) -> None:
    judgement = judged("rate_card_valid", billed_estate)

    assert judgement.is_pass
    assert judgement.evidence.metrics["prices"] == 4


def test_rate_card_valid_fails_for_a_price_in_another_currency(estate: Estate) -> None:
    change_first(estate, RATE_CARD, currency=pl.lit("USD"))

    judgement = judged("rate_card_valid", estate)

    assert judgement.is_failure
    assert judgement.told == "a100-sxm4-80gb | EUR | USD"


def test_rate_card_valid_fails_for_prices_of_two_versions(estate: Estate) -> None:
    change_first(estate, RATE_CARD, card_version=pl.lit("2026.2"))

    assert judged("rate_card_valid", estate).told == "card_version | one version | 2026.1, 2026.2"


def test_rate_card_valid_fails_for_a_month_without_any_price(estate: Estate) -> None:
    put(estate, RATE_CARD, rows_of(estate, RATE_CARD).clear())

    assert judged("rate_card_valid", estate).is_failure


def test_rate_card_signed_passes_in_a_parallel_month_and_counts_what_is_unsigned(billed_estate: Estate) -> None:
    judgement = judged("rate_card_signed", billed_estate)

    assert judgement.is_pass
    assert judgement.evidence.metrics["unsigned_prices"] == 4


def test_rate_card_signed_fails_in_enforced_mode_for_an_unsigned_card(billed_estate: Estate) -> None:
    judgement = judged("rate_card_signed", billed_estate, mode="enforced")

    assert judgement.is_failure
    assert judgement.told == (
        "rate card 2026.1 | a signature that counts | unsigned: no [signing] trust_root is set, so no signature counts"
    )


def test_rate_card_signed_passes_in_enforced_mode_for_a_signed_card(estate: Estate) -> None:
    rows = rows_of(estate, RATE_CARD).with_columns(is_signed=pl.lit(True), signature=pl.lit("signed: ..."))
    put(estate, RATE_CARD, rows)

    assert judged("rate_card_signed", estate, mode="enforced").is_pass


def test_rate_card_signed_fails_in_enforced_mode_for_a_month_without_any_price(estate: Estate) -> None:
    put(estate, RATE_CARD, rows_of(estate, RATE_CARD).clear())

    assert judged("rate_card_signed", estate, mode="enforced").told == "rate card | a signed card | no card"


def test_evidence_of_a_parallel_month_is_none_for_an_enforced_one(billed_estate: Estate) -> None:
    parallel = judged("rate_card_signed", billed_estate).evidence
    enforced = judged("rate_card_signed", billed_estate, mode="enforced").evidence
    others = [judged("rate_card_valid", billed_estate, mode=mode).evidence for mode in ("parallel", "enforced")]

    assert parallel.suite_version != enforced.suite_version
    assert others[0].suite_version == others[1].suite_version
