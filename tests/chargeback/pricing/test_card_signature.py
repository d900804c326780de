"""A card is signed for a month by a record that counts for exactly what it says; anything else says why not."""

from dataclasses import replace
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from chargeback.billing_period import BillingPeriod
from chargeback.pricing.card_signature import approvable_card, signed_for_month
from chargeback.pricing.prices_of_month import prices_of_month
from chargeback.pricing.rate_card import RateCard, read_rate_card
from chargeback.signatures.judgement import LandedRecord
from chargeback.signatures.keyring_chain import KeyringRefused
from tests.chargeback.signatures.people import CONTROLLER, KEYRING, LEAD, PLATFORM, landed, signed_by

MARCH = BillingPeriod("2026-03", ZoneInfo("Europe/Amsterdam"))
YAML = """\
version: "2026.1"
effective_from: 2026-01
currency: EUR
prepared_by: Pat Lind
accelerators:
  h100-sxm5-80gb:
    standard: {price: 2.385, unit: GPU-hour}
"""


def card(text: str = YAML) -> RateCard:
    read = read_rate_card(text.encode(), object_key="rate-cards/c.yaml")
    assert isinstance(read, RateCard), read
    return read


def verdict(read: RateCard, *records: LandedRecord) -> RateCard:
    return signed_for_month(read, records, keyring=KEYRING, period=MARCH)


SIGNED = landed(signed_by(LEAD, approvable_card(card())))


def test_a_card_is_signed_by_a_record_of_exactly_what_it_says() -> None:
    signed = verdict(card(), SIGNED)

    assert signed.is_signed
    assert signed.signature.startswith("signed: approved by Ada Berg (finance-lead, key ")
    assert prices_of_month(signed, period=MARCH)["is_signed"].to_list() == [True]
    assert prices_of_month(signed, period=MARCH)["signature"].to_list() == [signed.signature]


@pytest.mark.parametrize(
    "layout",
    [
        "# reviewed in March\n" + YAML,
        YAML.replace("currency: EUR", "currency:    EUR   # the lake's"),
        YAML.replace("{price: 2.385, unit: GPU-hour}", "{unit: GPU-hour,   price: 2.385}"),
        YAML.replace('version: "2026.1"\neffective_from: 2026-01\n', 'effective_from: 2026-01\nversion: "2026.1"\n'),
        YAML.replace("EUR", '"EUR"'),
    ],
)
def test_a_comment_a_space_or_another_order_leaves_the_signature_whole(layout: str) -> None:
    assert card(layout).sha256 != card().sha256
    assert verdict(card(layout), SIGNED).is_signed


@pytest.mark.parametrize(
    "meaning",
    [
        YAML.replace("2.385", "2.386"),
        YAML.replace("2026-01", "2026-02"),
        YAML.replace("standard", "preemptible"),
        YAML.replace("GPU-hour", "month"),
        YAML.replace("Pat Lind", "Pat Lund"),
        YAML + "note: more\n",
    ],
)
def test_one_altered_byte_of_meaning_leaves_the_card_unsigned_and_says_so(meaning: str) -> None:
    altered = verdict(card(meaning), SIGNED)

    assert not altered.is_signed
    assert altered.signature.startswith("unsigned: approvals/a.json approves content ")
    assert "altered after signing, or another one" in altered.signature


def test_a_signature_cannot_be_replayed_on_another_version_of_the_same_prices() -> None:
    other = verdict(card(YAML.replace("2026.1", "2026.2")), SIGNED)

    assert not other.is_signed
    assert other.signature == "unsigned: no record of approvals/ approves rate card 2026.2"


def test_a_card_signed_by_a_wrong_role_is_unsigned() -> None:
    told = verdict(card(), landed(signed_by(PLATFORM, approvable_card(card()))))

    assert not told.is_signed
    assert "a rate-card is approved by finance-lead or controller" in told.signature


def test_a_card_signed_by_who_prepared_it_is_unsigned() -> None:
    own = card(YAML.replace("Pat Lind", "Ada Berg"))

    told = verdict(own, landed(signed_by(LEAD, approvable_card(own))))

    assert not told.is_signed
    assert "nobody approves what they prepared" in told.signature


def test_a_card_that_does_not_say_who_prepared_it_is_unsigned() -> None:
    nameless = card(YAML.replace("prepared_by: Pat Lind\n", ""))
    record = signed_by(LEAD, replace(approvable_card(nameless), prepared_by="Pat Lind"))

    assert "does not say who prepared it" in verdict(nameless, landed(record)).signature


@pytest.mark.parametrize(
    "until, is_signed",
    [(datetime(2026, 3, 31, 22, tzinfo=UTC), True), (datetime(2026, 3, 31, 21, 59, 59, tzinfo=UTC), False)],
)
def test_an_approval_that_ends_before_the_month_does_has_expired_for_it(until: datetime, is_signed: bool) -> None:
    told = verdict(card(), landed(signed_by(LEAD, approvable_card(card()), until=until)))

    assert told.is_signed is is_signed
    assert ("expired" in told.signature) is not is_signed


def test_a_card_that_names_another_approver_than_its_signer_is_unsigned() -> None:
    named = card(YAML + "approved_by: Bo Chen\n")

    by_lead = verdict(named, landed(signed_by(LEAD, approvable_card(named))))
    by_controller = verdict(named, landed(signed_by(CONTROLLER, approvable_card(named))))

    assert "the card says that Bo Chen approves it, Ada Berg" in by_lead.signature
    assert by_controller.is_signed


def test_one_approval_that_counts_is_enough_beside_others_that_do_not() -> None:
    wrong = landed(signed_by(PLATFORM, approvable_card(card())))

    assert verdict(card(), wrong, SIGNED).is_signed


def test_without_a_pinned_keyring_nothing_counts() -> None:
    told = signed_for_month(card(), [SIGNED], keyring=None, period=MARCH)

    assert not told.is_signed
    assert told.signature == "unsigned: no [signing] trust_root is set, so no signature counts"


def test_while_the_keyring_is_refused_nothing_counts() -> None:
    told = signed_for_month(card(), [SIGNED], keyring=KeyringRefused(("keyrings/x is a fork",)), period=MARCH)

    assert not told.is_signed
    assert told.signature == "unsigned: no keyring is in force: keyrings/x is a fork"
