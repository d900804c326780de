"""One contract for every finance system: a document stands there once, whatever went wrong on the way."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from assets.sending import ATTEMPTS, Sent
from chargeback.contracts.outbox import OUTBOX
from chargeback.ledger.outbox import order_findings, single_findings
from chargeback.ledger.posting_plan import LOOK_UP, REFUSED, STANDS, WAITS, WITHHELD
from resources.finance_system import Unanswered
from tests.assets.sendings import BATCH, LINES, MONTH, SERVED, SYSTEMS, TAKEN_OVER_AFTER, House, house, journal_of
from tests.services.finance_http import BUSY, CUT_AFTER, CUT_BEFORE, FAULTS, SILENT

KEYS = [f"{BATCH}:{team}:allocation:r1" for team in ("a", "b", "c")]


@pytest.fixture(params=SYSTEMS)
def anywhere(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[House]:
    """A house with each finance system."""
    with house(request.param, tmp_path) as one:
        yield one


@pytest.fixture(params=SERVED)
def served(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[House]:
    """A house with each finance system that answers over a network."""
    with house(request.param, tmp_path) as one:
        yield one


def is_well(one: House) -> bool:
    rows = one.rows()
    assert OUTBOX.breaches(rows) == []
    assert order_findings(rows) == []
    assert single_findings(rows) == []
    tied = one.tied()
    assert tied.findings == ()
    return tied.ties


def keys_of(one: House) -> list[str]:
    return sorted(one.standings())


def test_a_month_is_posted_once_and_ties_out(anywhere: House) -> None:
    sent = anywhere.post()

    assert sent.is_well
    assert sorted(sent.acknowledged) == keys_of(anywhere)
    assert set(anywhere.states().values()) == {"acknowledged"}
    assert is_well(anywhere)
    total = sum(each.theirs for each in anywhere.tied().accounts if each.account == "Expenses:GPU")
    assert f"{total:f}".rstrip("0") == "1199.2"


def test_posting_again_sends_nothing(anywhere: House) -> None:
    anywhere.post()
    before, writes = anywhere.rows(), anywhere.books.writes

    sent = anywhere.post("second")

    assert (sent.acknowledged, anywhere.books.writes) == ({}, writes)
    assert anywhere.rows().equals(before)
    assert {each.action for each in anywhere.planned()} == {STANDS}


def test_what_another_lake_sent_is_found_and_not_sent_twice(anywhere: House, tmp_path: Path) -> None:
    anywhere.post()
    writes = anywhere.books.writes
    with house("csv", tmp_path / "other") as other:
        other.system = anywhere.system

        assert other.post().is_well
        assert anywhere.books.writes == writes
        assert is_well(other)


def test_the_same_key_with_other_content_is_refused(anywhere: House, tmp_path: Path) -> None:
    anywhere.post()
    with house("csv", tmp_path / "other") as other:
        other.system = anywhere.system
        other.entries = journal_of(("A", "C1", "4711", "1.01"), *LINES[1:])

        sent = other.post()

    (key,) = sent.rejected
    assert key == KEYS[0]
    assert "stands there under this key with other content" in sent.rejected[key]
    assert is_well(anywhere)


def test_a_changed_entry_is_refused_until_it_is_reversed_and_then_posted_anew(anywhere: House) -> None:
    anywhere.post()
    reversed_at_once = anywhere.reverse(KEYS[0])
    assert list(reversed_at_once.acknowledged) == [f"{KEYS[0]}:storno"]
    anywhere.entries = journal_of(("A", "C1", "4711", "1.01"), *LINES[1:])

    sent = anywhere.post()

    assert list(sent.acknowledged) == [f"{BATCH}:a:allocation:r2"]
    assert anywhere.states()["a:allocation:r1"] == "reversed"
    assert anywhere.states()["a:allocation:r1:storno"] == "acknowledged"
    assert is_well(anywhere)


def test_what_was_reversed_and_did_not_change_is_posted_anew_only_if_somebody_says_so(anywhere: House) -> None:
    anywhere.post()
    anywhere.reverse(KEYS[0])

    assert anywhere.post().acknowledged == {}
    (back,) = [each for each in anywhere.planned() if each.action == WITHHELD]
    assert back.reason == "reversed (wrong account), and the journal still says the same: --again posts it anew"
    assert list(anywhere.post(again=True).acknowledged) == [f"{BATCH}:a:allocation:r2"]
    assert is_well(anywhere)


def test_a_reversal_takes_the_whole_document_back(anywhere: House) -> None:
    anywhere.post()
    for key in KEYS[:1]:
        anywhere.reverse(key)

    booked = {each.account: each.theirs for each in anywhere.tied().accounts}

    assert f"{booked['Expenses:GPU']:.2f}" == "1198.20"
    with pytest.raises(ValueError, match="is reversed: nothing to reverse"):
        anywhere.reverse(KEYS[0])


def test_a_changed_entry_that_still_stands_there_is_not_sent(anywhere: House) -> None:
    anywhere.post()
    postings = anywhere.postings()
    anywhere.entries = journal_of(("A", "C1", "4711", "1.01"), *LINES[1:])

    planned = anywhere.planned(postings=postings)

    assert [each.action for each in planned] == [REFUSED, STANDS, STANDS]
    assert "reverse it and post anew" in planned[0].reason


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("at", [0, 1])
def test_after_any_fault_of_the_wire_each_document_stands_there_once(served: House, fault: str, at: int) -> None:
    served.books.faults = [*[""] * at, fault]

    sent = served.post()

    assert sent.is_well, sent
    assert is_well(served)


def test_a_server_that_stays_silent_leaves_what_it_got_to_the_next_sending(served: House) -> None:
    served.books.faults = [CUT_BEFORE] * 5

    sent = served.post()

    assert len(sent.unanswered) == 1
    assert sorted(served.states().values()) == ["acknowledged", "acknowledged", "sent"]
    assert not served.tied().ties
    assert {each.action for each in served.planned("second")} == {STANDS, WAITS}
    assert served.post("second").acknowledged == {}
    served.clock.now += TAKEN_OVER_AFTER
    assert {each.action for each in served.planned("second")} == {STANDS, LOOK_UP}
    assert served.post("second").is_well
    assert is_well(served)


def test_a_busy_server_is_asked_again_after_the_time_that_it_names(served: House) -> None:
    served.books.faults = [BUSY, BUSY]

    assert served.post().is_well
    assert served.clock.waits == [0.0, 0.0]


def test_a_closed_period_fails_by_default(served: House) -> None:
    served.books.shut = {MONTH}

    sent = served.post()

    assert len(sent.rejected) == 3
    assert all("closed" in reason for reason in sent.rejected.values())
    assert set(served.states().values()) == {"rejected"}
    assert is_well(served)


def test_a_closed_period_may_be_booked_in_the_next_open_one_with_its_month_kept(served: House) -> None:
    served.books.shut, served.closed_period = {MONTH, "2026-04"}, "next_open_period"

    assert served.post().is_well

    assert {each.posting_month for each in served.standings().values()} == {"2026-05"}
    dates = {each.get("posting_date") or each["tranDate"] for each in served.books.entries.values()}
    assert dates == {"2026-05-31"}
    assert all(MONTH in (each.get("user_remark") or each["memo"]) for each in served.books.entries.values())
    assert is_well(served)


def test_what_was_rejected_is_posted_when_the_period_is_open_again(served: House) -> None:
    served.books.shut = {MONTH}
    served.post()
    served.books.shut = set()

    assert served.post("second").is_well
    assert is_well(served)


@pytest.mark.parametrize("draft", [True, False])
@pytest.mark.parametrize("name", SERVED)
def test_a_document_is_a_draft_unless_the_settings_want_it_posted(name: str, draft: bool, tmp_path: Path) -> None:
    with house(name, tmp_path, draft=draft) as one:
        one.post()

        posted = {bool(each.get("approved") or each.get("docstatus")) for each in one.books.entries.values()}

        assert posted == {not draft}
        assert is_well(one)


def test_a_draft_that_was_cut_before_it_was_posted_is_finished(tmp_path: Path) -> None:
    with house("erpnext", tmp_path) as one:
        one.books.faults = ["", CUT_BEFORE]

        assert one.post().is_well
        assert {each["docstatus"] for each in one.books.entries.values()} == {1}
        assert is_well(one)


def test_two_of_one_key_over_there_are_a_finding_and_nothing_is_chosen(tmp_path: Path) -> None:
    with house("erpnext", tmp_path) as one:
        one.post()
        first = next(iter(one.books.entries.values()))
        one.books.add({**first})["name"] = "4"

        assert "stands there 2 times (1, 4): reverse all but one" in one.tied().findings[0]
        with house("csv", tmp_path / "other") as other:
            other.system = one.system
            (reason,) = other.post().rejected.values()
            assert "stands there 2 times" in reason


def test_what_somebody_booked_under_our_key_or_changed_or_took_out_is_told(tmp_path: Path) -> None:
    with house("netsuite", tmp_path) as one:
        one.post()
        entries = list(one.books.entries.values())
        one.books.add({**entries[0], "externalId": f"{BATCH}:x:allocation:r1"})
        entries[1]["line"]["items"][0]["debit"] = "9.99"
        del one.books.entries[entries[2]["id"]]

        tied = one.tied()

    told = "\n".join(tied.findings)
    assert "x:allocation:r1 stands there as 4, and here it is in no outbox: somebody else booked it" in told
    assert "was sent with debits of 2.05" in told
    assert "there it has 9.99: it was changed" in told
    assert "does not stand there: ask finance who took it out" in told
    assert not tied.ties


def test_two_sendings_at_once_leave_each_others_documents_alone(served: House) -> None:
    claimed = served.sending("first")._claim(MONTH, [each.document for each in served.planned()])
    assert len(claimed) == 3

    sent = served.post("second")

    assert (sent.acknowledged, served.books.writes) == ({}, 0)
    served.clock.now += TAKEN_OVER_AFTER - timedelta(seconds=1)
    assert served.post("second").acknowledged == {}


def test_a_sending_that_was_overtaken_while_it_slept_sends_nothing(served: House) -> None:
    """Its claim is renewed before each document once half of its time is over; here another one has it by then."""
    slow = served.sending("slow")
    since = served.clock()
    claimed = slow._claim(MONTH, [each.document for each in served.planned("slow")])
    served.clock.now += TAKEN_OVER_AFTER
    assert served.post("second").is_well
    writes = served.books.writes

    for document, _ in claimed:
        slow._send_one(MONTH, document, since, Sent())

    assert served.books.writes == writes
    assert is_well(served)


def test_wrong_credentials_are_told_as_the_server_says_them(served: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHARGEBACK_POSTING_PASSWORD", "wrong")
    posting = served.system._posting  # type: ignore[attr-defined]
    served.system = type(served.system)(posting)  # type: ignore[call-arg]

    sent = served.post()

    assert len(sent.rejected) == 3
    assert all("401" in reason and "who are you" in reason for reason in sent.rejected.values())
    assert "wrong" not in str(sent.rejected)


def test_a_server_that_is_not_there_leaves_everything_sent(tmp_path: Path) -> None:
    with house("netsuite", tmp_path) as one:
        one.books.faults = [SILENT]
        posting = one.system._posting  # type: ignore[attr-defined]
        gone = type(one.system)(type(posting)(system="netsuite", url="http://127.0.0.1:9", timeout_seconds=1))  # type: ignore[call-arg]
        with pytest.raises(Unanswered, match="ConnectionError"):
            gone.find("k")

        assert len(one.post(system=gone).unanswered) == 3
        assert set(one.states().values()) == {"sent"}
        assert one.post().is_well
        assert is_well(one)


def test_a_silent_system_is_not_waited_for_document_by_document(tmp_path: Path) -> None:
    with house("netsuite", tmp_path) as one:
        one.entries = journal_of(*((f"T{n}", "C1", "4711", "1.00") for n in range(9)))
        posting = one.system._posting  # type: ignore[attr-defined]
        gone = type(one.system)(replace(posting, url="http://127.0.0.1:9"))  # type: ignore[call-arg]

        sent = one.post(system=gone)

        assert len(sent.unanswered) == 9
        assert len(one.clock.waits) == 3 * ATTEMPTS
        assert set(one.states().values()) == {"sent"}
        one.clock.now += TAKEN_OVER_AFTER
        assert one.post("second").is_well
        assert is_well(one)


def test_a_connection_cut_after_the_commit_over_there_is_one_entry(served: House) -> None:
    """Case F05."""
    served.books.faults = [CUT_AFTER]

    assert served.post().is_well
    assert len(served.books.entries) == 3
