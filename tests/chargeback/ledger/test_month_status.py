"""Where a month stands: each stage with its day, what is missing and who acts, from preview to hard close."""

from dataclasses import replace
from datetime import date

from chargeback.ledger.month_status import MonthFacts, stages_of

FACTS = MonthFacts(
    month="2026-10", ends=date(2026, 10, 31), cut_off=date(2026, 11, 3), objections_until=date(2026, 11, 6),
    is_billed=True, why_not_certified=(), open_objections=(), why_parallel=(), posted=0, to_post=4, is_closed=False,
)  # fmt: skip


def told(facts: MonthFacts, today: date) -> dict[str, tuple[str, str]]:
    return {each.name: (each.state, each.missing) for each in stages_of(facts, today=today)}


def states(facts: MonthFacts, today: date) -> list[str]:
    return [each.state for each in stages_of(facts, today=today)]


def test_a_running_month_has_its_preview_and_waits_for_its_end() -> None:
    assert states(FACTS, date(2026, 10, 20)) == ["done", "open", "open", "waits", "waits", "waits"]


def test_a_month_that_was_never_billed_says_so_first() -> None:
    stages = told(replace(FACTS, is_billed=False, why_not_certified=("no certificate",)), date(2026, 11, 2))

    assert stages["preview"] == ("open", "it was never billed: chargeback bill")
    assert stages["certified"] == ("waits", "waits for preview")


def test_what_is_not_certified_after_the_cut_off_is_late_with_its_reasons() -> None:
    stages = told(replace(FACTS, why_not_certified=("one", "two", "three")), date(2026, 11, 4))

    assert stages["cut-off"] == ("done", "")
    assert stages["certified"] == ("late", "one (and 2 more)")
    assert stages["posted"] == ("waits", "waits for certified")


def test_teams_may_object_until_their_day_and_an_objection_without_an_answer_is_late_after_it() -> None:
    objected = replace(FACTS, open_objections=("Vision: ran for NLP, not answered",))

    assert told(FACTS, date(2026, 11, 6))["objections"] == ("open", "teams may still object")
    assert told(FACTS, date(2026, 11, 7))["objections"][0] == "done"
    assert told(objected, date(2026, 11, 7))["objections"] == ("late", "Vision: ran for NLP, not answered")


def test_a_month_in_parallel_says_why_it_is_not_posted_and_may_be_closed() -> None:
    stages = told(replace(FACTS, why_parallel=("2026-10 runs in parallel",)), date(2026, 11, 9))

    assert stages["posted"] == ("parallel", "2026-10 runs in parallel")
    assert stages["closed"] == ("open", "chargeback close")


def test_what_is_not_posted_is_counted_and_late_after_the_window() -> None:
    assert told(replace(FACTS, posted=3), date(2026, 11, 9))["posted"] == (
        "late", "1 of 4 entries are not there: chargeback post",
    )  # fmt: skip
    assert told(replace(FACTS, posted=4), date(2026, 11, 9))["posted"] == ("done", "")


def test_a_closed_month_is_done_but_for_what_was_never_posted() -> None:
    closed = replace(FACTS, is_closed=True, posted=4)

    assert states(closed, date(2026, 12, 1)) == ["done"] * 6
    assert told(replace(closed, posted=3), date(2026, 12, 1))["posted"][0] == "late"
