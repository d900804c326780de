"""In enforced mode nothing is certified or sent at an unsigned card; a parallel month goes on and is marked."""

from dataclasses import replace
from pathlib import Path

import dagster as dg
import polars as pl
import pytest

from assets.certification import certify_month
from assets.materialisation import month_called
from assets.release import refuse_unsigned_card, refuse_unsigned_maps
from chargeback.contracts.partition import Partition
from chargeback.contracts.rate_card import RATE_CARD
from chargeback.ledger.certificate import Refused
from chargeback.ledger.postings import unsigned_cards
from chargeback.pricing.card_signature import approvable_card
from chargeback.pricing.rate_card import RateCard, read_rate_card
from chargeback.signatures.keyring import KeyringFile
from orchestration.definitions import definitions_for
from orchestration.jobs import MONTH_JOB
from tests.chargeback.signatures.people import CONTROLLER, KEYRING, KEYS, ROOT, changed_keyring, signed_by
from tests.checks.judging import judged
from tests.estates import EXTRACTED_AT, INPUTS, MONTH, Estate, two_days_billed

CARD = read_rate_card((INPUTS / "rate-card.yaml").read_bytes(), object_key="c")


@pytest.fixture(scope="module")
def signed(tmp_path_factory: pytest.TempPathFactory) -> Estate:
    """Two days billed by a card that the controller signed."""
    assert isinstance(CARD, RateCard)
    estate = Estate(tmp_path_factory.mktemp("signed") / "estate")
    two_days_billed(estate.folder)
    estate.trust(ROOT, KeyringFile(KEYRING).content())
    record = signed_by(CONTROLLER, approvable_card(CARD), at=EXTRACTED_AT)
    estate.land("approvals", record.content(), extension="json")
    for each in estate.settings.maps:
        approval = signed_by(CONTROLLER, each.approvable(prepared_by="Ops Desk"), at=EXTRACTED_AT)
        estate.land("approvals", approval.content(), extension="json")
    assert estate.bill().refused == ()
    return estate


def let_out(estate: Estate, *, mode: str) -> None:
    """Ask the second guard, as `postings` does before anything is sent."""
    settings, workspace = replace(estate.settings, mode=mode), estate.workspace
    month = month_called(MONTH, settings)
    refuse_unsigned_card(month, lake=workspace.lake, people=workspace.people, settings=settings)
    refuse_unsigned_maps(month, lake=workspace.lake, people=workspace.people, settings=settings)


def test_a_parallel_month_is_refused_nothing_for_its_unsigned_card(billed_estate: Estate) -> None:
    let_out(billed_estate, mode="parallel")


def test_nothing_is_sent_at_an_unsigned_card(billed_estate: Estate) -> None:
    with pytest.raises(dg.Failure) as refused:
        let_out(billed_estate, mode="enforced")

    assert refused.value.description == (
        "2026-03: nothing is sent at an unsigned card: rate card 2026.1: "
        "unsigned: no [signing] trust_root is set, so no signature counts"
    )


def test_a_month_at_a_signed_card_may_be_sent(signed: Estate) -> None:
    let_out(signed, mode="enforced")


def test_nothing_is_sent_by_a_map_that_is_another_one_than_was_signed(signed: Estate, tmp_path: Path) -> None:
    estate = signed.copied_to(tmp_path / "remapped")
    text = estate.config.read_text()
    estate.config.write_text(text.replace('scavenger = "preemptible"', 'scavenger = "standard"'))

    with pytest.raises(dg.Failure, match=r"nothing is sent by an unsigned map: map tiers: unsigned: .*altered after"):
        let_out(estate, mode="enforced")


def test_a_key_that_was_taken_out_after_the_month_was_priced_stops_the_sending(signed: Estate, tmp_path: Path) -> None:
    estate = signed.copied_to(tmp_path / "revoked")
    estate.land("keyrings", changed_keyring(KEYS[0], *KEYS[2:], at=EXTRACTED_AT), extension="json")

    with pytest.raises(dg.Failure, match="which is not in keyring version 2"):
        let_out(estate, mode="enforced")


def test_the_certificate_of_an_enforced_month_is_refused_while_its_card_is_unsigned(billed_estate: Estate) -> None:
    settings, workspace = replace(billed_estate.settings, mode="enforced"), billed_estate.workspace
    judged("rate_card_signed", billed_estate, mode="enforced")

    certified = certify_month(
        month_called(MONTH, settings),
        lake=workspace.lake,
        evidence=workspace.evidence,
        people=workspace.people,
        settings=settings,
    )

    assert isinstance(certified, Refused)
    assert any("rate_card_signed" in reason and "a signature that counts" in reason for reason in certified.reasons)


def test_the_certificate_of_an_enforced_month_is_given_at_a_signed_card(signed: Estate) -> None:
    settings, workspace = replace(signed.settings, mode="enforced"), signed.workspace
    for check in ("rate_card_signed", "maps_signed"):
        judged(check, signed, mode="enforced")

    certified = certify_month(
        month_called(MONTH, settings),
        lake=workspace.lake,
        evidence=workspace.evidence,
        people=workspace.people,
        settings=settings,
    )

    assert not isinstance(certified, Refused)


def test_postings_alone_meets_the_same_refusal(billed_estate: Estate, tmp_path: Path) -> None:
    estate = billed_estate.copied_to(tmp_path / "enforced")
    definitions = definitions_for(replace(estate.settings, mode="enforced"))

    result = definitions.resolve_job_def(MONTH_JOB).execute_in_process(
        asset_selection=[dg.AssetKey("postings")], instance=dg.DagsterInstance.ephemeral(), partition_key=MONTH,
        raise_on_error=False,
    )  # fmt: skip

    failures = [event.step_failure_data.user_failure_data for event in result.get_step_failure_events()]
    assert "nothing is sent at an unsigned card" in "\n".join(each.description or "" for each in failures if each)


def test_the_prices_of_the_signed_month_are_those_of_the_unsigned_one(billed_estate: Estate, signed: Estate) -> None:
    unsigned_rows, rows = (
        estate.workspace.lake.scan(RATE_CARD, [Partition.of_month(MONTH)]).frame.collect()
        for estate in (billed_estate, signed)
    )

    assert rows["is_signed"].all()
    assert rows.drop("is_signed", "signature").equals(unsigned_rows.drop("is_signed", "signature"))
    assert unsigned_cards(rows, mode="enforced") == []
    assert unsigned_cards(unsigned_rows.with_columns(signature=pl.lit("unsigned: why")), mode="enforced") == [
        ("rate card 2026.1", "a signature that counts", "unsigned: why")
    ]
