"""What is meant to be posted: a repeat is harmless, what stands in the finance system is never replaced."""

from datetime import UTC, datetime

import polars as pl
import pytest

from chargeback.contracts.outbox import OUTBOX
from chargeback.contracts.postings import POSTINGS
from chargeback.ledger.journal import by_entry
from chargeback.ledger.outbox import Standing, Step, standings_of, with_steps
from chargeback.ledger.posting_document import document_of
from chargeback.ledger.postings import PostingsRefused, postings_of
from tests.chargeback.ledger.test_journal import entries_of

ENTRIES = entries_of(("A", "C1", "1", "1.00"), ("B", "C1", "1", "2.00"))
CHANGED = entries_of(("A", "C1", "1", "1.01"), ("B", "C1", "1", "2.00"))
AT = datetime(2026, 4, 5, tzinfo=UTC)
PATHS = {
    "sent": ["sent"],
    "acknowledged": ["sent", "acknowledged"],
    "rejected": ["sent", "rejected"],
    "reversed": ["sent", "acknowledged", "reversed"],
}
STANDING = ["sent", "acknowledged"]


def outbox_in(state: str, entries: pl.DataFrame = ENTRIES) -> dict[str, Standing]:
    """How every entry's document stands after its way to that state."""
    rows = OUTBOX.empty()
    for each in PATHS[state]:
        steps = [
            Step(document_of(entry, revision=1), each, "2026-03", reason="wrong" if each == "reversed" else "")
            for entry in by_entry(entries).values()
        ]
        rows = with_steps(rows, steps, at=AT, system="csv", sender="s")
    return standings_of(rows)


def posted(entries: pl.DataFrame, standings: dict[str, Standing] | None = None, mode: str = "enforced") -> pl.DataFrame:
    postings = postings_of(entries, standings or {}, mode=mode, certificate_hash="c1")
    assert isinstance(postings, pl.DataFrame), postings
    return postings


def test_a_parallel_month_withholds_every_entry_and_enforcement_prepares_it() -> None:
    withheld = posted(ENTRIES, mode="parallel")

    assert POSTINGS.breaches(withheld) == []
    assert withheld["state"].to_list() == ["withheld", "withheld"]
    assert posted(ENTRIES)["state"].to_list() == ["prepared", "prepared"]


@pytest.mark.parametrize("state", list(PATHS))
def test_an_entry_that_was_sent_says_how_it_stands(state: str) -> None:
    postings = posted(ENTRIES, outbox_in(state))

    assert POSTINGS.breaches(postings) == []
    assert postings["state"].to_list() == [state, state]
    assert postings.drop("state").equals(posted(ENTRIES).drop("state"))


@pytest.mark.parametrize("state", ["rejected", "reversed"])
def test_other_content_replaces_what_does_not_stand_there(state: str) -> None:
    assert posted(CHANGED, outbox_in(state))["state"].to_list() == ["prepared", state]


@pytest.mark.parametrize("state", STANDING)
def test_other_content_is_refused_while_the_first_stands_there(state: str) -> None:
    refused = postings_of(CHANGED, outbox_in(state), mode="enforced", certificate_hash="c2")

    assert isinstance(refused, PostingsRefused)
    (reason,) = refused.reasons
    assert reason.startswith(f"posting gpu-cb:C1:2026-03:a:allocation:r1 is {state} with 1.00 EUR (")
    assert reason.endswith("reverse it and post anew")


@pytest.mark.parametrize("state", STANDING)
def test_an_entry_that_stands_there_and_is_not_in_the_journal_any_more_is_refused(state: str) -> None:
    refused = postings_of(
        ENTRIES.filter(pl.col("team") == "A"), outbox_in(state), mode="enforced", certificate_hash="c1"
    )

    assert isinstance(refused, PostingsRefused)
    assert f"posting gpu-cb:C1:2026-03:b:allocation:r1 is {state} and not in the journal any more" in refused.reasons[0]


def test_a_parallel_month_withholds_what_was_rejected_or_reversed() -> None:
    for state in ("rejected", "reversed"):
        assert posted(ENTRIES, outbox_in(state), mode="parallel")["state"].to_list() == ["withheld", "withheld"]


def test_an_empty_journal_makes_no_postings() -> None:
    assert len(posted(entries_of())) == 0
