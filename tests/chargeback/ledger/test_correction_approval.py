"""Old corrections wait for the controller, whose signature is for exactly their lines and amounts."""

from decimal import Decimal

import polars as pl
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from chargeback.contracts.corrections import CORRECTIONS
from chargeback.ledger.correction_policy import (
    CorrectionPolicy,
    approvable_corrections,
    approved,
    unapproved_findings,
    under_policy,
)
from chargeback.ledger.corrections import correction_lines
from chargeback.signatures.keyring_chain import KeyringRefused
from tests.chargeback.ledger.correction_months import basis, line, lines
from tests.chargeback.signatures.people import CONTROLLER, KEYRING, LEAD, landed, signed_by

MONTH = "2026-03"


def old_corrections(seconds: int = 3600) -> pl.DataFrame:
    """One line of last November, which March corrects: older than ninety days, and of another year."""
    rows = correction_lines(
        lines(line("2025-11", "Vision", seconds)), CORRECTIONS.empty(), lines(), month=MONTH, stood=basis(), now=basis()
    )
    return under_policy(rows, CorrectionPolicy())


def judged(by: Ed25519PrivateKey, of: pl.DataFrame) -> pl.DataFrame:
    """The corrections as they stand with somebody's signature on some."""
    record = landed(signed_by(by, approvable_corrections(of, month=MONTH)))
    return approved(old_corrections(), [record], keyring=KEYRING, month=MONTH)


def test_the_controllers_signature_on_exactly_these_lines_lets_them_pass() -> None:
    rows = judged(CONTROLLER, old_corrections())

    assert rows["approval"][0].startswith("approved by Bo Chen (controller")
    assert unapproved_findings(rows) == []


@pytest.mark.parametrize(
    ("by", "seconds", "why"),
    [
        (LEAD, 3600, "a correction is approved by controller"),
        (CONTROLLER, 7200, "altered after signing, or another one"),
    ],
)
def test_another_role_or_other_amounts_do_not(by: Ed25519PrivateKey, seconds: int, why: str) -> None:
    rows = judged(by, old_corrections(seconds))

    (found,) = unapproved_findings(rows)
    assert why in found[2]


def test_without_a_record_a_keyring_or_a_trust_root_nobody_has_approved_and_it_is_said_which() -> None:
    rows = old_corrections()
    content = approvable_corrections(rows, month=MONTH).content_sha256
    broken = KeyringRefused(("a version between is missing",))

    said = [approved(rows, [], keyring=each, month=MONTH)["approval"][0] for each in (KEYRING, None, broken)]

    assert content in said[0]
    assert "no [signing] trust_root is set" in said[1]
    assert "no keyring is in force: a version between is missing" in said[2]


def test_a_correction_that_is_young_or_too_small_to_be_booked_needs_nobody() -> None:
    small = under_policy(old_corrections(), CorrectionPolicy(threshold=Decimal(3)))
    young = correction_lines(
        lines(line("2026-02", "Vision", 60)), CORRECTIONS.empty(), lines(), month=MONTH, stood=basis(), now=basis()
    )

    for rows in (small, under_policy(young, CorrectionPolicy())):
        assert unapproved_findings(approved(rows, [], keyring=None, month=MONTH)) == []
