"""A map counts as signed for exactly what it says, for a month, by finance; every other way is refused."""

from collections.abc import Sequence
from datetime import UTC, datetime

import polars as pl
import pytest

from chargeback.billing_period import BillingPeriod
from chargeback.contracts.maps import MAPS
from chargeback.signatures.judgement import LandedRecord
from chargeback.signatures.keyring import Keyring
from chargeback.signatures.keyring_chain import KeyringRefused
from chargeback.signatures.maps import CALENDAR, TIERS, NamedMap, maps_of_month, records_about, unsigned_maps
from tests.chargeback.signatures.people import (
    CLERK,
    CONTROLLER,
    KEYRING,
    LEAD,
    OWNER,
    PLATFORM,
    landed,
    signed_by,
)
from tests.chargeback.worked_month import AMSTERDAM

MARCH = BillingPeriod("2026-03", AMSTERDAM)
MAP = NamedMap(TIERS, {"slurm-a": {"low": "preemptible", "high": "standard"}})
OTHER = NamedMap(TIERS, {"slurm-a": {"low": "standard", "high": "standard"}})
THING = MAP.approvable(prepared_by="Ops Desk")


def row_of(
    *records: LandedRecord, of: NamedMap = MAP, keyring: Keyring | KeyringRefused | None = KEYRING
) -> dict[str, object]:
    rows = maps_of_month([of], records, keyring=keyring, period=MARCH)
    assert MAPS.breaches(rows) == []
    (row,) = rows.iter_rows(named=True)
    return row


@pytest.mark.parametrize("signer", [LEAD, CONTROLLER, CLERK])
def test_whoever_acts_for_finance_signs_a_map(signer: object) -> None:
    row = row_of(landed(signed_by(signer, THING)))  # type: ignore[arg-type]

    assert row["is_signed"]
    assert str(row["signature"]).startswith("signed: approved by ")
    assert (row["entry_count"], row["content"]) == (2, '{"slurm-a":{"high":"standard","low":"preemptible"}}')


@pytest.mark.parametrize(
    ("records", "of", "why"),
    [
        ([], MAP, "no record of approvals/ approves the map tiers"),
        ([landed(signed_by(LEAD, THING))], OTHER, "altered after signing, or another one"),
        ([landed(signed_by(PLATFORM, THING))], MAP, "a map is approved by"),
        ([landed(signed_by(OWNER, THING))], MAP, "a map is approved by"),
        ([landed(signed_by(LEAD, MAP.approvable(prepared_by="Ada Berg")))], MAP, "nobody approves what they prepared"),
        ([landed(signed_by(LEAD, THING, until=datetime(2026, 3, 20, tzinfo=UTC)))], MAP, "2026-03-20"),
        ([landed(signed_by(LEAD, NamedMap(CALENDAR, MAP.entries).approvable(prepared_by="O")))], MAP, "no record of"),
    ],
    ids=["nobody", "altered", "platform key", "cost-centre owner", "self-approved", "expired", "another map"],
)
def test_a_map_that_is_not_signed_says_why(records: Sequence[LandedRecord], of: NamedMap, why: str) -> None:
    row = row_of(*records, of=of)

    assert not row["is_signed"]
    assert why in str(row["signature"])


def test_without_a_keyring_in_force_nothing_counts() -> None:
    record = landed(signed_by(LEAD, THING))

    assert "no [signing] trust_root is set" in str(row_of(record, keyring=None)["signature"])
    assert "no keyring is in force: lost" in str(row_of(record, keyring=KeyringRefused(("lost",)))["signature"])


def test_an_empty_map_has_nothing_to_sign_and_only_records_of_these_maps_decide() -> None:
    record = landed(signed_by(LEAD, THING))

    assert maps_of_month([NamedMap(TIERS, {})], [], keyring=KEYRING, period=MARCH).is_empty()
    assert records_about([MAP], [record]) == [record]
    assert records_about([NamedMap(CALENDAR, {})], [record]) == []


def test_unsigned_maps_are_found_in_enforced_mode_alone() -> None:
    signed, unsigned = (
        maps_of_month([MAP], records, keyring=KEYRING, period=MARCH)
        for records in ([landed(signed_by(LEAD, THING))], [])
    )

    assert unsigned_maps(unsigned, mode="parallel") == unsigned_maps(signed, mode="enforced") == []
    ((name, expected, observed),) = unsigned_maps(pl.concat([unsigned]), mode="enforced")
    assert (name, expected) == ("map tiers", "a signature that counts")
    assert observed.startswith("unsigned: no record")


def test_going_back_to_an_earlier_content_needs_another_signature_even_if_the_old_one_lands_again() -> None:
    first, later = (datetime(2026, 3, 10, hour, tzinfo=UTC) for hour in (9, 12))
    old, new = signed_by(LEAD, THING, at=first), signed_by(CONTROLLER, OTHER.approvable(prepared_by="Ops"), at=later)
    again = signed_by(CONTROLLER, THING, at=later.replace(hour=15))
    both = (landed(old, first), landed(new, later))

    assert row_of(*both, of=OTHER)["is_signed"]
    for records in (both, (*both, landed(old, later.replace(hour=20)))):
        assert "superseded: another content was approved at 2026-03-10T12" in str(row_of(*records)["signature"])
    assert row_of(*both, landed(again, later.replace(hour=15)))["is_signed"]


def test_an_approval_that_does_not_count_supersedes_nothing() -> None:
    later = datetime(2026, 3, 10, 12, tzinfo=UTC)
    of_platform = signed_by(PLATFORM, OTHER.approvable(prepared_by="Ops Desk"), at=later)

    assert row_of(landed(signed_by(LEAD, THING)), landed(of_platform, later))["is_signed"]


def test_a_signed_map_that_is_emptied_is_unsigned_until_somebody_signs_that() -> None:
    record, empty = landed(signed_by(LEAD, THING)), NamedMap(TIERS, {})
    later = datetime(2026, 3, 10, 12, tzinfo=UTC)

    emptied = row_of(record, of=empty)

    assert (emptied["is_signed"], emptied["entry_count"], emptied["content"]) == (False, 0, "{}")
    assert "altered after signing, or another one" in str(emptied["signature"])
    approved = landed(signed_by(LEAD, empty.approvable(prepared_by="Ops Desk"), at=later), later)
    assert row_of(record, approved, of=empty)["is_signed"]
