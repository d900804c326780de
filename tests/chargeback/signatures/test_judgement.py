"""When an approval counts, and every way in which it does not: each refusal is a test."""

from dataclasses import replace
from datetime import timedelta

import pytest

from chargeback.signatures.judgement import Approvable, Counted, LandedRecord, judge
from chargeback.signatures.kinds import APPROVERS, KINDS, SUBJECTS
from tests.chargeback.signatures.people import (
    BEGIN,
    CARD,
    CONTROLLER,
    END,
    KEYRING,
    KEYS,
    LANDED_AT,
    LEAD,
    PLATFORM,
    SIGNED_AT,
    SIGNERS,
    landed,
    next_keyring,
    private_key,
    signed_by,
)

STRANGER = private_key(99)
SECOND = timedelta(seconds=1)


def reasons_of(record: LandedRecord, thing: Approvable = CARD, **how: object) -> str:
    judged = judge(record, thing, keyring=KEYRING, **how)  # type: ignore[arg-type]
    assert not isinstance(judged, Counted), judged
    return "; ".join(judged)


def test_an_approval_by_the_finance_lead_of_what_somebody_else_prepared_counts() -> None:
    judged = judge(landed(signed_by(LEAD)), CARD, keyring=KEYRING)

    assert isinstance(judged, Counted)
    assert judged.key.holder == "Ada Berg"
    assert judged.told().startswith("approved by Ada Berg (finance-lead, key ")
    assert judged.told().endswith(") at 2026-03-10T09:00:00Z")


def test_every_kind_has_approvers_and_says_what_its_subject_names() -> None:
    assert (
        "rate-card",
        "closing",
        "correction",
        "waiver",
        "sign-off",
        "dispute",
        "map",
        "sponsorship",
        "acceptance",
        *("acceptance", "keyring"),
    ) == KINDS
    assert set(SUBJECTS) == set(KINDS)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("role", sorted(SIGNERS))
def test_a_kind_is_approved_by_its_roles_and_by_no_other(kind: str, role: str) -> None:
    thing = Approvable(kind, "2026-10", "ab" * 32, "Somebody Else")

    judged = judge(landed(signed_by(SIGNERS[role], thing)), thing, keyring=KEYRING)

    assert isinstance(judged, Counted) is (role in APPROVERS[kind])


@pytest.mark.parametrize("kind", ["rate-card", "closing", "waiver", "sign-off", "dispute", "map"])
def test_a_platform_key_cannot_act_for_finance(kind: str) -> None:
    thing = Approvable(kind, "2026-10", "ab" * 32, "Somebody Else")

    reasons = reasons_of(landed(signed_by(PLATFORM, thing)), thing)

    assert "is signed by Pat Lind (platform, key " in reasons
    assert f"a {kind} is approved by " in reasons


@pytest.mark.parametrize("preparer", ["Ada Berg", "ADA BERG", "ada  berg"])
def test_nobody_approves_what_they_prepared(preparer: str) -> None:
    own = replace(CARD, prepared_by=preparer)

    assert "nobody approves what they prepared" in reasons_of(landed(signed_by(LEAD, own)), own)


def test_a_record_that_hides_who_prepared_a_card_does_not_count() -> None:
    hidden = signed_by(LEAD, replace(CARD, prepared_by="Somebody Else"))

    reasons = reasons_of(landed(hidden), replace(CARD, prepared_by="Ada Berg"))

    assert "says that Somebody Else prepared it; the rate-card itself says Ada Berg" in reasons
    assert "nobody approves what they prepared" in reasons


def test_a_thing_that_does_not_say_who_prepared_it_is_not_approved() -> None:
    assert "does not say who prepared it" in reasons_of(landed(signed_by(LEAD)), replace(CARD, prepared_by=""))


@pytest.mark.parametrize(
    "other, reason",
    [
        (replace(CARD, kind="closing"), "approves a rate-card, not a closing"),
        (replace(CARD, subject="2026.3"), "approves rate-card 2026.2, not 2026.3"),
        (replace(CARD, content_sha256="d0" * 32), "approves content c0c0c0c0c0c0, this is d0d0d0d0d0d0: altered"),
    ],
)
def test_an_approval_cannot_be_replayed_on_another_kind_month_or_content(other: Approvable, reason: str) -> None:
    assert reason in reasons_of(landed(signed_by(CONTROLLER)), other)


@pytest.mark.parametrize(
    "change",
    [
        {"kind": "closing"}, {"subject": "2026.3"}, {"content_sha256": "d0" * 32}, {"prepared_by": "Nobody"},
        {"reason": "other"}, {"at": SIGNED_AT + SECOND}, {"until": END},
    ],
)  # fmt: skip
def test_a_record_of_which_anything_was_altered_after_signing_does_not_count(change: dict[str, object]) -> None:
    signed = signed_by(CONTROLLER)
    altered = replace(signed, record=replace(signed.record, **change))  # type: ignore[arg-type]

    assert "altered after signing" in reasons_of(landed(altered))


def test_a_signature_of_one_key_does_not_stand_for_another() -> None:
    signed = signed_by(PLATFORM)
    borrowed = replace(signed, record=replace(signed.record, approved_by=KEYS[0].fingerprint))

    assert "is not one of Ada Berg (finance-lead, key " in reasons_of(landed(borrowed))


def test_a_key_that_is_in_no_keyring_approves_nothing() -> None:
    assert "is not in keyring version 1" in reasons_of(landed(signed_by(STRANGER)))


def test_a_key_that_was_taken_out_of_the_keyring_has_approved_nothing() -> None:
    later = next_keyring(KEYRING, *KEYS[1:])

    judged = judge(landed(signed_by(LEAD)), CARD, keyring=later)

    assert not isinstance(judged, Counted)
    assert "is not in keyring version 2" in judged[0]


def test_a_key_whose_validity_ended_later_has_still_approved_what_it_had() -> None:
    ended = next_keyring(KEYRING, replace(KEYS[0], valid_until=LANDED_AT + SECOND), *KEYS[1:])

    assert isinstance(judge(landed(signed_by(LEAD)), CARD, keyring=ended), Counted)


def test_a_draft_counts_for_nothing() -> None:
    assert "is a draft that nobody has signed" in reasons_of(landed(replace(signed_by(LEAD), signature="")))


@pytest.mark.parametrize("at", [BEGIN - SECOND, END])
def test_a_signature_outside_the_keys_validity_does_not_count(at: object) -> None:
    reasons = reasons_of(landed(signed_by(LEAD, at=at), at))  # type: ignore[arg-type]

    assert "when Ada Berg (finance-lead, key " in reasons
    assert "was not valid (2026-01-01T00:00:00Z to 2027-01-01T00:00:00Z)" in reasons


def test_an_ended_key_cannot_sign_into_the_past() -> None:
    back_dated = signed_by(LEAD, at=END - timedelta(days=1))

    assert "landed at 2027-02-01T00:00:00Z, when Ada Berg" in reasons_of(landed(back_dated, END + timedelta(days=31)))


def test_a_record_cannot_have_been_signed_after_it_landed() -> None:
    reasons = reasons_of(landed(signed_by(LEAD, at=LANDED_AT + timedelta(minutes=11))))

    assert "is after it landed (2026-03-10T09:05:00Z)" in reasons
    assert isinstance(
        judge(landed(signed_by(LEAD, at=LANDED_AT + timedelta(minutes=10))), CARD, keyring=KEYRING), Counted
    )


def test_an_expired_approval_does_not_count_and_its_end_is_half_open() -> None:
    until = SIGNED_AT + timedelta(days=30)
    record = landed(signed_by(LEAD, until=until))

    assert isinstance(judge(record, CARD, keyring=KEYRING, holds_until=until), Counted)
    assert "expired: it holds until 2026-04-09T09:00:00Z" in reasons_of(record, holds_until=until + SECOND)


def test_an_approval_that_ended_before_it_was_signed_does_not_count() -> None:
    assert "before it was signed" in reasons_of(landed(signed_by(LEAD, until=SIGNED_AT)))


def test_every_reason_is_told_at_once() -> None:
    other = Approvable("closing", "2026-10", "d0" * 32, "Pat Lind")

    judged = judge(landed(signed_by(PLATFORM)), other, keyring=KEYRING)

    assert not isinstance(judged, Counted)
    assert len(judged) == 5
