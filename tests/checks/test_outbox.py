"""Checks of outbox: each passes on a month that was sent, and fails on what it is there for."""

from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

from assets.posting_month import PostingDesk
from assets.sending import Sending, Terms
from chargeback.contracts.journal_entries import JOURNAL_ENTRIES
from chargeback.contracts.outbox import OUTBOX
from chargeback.ledger.posting_plan import plan_of
from chargeback.ledger.postings import postings_of
from resources.posting_settings import Posting
from resources.posting_systems import finance_system
from tests.assets.sendings import TAKEN_OVER_AFTER, Clock
from tests.checks.judging import Judgement, judged, put, rows_of
from tests.estates import MONTH, Estate

POSTING = Posting(system="csv")


@pytest.fixture(scope="module")
def sent_estate(estate_of_a_month: Estate, tmp_path_factory: pytest.TempPathFactory) -> Estate:
    """A month whose journal was sent as CSV files."""
    estate = estate_of_a_month.copied_to(tmp_path_factory.mktemp("sent") / "estate")
    workspace, clock = estate.workspace, Clock()
    entries = rows_of(estate, JOURNAL_ENTRIES)
    postings = postings_of(entries, {}, mode="enforced", certificate_hash="c")
    assert isinstance(postings, pl.DataFrame)
    planned = plan_of(entries, postings, {}, now=clock(), sender="s", taken_over_after=TAKEN_OVER_AFTER)
    system = finance_system(replace(estate.settings, posting=POSTING), workspace.store)
    sending = Sending(workspace.lake, system, Terms("s", "fail", TAKEN_OVER_AFTER), clock=clock, wait=clock.wait)
    assert sending.send(MONTH, planned).is_well
    return estate


@pytest.fixture(scope="module")
def estate_of_a_month(billed_estate: Estate) -> Estate:
    """The billed month, for this module's own copy."""
    return billed_estate


def judged_here(check: str, estate: Estate) -> Judgement:
    return judged(check, estate, posting=POSTING)


@pytest.mark.parametrize("check", ["outbox_in_order", "outbox_single", "outbox_ties_out"])
def test_it_passes_on_a_month_that_was_sent(check: str, sent_estate: Estate) -> None:
    assert len(rows_of(sent_estate, OUTBOX)) > 2
    assert judged_here(check, sent_estate).is_pass


@pytest.mark.parametrize("check", ["outbox_in_order", "outbox_single", "outbox_ties_out"])
def test_it_passes_on_a_month_of_which_nothing_was_sent(check: str, billed_estate: Estate) -> None:
    assert judged(check, billed_estate).is_pass


def test_outbox_in_order_fails_for_an_acknowledgement_of_what_was_never_sent(
    sent_estate: Estate, tmp_path: Path
) -> None:
    estate = sent_estate.copied_to(tmp_path / "estate")
    put(estate, OUTBOX, rows_of(estate, OUTBOX).filter(pl.col("state") != "sent"))

    judgement = judged_here("outbox_in_order", estate)

    assert judgement.is_failure
    assert "sent after nothing | acknowledged" in judgement.told
    assert "step 1 | step 2" in judgement.told


def test_outbox_single_fails_for_a_key_with_two_contents_and_an_entry_posted_twice(
    sent_estate: Estate, tmp_path: Path
) -> None:
    estate = sent_estate.copied_to(tmp_path / "estate")
    rows = rows_of(estate, OUTBOX).sort(OUTBOX.key)
    first = rows["document_key"][0]
    of_first = pl.col("document_key") == first
    second = first.replace(":r1", ":r2")
    twice = rows.filter(of_first).with_columns(
        document_key=pl.lit(second),
        document=pl.col("document").str.replace(f'"key":"{first}"', f'"key":"{second}"', literal=True),
    )
    changed = rows.with_columns(
        document_sha256=pl.when(of_first & (pl.col("state") == "sent"))
        .then(pl.lit("0" * 64))
        .otherwise("document_sha256")
    )
    put(estate, OUTBOX, pl.concat([changed, twice]))

    judgement = judged_here("outbox_single", estate)

    assert judgement.is_failure
    assert f"{first} | one content | 2 contents" in judgement.told
    assert f"one posting that stands | {first}, {second}" in judgement.told


def test_outbox_ties_out_fails_when_the_finance_system_lost_a_document(sent_estate: Estate, tmp_path: Path) -> None:
    estate = sent_estate.copied_to(tmp_path / "estate")
    files = sorted(Path(estate.settings.location.root).joinpath("posted").rglob("*.csv"))
    files[0].unlink()

    judgement = judged_here("outbox_ties_out", estate)

    assert judgement.is_failure
    assert "does not stand there: ask finance who took it out" in judgement.told
    assert "Expenses:GPU | " in judgement.told


def test_outbox_ties_out_fails_where_no_finance_system_can_be_asked(sent_estate: Estate) -> None:
    judgement = judged("outbox_ties_out", sent_estate)

    assert judgement.is_failure
    assert "no finance system is named" in judgement.told


def test_a_month_in_parallel_is_refused_by_the_desk(billed_estate: Estate) -> None:
    import dagster as dg

    from assets.materialisation import month_called

    workspace = billed_estate.workspace
    settings = replace(billed_estate.settings, posting=POSTING)
    system = finance_system(settings, workspace.store)
    desk = PostingDesk(workspace.lake, workspace.evidence, workspace.people, settings, system)

    with pytest.raises(dg.Failure, match="2026-03 runs in parallel"):
        desk.post(month_called(MONTH, settings))
