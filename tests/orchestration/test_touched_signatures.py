"""A keyring or a signed record touches the open months on whose card it makes another verdict, and no day."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from assets.materialisation import Inputs
from chargeback.billing_period import BillingPeriod
from chargeback.contracts.maps import MAPS
from chargeback.contracts.partition import Partition
from chargeback.contracts.rate_card import RATE_CARD
from chargeback.pricing.card_signature import approvable_card
from chargeback.pricing.prices_of_month import prices_of_month
from chargeback.pricing.rate_card import RateCard, read_rate_card
from chargeback.signatures.canonical import readable_json
from chargeback.signatures.judgement import Approvable
from chargeback.signatures.keyring import KeyringFile
from chargeback.signatures.recognition import RECORD_FORMAT
from orchestration.touched import Touched, touched_partitions
from orchestration.workspace import Workspace
from resources.landing import LandedObject
from tests.chargeback.signatures.people import CONTROLLER, KEYRING, KEYS, LEAD, ROOT, changed_keyring, signed_by
from tests.estates import Estate
from tests.orchestration.test_touched_months import card

NOW = datetime(2026, 4, 20, tzinfo=UTC)
LANDED_AT = datetime(2026, 4, 10, tzinfo=UTC)
OPEN = ("2026-03", "2026-04")
CARD = card("2026.1").replace(b"currency: EUR\n", b"currency: EUR\nprepared_by: Pat Lind\n")
PAPER = read_rate_card(CARD, object_key="c")
assert isinstance(PAPER, RateCard)
SIGNED = signed_by(LEAD, approvable_card(PAPER))


def land(estate: Estate, source: str, content: bytes) -> LandedObject:
    """Land something of people; the object."""
    key = estate.land(source, content, at=LANDED_AT, extension="json")
    return next(each for each in estate.workspace.landing.objects(source, None) if each.key == key)


def make_months(workspace: Workspace) -> None:
    """Make rate_card and maps of both open months, as their assets do."""
    for month in OPEN:
        period = BillingPeriod(month, workspace.settings.zone)
        in_force, objects = workspace.people.rate_card(period, currency="EUR")
        rows = prices_of_month(in_force, period=period)
        provenance = Inputs.of(objects=objects).provenance("made by a test")
        workspace.lake.replace(RATE_CARD, Partition.of_month(month), rows, provenance)
        maps, signed = workspace.people.maps(period, workspace.settings.maps)
        made = Inputs.of(objects=signed).provenance("made by a test")
        workspace.lake.replace(MAPS, Partition.of_month(month), maps, made)


def touched(estate: Estate, *arrived: LandedObject) -> Touched:
    return touched_partitions(list(arrived), workspace=estate.workspace, now=NOW)


@pytest.fixture
def estate(tmp_path: Path) -> Estate:
    """March and April are open, priced by an unsigned card under a pinned keyring."""
    estate = Estate.begun_in(tmp_path / "estate", people=False)
    estate.land("rate-cards", CARD, extension="yaml")
    estate.trust(ROOT, KeyringFile(KEYRING).content(), at=LANDED_AT)
    make_months(estate.workspace)
    return estate


def test_an_approval_that_counts_touches_the_open_months_of_its_card_and_no_day(estate: Estate) -> None:
    record = land(estate, "approvals", SIGNED.content())

    found = touched(estate, record)

    assert found.months == {month: {"rate_card": {record.key}} for month in OPEN}
    assert (found.days, found.refused, found.changed_nothing) == ({}, {}, frozenset())


def test_an_approval_of_a_map_touches_the_open_months_once(estate: Estate) -> None:
    tiers = estate.settings.maps[0].approvable(prepared_by="Pat Lind")
    record = land(estate, "approvals", signed_by(LEAD, tiers).content())

    found = touched(estate, record)
    make_months(estate.workspace)

    assert found.months == {month: {"maps": {record.key}} for month in OPEN}
    assert touched(estate, record).changed_nothing == {record.key}


def test_an_approval_that_stands_in_the_prices_touches_nothing_more(estate: Estate) -> None:
    record = land(estate, "approvals", SIGNED.content())
    make_months(estate.workspace)

    assert touched(estate, record).changed_nothing == {record.key}


def test_a_record_of_another_thing_touches_nothing(estate: Estate) -> None:
    other = signed_by(CONTROLLER, Approvable("closing", "2026-03", "ab" * 32, "Pat Lind"))
    record = land(estate, "approvals", other.content())

    assert touched(estate, record).changed_nothing == {record.key}


def test_a_keyring_that_takes_the_signers_key_out_touches_the_months_that_it_had_signed(estate: Estate) -> None:
    land(estate, "approvals", SIGNED.content())
    make_months(estate.workspace)

    keyring = land(estate, "keyrings", changed_keyring(*KEYS[1:]))

    assert touched(estate, keyring).months == {month: {"rate_card": {keyring.key}} for month in OPEN}


def test_a_keyring_that_changes_no_verdict_touches_nothing(estate: Estate) -> None:
    keyring = land(estate, "keyrings", changed_keyring())

    assert touched(estate, keyring).changed_nothing == {keyring.key}


def test_an_unreadable_record_is_refused_and_says_why(estate: Estate) -> None:
    record = land(estate, "approvals", SIGNED.content().replace(b"rate-card", b"holiday"))

    found = touched(estate, record)

    assert list(found.refused) == [record.key]
    assert "kind is 'holiday'" in found.refused[record.key]


def test_a_record_that_was_refused_when_it_came_stops_no_later_one_with_a_stack_trace(estate: Estate) -> None:
    broken = land(estate, "approvals", readable_json({"format": RECORD_FORMAT, "record": {}}))
    record = land(estate, "approvals", SIGNED.content())

    assert set(touched(estate, broken).refused) == {broken.key}
    assert touched(estate, record).months == {}
