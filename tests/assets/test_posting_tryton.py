"""The same contract on a living ERP: Tryton on PostgreSQL. `make posting-test`; a minute to start."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from chargeback.ledger.outbox import order_findings, single_findings
from chargeback.ledger.posting_document import document_of
from resources.finance_system import Refused
from resources.lake import Lake
from resources.posting_settings import Posting
from resources.posting_tryton import Tryton
from resources.storage_location import StorageLocation
from tests.assets.dying import TEAMS, Killed, dying, raise_killed
from tests.assets.sendings import BATCH, MONTH, TAKEN_OVER_AFTER, Books, House, journal_of
from tests.assets.test_sending_kills import is_whole
from tests.services.tryton import TrytonServer, tryton

pytestmark = pytest.mark.tryton
ACCOUNTS = {"Expenses:GPU": "7100", "Income:GPU": "8100"}
KILLS = 60


@pytest.fixture(scope="module")
def server() -> Iterator[TrytonServer]:
    with tryton() as running:
        yield running


@pytest.fixture
def posting(server: TrytonServer, monkeypatch: pytest.MonkeyPatch) -> Posting:
    monkeypatch.setenv("CHARGEBACK_POSTING_PASSWORD", server.password)
    return Posting(
        system="tryton", draft=False, url=server.url, user=server.user, timeout_seconds=30, accounts=ACCOUNTS
    )


def house(posting: Posting, folder: Path, company_month: str) -> House:
    """A house whose entries are of a month of their own, so that tests share one server."""
    entries = journal_of(*TEAMS)
    for name in ("month", "batch_key", "entry_key", "description"):
        entries = entries.with_columns(entries[name].str.replace(MONTH, company_month))
    return House(Lake(StorageLocation(str(folder / "lake"))), Tryton(posting), Books(), entries)


def moves(posting: Posting, batch: str) -> list[Any]:
    """What stands there, asked past our adapter's own reading."""
    return list(Tryton(posting)._ask("model.account.move.search_read", [["description", "like", f"{batch}:%"]], 0, None,
                                     None, ["description", "state", "date"]))  # fmt: skip


def test_a_month_is_posted_once_ties_out_and_is_taken_back(posting: Posting, tmp_path: Path) -> None:
    one = house(posting, tmp_path, MONTH)

    assert one.post().is_well
    assert one.post("second").acknowledged == {}
    one.reverse(f"{BATCH}:t1:allocation:r1")

    is_whole(one)
    found = moves(posting, BATCH)
    assert len(found) == 7
    assert {each["state"] for each in found} == {"posted"}


def test_what_another_lake_sent_is_found_and_not_sent_twice(posting: Posting, tmp_path: Path) -> None:
    first, second = house(posting, tmp_path / "1", "2026-04"), house(posting, tmp_path / "2", "2026-04")
    posted_in(first, "2026-04")
    posted_in(second, "2026-04")

    assert len(moves(posting, "gpu-cb:C1:2026-04")) == 6


def posted_in(one: House, month: str) -> None:
    """Post a house's entries of another month than the others'."""
    assert one.sending().send(month, one.planned()).is_well


def test_a_draft_stays_a_draft_unless_the_settings_want_it_posted(posting: Posting, tmp_path: Path) -> None:
    posted_in(house(replace(posting, draft=True), tmp_path, "2026-05"), "2026-05")
    assert {each["state"] for each in moves(posting, "gpu-cb:C1:2026-05")} == {"draft"}

    posted_in(house(posting, tmp_path / "other", "2026-05"), "2026-05")

    found = moves(posting, "gpu-cb:C1:2026-05")
    assert ({each["state"] for each in found}, len(found)) == ({"posted"}, 6)


def test_a_closed_period_fails_or_is_booked_in_the_next_open_one(posting: Posting, tmp_path: Path) -> None:
    system = Tryton(posting)
    (period,) = system._ask("model.account.period.search", [["start_date", "=", _date(2026, 6, 1)]], 0, None, None)
    system._ask("model.account.period.close", [period])
    one = house(posting, tmp_path, "2026-06")

    refused = one.sending().send("2026-06", one.planned())
    assert len(refused.rejected) == 6
    assert "the period of 2026-06-30 is closed" in next(iter(refused.rejected.values()))
    assert moves(posting, "gpu-cb:C1:2026-06") == []

    one = house(posting, tmp_path / "next", "2026-06")
    one.closed_period = "next_open_period"
    posted_in(one, "2026-06")
    found = moves(posting, "gpu-cb:C1:2026-06")
    assert {(each["date"]["month"], each["state"]) for each in found} == {(7, "posted")}


def test_an_unbalanced_document_is_refused_over_there_too(posting: Posting) -> None:
    (entry, *_) = journal_of(*TEAMS).partition_by("entry_key")
    document = document_of(entry, revision=9)
    lines = (replace(document.lines[0], amount=document.lines[0].amount * 2), *document.lines[1:])

    system = Tryton(posting)
    draft = system.submit(replace(document, lines=lines), posting_month="2026-08")

    with pytest.raises(Refused):
        system.finish(draft)


def test_an_account_that_is_not_there_is_told_by_name(posting: Posting, tmp_path: Path) -> None:
    one = house(replace(posting, accounts={**ACCOUNTS, "Income:GPU": "8101"}), tmp_path, "2026-07")

    sent = one.sending().send("2026-07", one.planned())

    assert len(sent.rejected) == 6
    assert "0 records of account.account are called '8101', must be one" in next(iter(sent.rejected.values()))


@pytest.mark.parametrize("at", range(1, KILLS))
def test_a_sending_may_die_between_any_two_steps(posting: Posting, at: int, tmp_path: Path) -> None:
    one = house(posting, tmp_path, MONTH)
    one.entries = one.entries.with_columns(entry_key=one.entries["entry_key"].str.replace(":t", f":k{at}t"))
    try:
        work_in(dying(one, at, raise_killed), at)
    except Killed:
        one.clock.now += TAKEN_OVER_AFTER
        work_in(one, at, "next")
    standings = one.standings()
    assert sorted(each.state for each in standings.values()) == ["acknowledged"] * 6 + ["reversed"]
    assert order_findings(one.rows()) == single_findings(one.rows()) == []
    found = [each for each in moves(posting, BATCH) if f":k{at}t" in each["description"]]
    assert len(found) == 7
    assert {each["state"] for each in found} == {"posted"}


def work_in(one: House, at: int, sender: str = "first") -> None:
    """Post, and take the first document back."""
    key = f"{BATCH}:k{at}t1:allocation:r1"
    one.post(sender)
    standing = one.standings()[key]
    if standing.state == "acknowledged":
        one.reverse(key, sender)


def _date(year: int, month: int, day: int) -> dict[str, Any]:
    return {"__class__": "date", "year": year, "month": month, "day": day}
