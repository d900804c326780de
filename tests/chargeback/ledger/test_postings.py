"""The outbox: a repeat is harmless, what was sent is never replaced."""

import polars as pl
import pytest

from chargeback.contracts.postings import POSTINGS
from chargeback.ledger.postings import PostingsRefused, postings_of
from tests.chargeback.ledger.test_journal import entries_of

ENTRIES = entries_of(("A", "C1", "1", "1.00"), ("B", "C1", "1", "2.00"))
CHANGED = entries_of(("A", "C1", "1", "1.01"), ("B", "C1", "1", "2.00"))


def posted(entries: pl.DataFrame, existing: pl.DataFrame | None = None, mode: str = "enforced") -> pl.DataFrame:
    postings = postings_of(entries, existing, mode=mode, certificate_hash="c1")
    assert isinstance(postings, pl.DataFrame), postings
    return postings


def in_state(postings: pl.DataFrame, state: str) -> pl.DataFrame:
    return postings.with_columns(state=pl.lit(state))


def test_a_parallel_month_withholds_every_entry_and_enforcement_prepares_it() -> None:
    withheld = posted(ENTRIES, mode="parallel")

    assert POSTINGS.breaches(withheld) == []
    assert withheld["state"].to_list() == ["withheld", "withheld"]
    assert posted(ENTRIES, withheld)["state"].to_list() == ["prepared", "prepared"]


@pytest.mark.parametrize("state", ["withheld", "prepared", "sent", "acknowledged", "rejected", "reversed"])
def test_the_same_content_again_is_a_repeat_that_changes_no_row(state: str) -> None:
    mode = "parallel" if state == "withheld" else "enforced"
    existing = in_state(posted(ENTRIES, mode=mode), state)

    assert posted(ENTRIES, existing, mode=mode).equals(existing)


@pytest.mark.parametrize("state", ["withheld", "prepared"])
def test_other_content_replaces_what_has_not_been_sent(state: str) -> None:
    existing = in_state(posted(ENTRIES), state)

    assert posted(CHANGED, existing).equals(posted(CHANGED))


@pytest.mark.parametrize("state", ["sent", "acknowledged", "rejected", "reversed"])
def test_other_content_is_refused_from_sent_on(state: str) -> None:
    existing = in_state(posted(ENTRIES), state)

    refused = postings_of(CHANGED, existing, mode="enforced", certificate_hash="c2")

    assert isinstance(refused, PostingsRefused)
    (reason,) = refused.reasons
    assert reason.startswith(f"posting gpu-cb:C1:2026-03:a:allocation:r1 is {state} with 1.0000 EUR (")
    assert reason.endswith("reverse it and post anew")


def test_an_entry_that_was_sent_and_is_not_in_the_journal_any_more_is_refused() -> None:
    existing = in_state(posted(ENTRIES), "sent")

    refused = postings_of(ENTRIES.filter(pl.col("team") == "A"), existing, mode="enforced", certificate_hash="c1")

    assert isinstance(refused, PostingsRefused)
    assert "posting gpu-cb:C1:2026-03:b:allocation:r1 is sent and not in the journal any more" in refused.reasons[0]


def test_an_empty_journal_makes_an_empty_outbox() -> None:
    assert len(posted(entries_of())) == 0
