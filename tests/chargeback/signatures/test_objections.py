"""Objections and answers: each answer is of one objection, by finance; what nobody may sign counts for nothing."""

from datetime import timedelta

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from chargeback.signatures.canonical import content_sha256
from chargeback.signatures.judgement import Approvable, LandedRecord
from chargeback.signatures.objections import Objection, answer_of, objection_of, objections_of
from chargeback.signatures.record import SignedRecord
from tests.chargeback.signatures.people import (
    CLERK,
    CONTROLLER,
    KEYRING,
    LANDED_AT,
    OWNER,
    PLATFORM,
    landed,
    signed_by,
)

MONTH, LINE = "2026-03", "GPU-2026-03-vision-7f3a9c12"


def objected(key: Ed25519PrivateKey = OWNER, *, amount: str = "105.6", about: str = LINE) -> SignedRecord:
    return signed_by(key, objection_of(MONTH, about, amount=amount, prepared_by="T. Lead"))


def answered(to: SignedRecord, key: Ed25519PrivateKey = CLERK, about: str = LINE) -> SignedRecord:
    objection = Objection(MONTH, about, "", "", content_sha256(to.document()), None)
    return signed_by(key, answer_of(objection, prepared_by="Ops Desk"))


def found(*records: SignedRecord, month: str = MONTH) -> list[Objection]:
    in_landing = [LandedRecord(each, LANDED_AT + timedelta(minutes=at), f"a{at}") for at, each in enumerate(records)]
    return objections_of(month, in_landing, KEYRING)


def test_an_objection_is_open_until_finance_answers_it() -> None:
    one = objected()

    (open_one,) = found(one)
    assert (open_one.about, open_one.reason, open_one.answer) == (LINE, "reviewed", None)
    (closed_one,) = found(one, answered(one))
    assert closed_one.answer is not None
    assert "Fin Roy" in closed_one.answer


def test_an_answer_is_of_one_objection_and_of_no_other_of_the_same_line() -> None:
    first, second = objected(), objected(amount="200")

    assert [each.answer is None for each in found(first, second, answered(first))] == [False, True]


@pytest.mark.parametrize("key", [PLATFORM, OWNER])
def test_only_finance_answers(key: Ed25519PrivateKey) -> None:
    one = objected()

    assert found(one, answered(one, key))[0].answer is None


def test_what_the_platform_or_nobody_signed_is_no_objection() -> None:
    assert found(objected(PLATFORM)) == []
    assert found(SignedRecord(objected().record)) == []
    assert objections_of(MONTH, [landed(objected())], None) == []


def test_another_month_and_another_kind_are_none() -> None:
    assert found(objected(), month="2026-04") == []
    assert found(signed_by(CONTROLLER, Approvable("waiver", f"{MONTH}/x", "c0" * 32, "Pat Lind"))) == []
