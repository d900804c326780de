"""Checks of rate_card: each passes on what was billed, and fails on what it is there for."""

import polars as pl

from chargeback.billing_period import BillingPeriod
from chargeback.contracts.rate_card import RATE_CARD
from chargeback.pricing.prices_of_month import prices_of_month
from tests.checks.judging import change_first, judged, put, rows_of
from tests.estates import INPUTS, LATER, MONTH, Estate

CARD = (INPUTS / "rate-card.yaml").read_text()


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


def land_and_bill_with(estate: Estate, section: str, **changed: pl.Expr) -> None:
    """The month priced from a card of a higher version that has this section too, with columns changed."""
    text = CARD.replace('version: "2026.1"', 'version: "2026.9"') + section
    estate.land("rate-cards", text.encode(), at=LATER, extension="yaml")
    period = BillingPeriod(MONTH, estate.settings.zone)
    card, _ = estate.workspace.people.rate_card(period, currency="EUR")
    put(estate, RATE_CARD, prices_of_month(card, period=period).with_columns(**changed))


def test_customer_classes_equal_passes_for_a_card_without_classes(billed_estate: Estate) -> None:
    judgement = judged("customer_classes_equal", billed_estate)

    assert judgement.is_pass
    assert judgement.evidence.metrics["customer_classes"] == 0


def test_customer_classes_equal_passes_where_only_an_external_class_pays_more(estate: Estate) -> None:
    classes = "  a: {kind: internal}\n  f: {kind: federal}\n  x: {kind: external, mark_up: 20 %}\n"
    land_and_bill_with(estate, f"customer_classes:\n{classes}")

    judgement = judged("customer_classes_equal", estate)

    assert judgement.is_pass
    assert judgement.evidence.metrics["customer_classes"] == 3


def test_customer_classes_equal_fails_for_a_federal_class_that_pays_more_than_an_internal_one(estate: Estate) -> None:
    classes = "  students: {kind: internal, subsidy: 20 %}\n  federal: {kind: federal}\n"
    land_and_bill_with(estate, f"customer_classes:\n{classes}")

    judgement = judged("customer_classes_equal", estate)

    assert judgement.is_failure
    assert (
        "h100-sxm5-80gb standard | 1.9080 per GPU-hour, what students pays | federal (federal) pays 2.385, 0.4770 more"
        in judgement.told
    )


def test_customer_classes_equal_fails_where_the_card_is_not_the_one_that_priced_the_month(estate: Estate) -> None:
    put(estate, RATE_CARD, rows_of(estate, RATE_CARD).with_columns(card_sha256=pl.lit("another")))

    assert "gone from landing/, or another now" in judged("customer_classes_equal", estate).told


def test_card_policies_kept_passes_for_a_card_that_states_none(billed_estate: Estate) -> None:
    assert judged("card_policies_kept", billed_estate).is_pass


def test_card_policies_kept_passes_for_a_card_whose_credits_are_given(estate: Estate) -> None:
    land_and_bill_with(estate, "policies: {platform_fault_cap_hours: 24}\n")

    assert judged("card_policies_kept", estate).is_pass


def test_card_policies_kept_fails_for_a_credit_that_finance_signed_and_nobody_gives(estate: Estate) -> None:
    land_and_bill_with(estate, "policies: {platform_fault_cap_hours: 24}\n", policies=pl.lit(None, pl.String))

    judgement = judged("card_policies_kept", estate)

    assert judgement.is_failure
    assert judgement.told == (
        "platform_fault_cap_hours | 24, as the card states | 0 ([policies] credit_platform_fault_cap_hours)"
    )
