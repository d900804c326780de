"""A rate card or an ownership file touches exactly the open months whose prices or owners become others."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from assets.materialisation import Inputs
from chargeback.billing_period import BillingPeriod
from chargeback.contracts.ownership import OWNERSHIP
from chargeback.contracts.partition import Partition
from chargeback.contracts.rate_card import RATE_CARD
from chargeback.contracts.rated_usage import RATED_USAGE
from chargeback.pricing.prices_of_month import prices_of_month
from orchestration.touched import Touched
from resources.landing import LandedObject
from tests.raw_estate import RawEstate

NOW = datetime(2026, 11, 20, tzinfo=UTC)
OPEN = ("2026-10", "2026-11")
OWNERS = "cluster,kind,key,project,team,cost_centre,company,percent,valid_from,valid_until"
VISION = "slurm-a,account,vision,vis-01,Vision,4711,C1,100,2026-01-01,"
NLP = "slurm-a,account,nlp,nlp-02,NLP,4712,C1,100,2026-01-01,"


def card(version: str, *, effective_from: str = "2026-01", price: str = "2.40", note: str = "") -> bytes:
    """A rate card of one accelerator."""
    return (
        f'version: "{version}"\neffective_from: {effective_from}\ncurrency: EUR\nnote: "{note}"\naccelerators:\n'
        f"  h100-sxm5-80gb:\n    standard: {{price: {price}, unit: GPU-hour}}\n"
    ).encode()


def owners(*rows: str) -> bytes:
    """An ownership file."""
    return "\n".join([OWNERS, *rows, ""]).encode()


def land(estate: RawEstate, source: str, content: bytes, *, day: int) -> LandedObject:
    """Land a file of people on a day of November."""
    extension = {"rate-cards": "yaml", "ownership": "csv"}[source]
    return estate.land(source, content, at=datetime(2026, 11, day, tzinfo=UTC), extension=extension)


def make_months(estate: RawEstate) -> None:
    """Make rate_card and ownership of both open months, as their assets do."""
    workspace = estate.workspace
    for month in OPEN:
        period, partition = BillingPeriod(month, workspace.settings.zone), Partition.of_month(month)
        in_force, cards = workspace.people.rate_card(period, currency="EUR")
        rows, files = workspace.people.ownership(period)
        for contract, frame, objects in (
            (RATE_CARD, prices_of_month(in_force, period=period), cards),
            (OWNERSHIP, rows, files),
        ):
            workspace.lake.replace(contract, partition, frame, Inputs.of(objects=objects).provenance("made by a test"))


@pytest.fixture
def estate(tmp_path: Path) -> RawEstate:
    """October and November are open, with one card and one ownership file since January."""
    estate = RawEstate.begun_in(tmp_path, first_day="2026-10-01")
    land(estate, "rate-cards", card("2026.1"), day=1)
    land(estate, "ownership", owners(VISION, NLP), day=1)
    make_months(estate)
    return estate


def nothing(*landed: LandedObject) -> Touched:
    return Touched({}, {}, frozenset(each.key for each in landed), {})


def test_a_new_card_touches_every_open_month_whose_prices_become_others(estate: RawEstate) -> None:
    dearer = land(estate, "rate-cards", card("2026.2", price="2.50"), day=2)

    touched = estate.touched(dearer, now=NOW)

    assert touched == Touched({}, {month: {"rate_card": {dearer.key}} for month in OPEN}, frozenset(), {})


def test_a_card_effective_from_the_second_month_touches_only_the_second(estate: RawEstate) -> None:
    dearer = land(estate, "rate-cards", card("2026.2", effective_from="2026-11", price="2.50"), day=2)

    assert estate.touched(dearer, now=NOW).months == {"2026-11": {"rate_card": {dearer.key}}}


def test_a_card_of_a_month_that_has_not_begun_touches_nothing_yet(estate: RawEstate) -> None:
    coming = land(estate, "rate-cards", card("2026.2", effective_from="2026-12", price="2.50"), day=2)

    assert estate.touched(coming, now=NOW) == nothing(coming)


def test_a_card_that_a_higher_version_outranks_touches_nothing(estate: RawEstate) -> None:
    older = land(estate, "rate-cards", card("2025.4", price="9.00"), day=2)

    assert estate.touched(older, now=NOW) == nothing(older)


def test_the_same_card_published_again_touches_nothing(estate: RawEstate) -> None:
    again = land(estate, "rate-cards", card("2026.1"), day=9)

    assert estate.touched(again, now=NOW) == nothing(again)


def test_a_card_touches_nothing_any_more_once_its_months_were_made_from_it(estate: RawEstate) -> None:
    dearer = land(estate, "rate-cards", card("2026.2", price="2.50"), day=2)
    make_months(estate)

    assert estate.touched(dearer, now=NOW) == nothing(dearer)


def test_the_same_prices_under_another_version_touch_their_months_since_statements_name_the_version(
    estate: RawEstate,
) -> None:
    renamed = land(estate, "rate-cards", card("2026.2"), day=2)

    assert list(estate.touched(renamed, now=NOW).months) == list(OPEN)


def test_other_bytes_under_the_same_version_are_refused_even_with_the_same_prices(estate: RawEstate) -> None:
    second = land(estate, "rate-cards", card("2026.1", note="reviewed"), day=2)

    touched = estate.touched(second, now=NOW)

    assert (touched.months, touched.changed_nothing) == ({}, frozenset())
    assert "rate card 2026.1 has two contents" in touched.refused[second.key]


def test_a_card_that_takes_the_version_of_the_one_in_force_is_refused_though_it_begins_later(
    estate: RawEstate,
) -> None:
    mistyped = land(estate, "rate-cards", card("2026.1", effective_from="2026-12", price="2.50"), day=2)

    assert "rate card 2026.1 has two contents" in estate.touched(mistyped, now=NOW).refused[mistyped.key]


def test_a_card_in_another_currency_is_refused(estate: RawEstate) -> None:
    foreign = land(estate, "rate-cards", card("2026.2").replace(b"EUR", b"USD"), day=2)

    touched = estate.touched(foreign, now=NOW)

    assert touched.months == {}
    assert "is in USD, the lake bills in EUR" in touched.refused[foreign.key]


def test_an_unreadable_card_is_refused_with_its_reason_and_raises_nothing(estate: RawEstate) -> None:
    broken = land(estate, "rate-cards", card("2026.2", price="much"), day=2)

    touched = estate.touched(broken, now=NOW)

    assert touched == Touched({}, {}, frozenset(), touched.refused)
    assert "price is 'much', must be a plain decimal number" in touched.refused[broken.key]


def test_a_closed_month_is_never_among_those_that_files_of_people_touch(estate: RawEstate) -> None:
    estate.workspace.lake.close_month("2026-10", by="finance", certificate_hash="c" * 64, contracts=[RATED_USAGE])
    dearer = land(estate, "rate-cards", card("2026.2", price="2.50"), day=2)
    changed = land(estate, "ownership", owners(VISION), day=2)

    assert estate.touched(dearer, changed, now=NOW).months == {
        "2026-11": {"rate_card": {dearer.key}, "ownership": {changed.key}}
    }


def test_a_changed_owner_touches_the_months_of_both(estate: RawEstate) -> None:
    changed = land(estate, "ownership", owners(VISION, NLP.replace("4712", "4799")), day=2)

    assert estate.touched(changed, now=NOW).months == {month: {"ownership": {changed.key}} for month in OPEN}


def test_an_owner_who_changes_within_the_second_month_touches_only_the_second(estate: RawEstate) -> None:
    before = f"{NLP}2026-11-10"
    after = NLP.replace("4712", "4799").replace("2026-01-01", "2026-11-10")
    changed = land(estate, "ownership", owners(VISION, before, after), day=2)

    assert estate.touched(changed, now=NOW) == Touched({}, {"2026-11": {"ownership": {changed.key}}}, frozenset(), {})


@pytest.mark.parametrize("rows", [(NLP, VISION), (f"{VISION}2027-01-01", f"{NLP}2027-01-01")])
def test_the_same_owners_in_another_order_or_with_an_end_beyond_the_open_months_touch_nothing(
    estate: RawEstate, rows: tuple[str, ...]
) -> None:
    again = land(estate, "ownership", owners(*rows), day=2)

    assert estate.touched(again, now=NOW) == nothing(again)


def test_an_ownership_file_older_than_the_one_in_force_touches_nothing(estate: RawEstate) -> None:
    newer = land(estate, "ownership", owners(VISION, NLP, NLP.replace("nlp,", "speech,")), day=5)
    make_months(estate)
    late = land(estate, "ownership", owners(VISION), day=3)

    assert estate.touched(late, newer, now=NOW) == nothing(late, newer)


def test_an_unreadable_ownership_file_is_refused_with_its_line_and_raises_nothing(estate: RawEstate) -> None:
    broken = land(estate, "ownership", owners(VISION, NLP.replace(",100,", ",150,")), day=2)

    touched = estate.touched(broken, now=NOW)

    assert touched == Touched({}, {}, frozenset(), touched.refused)
    assert "line 3: percent '150' must be above 0 and at most 100" in touched.refused[broken.key]


def test_what_finance_lands_for_comparison_touches_nothing(estate: RawEstate) -> None:
    reference = estate.land("finance-reference", b"month,total\n", at=NOW, extension="csv")

    assert estate.touched(reference, now=NOW) == nothing(reference)
