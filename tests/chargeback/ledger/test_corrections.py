"""What a closed month would say today is booked in the open one, line by line, to the cent, and never twice."""

from decimal import Decimal

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chargeback.contracts.corrections import CORRECTIONS
from chargeback.ledger.correction_entries import correction_entries
from chargeback.ledger.correction_policy import CorrectionPolicy, needs_controller
from chargeback.ledger.corrections import (
    accumulated_of,
    booked_of,
    booked_total,
    correction_lines,
    uncorrected_findings,
)
from chargeback.ledger.journal import JournalAccounts, balance_findings, journal_findings
from tests.chargeback.ledger.correction_months import MONTHS, History, basis, line, lines

ACCOUNTS = JournalAccounts("6400 GPU expense", "4400 GPU recovery", "1990 suspense", "C1", "9000", "6490 credits")
SHOWN = ("team", "stood_amount", "fresh_amount", "amount", "reason")


def shown(rows: pl.DataFrame) -> list[tuple[str, ...]]:
    """Team, what was said, what is right, the difference and why, in order of team."""
    return [tuple(str(value) for value in row) for row in rows.sort("team").select(SHOWN).iter_rows()]


def october(seconds: int = 3600) -> History:
    """A closed October of one team's hours."""
    history = History(held={("2026-10", "vision-lab"): seconds}, owner={("2026-10", "vision-lab"): "Vision"})
    history.close()
    return history


def test_a_closed_month_that_nothing_changed_has_no_corrections() -> None:
    assert october().correct().is_empty()


def test_a_late_hour_is_booked_in_the_open_month_with_its_reason() -> None:
    history = october()

    history.held[("2026-10", "vision-lab")] += 3600

    assert shown(history.correct()) == [("Vision", "2.3800", "4.7700", "2.3900", "late usage")]
    assert history.correct()["line_id"][0] in history.closed["2026-10"]["line_id"]


def test_another_owner_takes_a_line_from_one_team_and_gives_it_to_the_other() -> None:
    history = october()

    history.owner[("2026-10", "vision-lab")] = "NLP"

    assert shown(history.correct()) == [
        ("NLP", "0.0000", "2.3800", "2.3800", "ownership"),
        ("Vision", "2.3800", "0.0000", "-2.3800", "ownership"),
    ]


def test_another_price_is_a_card_correction_and_both_prices_stand_on_it() -> None:
    history = october()

    history.price["2026-10"] = "2.50"
    row = history.correct().row(0, named=True)

    assert (row["reason"], row["stood_price"], row["fresh_price"]) == ("card", Decimal("2.385"), Decimal("2.50"))


def test_of_several_changed_inputs_a_line_names_those_that_can_have_moved_it() -> None:
    history = october()

    history.price["2026-10"] = "2.50"
    history.held[("2026-10", "nlp-lab")] = 3600

    assert [row[-1] for row in shown(history.correct())] == ["card", "late usage"]


def test_a_credit_that_another_policy_gives_names_the_policy() -> None:
    credit = line("2026-10", "Vision", 600, kind="credit-preempted")

    rows = correction_lines(
        lines(), CORRECTIONS.empty(), lines(credit), month="2026-11", stood=basis(), now=basis(credits="1", card="1")
    )

    assert shown(rows) == [("Vision", "0.0000", "-0.4000", "-0.4000", "credit policy")]


def test_other_code_alone_is_told_as_other_rules() -> None:
    rows = correction_lines(
        lines(line("2026-10", "Vision", 60)), CORRECTIONS.empty(), lines(line("2026-10", "Vision", 120)),
        month="2026-11", stood=basis(), now=basis(rules="1"),
    )  # fmt: skip

    assert rows["reason"].to_list() == ["rules"]


def test_what_was_booked_once_is_not_booked_again_and_a_later_change_names_only_its_own_cause() -> None:
    history = october()
    history.owner[("2026-10", "vision-lab")] = "NLP"
    history.close()  # November books it

    assert history.correct().is_empty()
    history.held[("2026-10", "vision-lab")] += 3600

    assert shown(history.correct()) == [("NLP", "2.3800", "4.7700", "2.3900", "late usage")]


def test_a_change_that_is_taken_back_is_booked_back() -> None:
    history = october()
    history.owner[("2026-10", "vision-lab")] = "NLP"
    history.close()

    history.owner[("2026-10", "vision-lab")] = "Vision"

    assert [row[3] for row in shown(history.correct())] == ["-2.3800", "2.3800"]


def test_a_correction_names_the_contents_on_both_sides() -> None:
    history = october()
    history.held[("2026-10", "vision-lab")] += 1800
    row = history.correct().row(0, named=True)

    assert row["stood_on"] == history.basis_at_closing["2026-10"].told()
    assert row["follows_from"] == history.basis("2026-10").told()


def test_a_month_cannot_be_corrected_in_itself() -> None:
    with pytest.raises(ValueError, match="which 2026-10 cannot correct"):
        correction_lines(
            lines(), CORRECTIONS.empty(), lines(line("2026-10", "Vision", 60)), month="2026-10", stood=basis(),
            now=basis(),
        )  # fmt: skip


def test_a_line_that_original_and_corrections_do_not_explain_is_found() -> None:
    history = october()
    history.held[("2026-10", "vision-lab")] += 3600
    rows = history.correct()
    off = rows.with_columns(amount=pl.col("amount") + pl.lit("0.01").cast(pl.Decimal(38, 4)))

    assert uncorrected_findings(history.closed["2026-10"], rows, history.fresh("2026-10")) == []
    assert [found[1:] for found in uncorrected_findings(history.closed["2026-10"], off, history.fresh("2026-10"))] == [
        ("4.7700", "4.7800")
    ]


def test_small_differences_wait_and_are_booked_when_together_they_are_large_enough() -> None:
    history = october()
    history.policy = CorrectionPolicy(threshold=Decimal("3.00"))
    history.held[("2026-10", "vision-lab")] += 3600

    assert accumulated_of(history.correct())["amount"].to_list() == [Decimal("2.39")]
    history.close()
    history.held[("2026-10", "vision-lab")] += 3600

    assert booked_total(history.correct()) == Decimal("4.78")


@pytest.mark.parametrize(
    ("corrected", "booked_in", "days", "begins", "needs"),
    [
        ("2026-10", "2026-11", 90, 1, False),
        ("2026-08", "2026-12", 90, 1, True),  # 31 August is over for 91 days on 1 December
        ("2026-09", "2026-12", 90, 1, False),
        ("2026-12", "2027-01", 90, 1, True),
        ("2026-12", "2027-01", 90, 4, False),
        ("2027-03", "2027-04", 90, 4, True),
        ("2026-10", "2026-12", 29, 1, True),
    ],
)
def test_old_corrections_and_those_of_another_fiscal_year_need_the_controller(
    corrected: str, booked_in: str, days: int, begins: int, needs: bool
) -> None:
    policy = CorrectionPolicy(approval_after_days=days, fiscal_year_first_month=begins)

    assert needs_controller(corrected, booked_in=booked_in, policy=policy) == needs


@pytest.mark.parametrize("style", ["difference", "reversal"])
def test_both_journal_styles_balance_and_put_the_same_on_every_team(style: str) -> None:
    history = october()
    history.owner[("2026-10", "vision-lab")] = "NLP"
    history.held[("2026-10", "shared-lab")] = 7200
    rows = history.correct()

    entries = correction_entries(rows, month="2026-11", accounts=ACCOUNTS, style=style)

    assert balance_findings(entries) == journal_findings(entries, booked_of(rows)) == []
    of_vision = entries.filter(team="Vision").select("entry_key", "side", "account", "amount").rows()
    kind = "correction" if style == "difference" else "reversal"
    assert of_vision == [
        (f"gpu-cb:C1:2026-11:vision:{kind}-2026-10:r1", "credit", "6400 GPU expense", Decimal("2.38")),
        (f"gpu-cb:C1:2026-11:vision:{kind}-2026-10:r1", "debit", "4400 GPU recovery", Decimal("2.38")),
    ]


def test_a_corrected_credit_moves_the_account_that_bears_credits() -> None:
    credit = line("2026-10", "Vision", 600, kind="credit-preempted")
    rows = correction_lines(
        lines(), CORRECTIONS.empty(), lines(credit), month="2026-11", stood=basis(), now=basis(credits="1")
    )

    entries = correction_entries(rows, month="2026-11", accounts=ACCOUNTS, style="difference")

    assert entries.select("side", "account", "amount").rows() == [
        ("credit", "6400 GPU expense", Decimal("0.40")),
        ("debit", "6490 credits", Decimal("0.40")),
    ]


accounts = st.sampled_from(["vision-lab", "nlp-lab", "shared-lab"])
months = st.sampled_from(MONTHS[:3])
steps = st.one_of(
    st.tuples(st.just("late"), months, accounts, st.integers(1, 9000)),
    st.tuples(st.just("own"), months, accounts, st.sampled_from(["Vision", "NLP"])),
    st.tuples(st.just("card"), months, st.sampled_from(["2.385", "2.50", "0.01", "1.6875"])),
    st.tuples(st.just("close")),
)


@settings(max_examples=60, deadline=None)
@given(st.lists(steps, max_size=10), st.sampled_from(["0", "1.50", "20"]), st.sampled_from(["difference", "reversal"]))
def test_original_plus_corrections_is_the_fresh_computation_after_any_history(
    history_of: list[tuple[str, ...]], threshold: str, style: str
) -> None:
    history = History(CorrectionPolicy(threshold=Decimal(threshold)))
    for step in history_of:
        match step:
            case ("late", month, account, seconds):
                history.held[(month, account)] = history.held.get((month, account), 0) + int(seconds)
            case ("own", month, account, team):
                history.owner[(month, account)] = team
            case ("card", month, price):
                history.price[month] = price
            case _ if len(history.closed) < 3:
                history.close()
        rows = history.correct()

        for month, closed in history.closed.items():
            said = pl.concat([history.booked(month), rows.filter(corrects_month=month)])
            assert uncorrected_findings(closed, said, history.fresh(month)) == []
        entries = correction_entries(rows, month=history.open_month, accounts=ACCOUNTS, style=style)
        assert balance_findings(entries) == journal_findings(entries, booked_of(rows)) == []
        assert CORRECTIONS.breaches(rows) == []
