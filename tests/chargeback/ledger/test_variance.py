"""A month beside finance's: differences split by cause, to the cent; the limit is on what nothing explains."""

from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chargeback.ledger.finance_reference import Reference, read_finance_reference
from chargeback.ledger.parallel_page import render_parallel
from chargeback.ledger.parallel_report import parallel_report, render_parallel_csv
from chargeback.ledger.variance import CAUSES, SUSPENSE, Ours, Variance, ours_of, variance_of
from chargeback.money import Currency
from tests.chargeback.ledger.test_journal import lines_of
from tests.chargeback.worked_month import worked_lines

EUR = Currency("EUR")
MONTH = "2026-10"
ONE_PERCENT = Fraction(1)


def ours(gross: str, hours: str, credit: str = "0") -> Ours:
    return Ours(Decimal(gross), Decimal(credit), Fraction(hours), ("T",))


def theirs(
    centre: str, amount: str, *, hours: str | None = None, rate: str | None = None, credit: str | None = None
) -> Reference:
    return Reference(
        MONTH, centre, Decimal(amount), "report", None if hours is None else Fraction(hours),
        None if rate is None else Fraction(rate), None if credit is None else Decimal(credit),
    )  # fmt: skip


def compared(mine: dict[str, Ours], *references: Reference) -> Variance:
    variance = variance_of(mine, references, month=MONTH, currency=EUR)
    for row in variance.rows:
        assert sum(row.causes.values(), Decimal(0)) == row.variance
        assert list(row.causes) == list(CAUSES)
    return variance


def causes(variance: Variance, centre: str) -> dict[str, str]:
    (row,) = (row for row in variance.rows if row.cost_centre == centre)
    return {name: f"{amount:f}" for name, amount in row.causes.items() if amount}


def test_equal_months_have_no_difference() -> None:
    variance = compared({"A": ours("240.00", "100")}, theirs("A", "240.00"))

    assert causes(variance, "A") == {}
    assert (variance.residue, variance.why_not_within(Fraction(0))) == (0, ())


def test_another_rate_and_other_hours_are_told_apart_and_explain_all() -> None:
    variance = compared({"A": ours("240.00", "100")}, theirs("A", "198.00", hours="90", rate="2.20"))

    assert causes(variance, "A") == {"rate": "18.00", "hours": "24.00"}
    assert variance.why_not_within(Fraction(0)) == ()


def test_hours_without_a_rate_explain_hours_and_nothing_of_the_rate() -> None:
    variance = compared({"A": ours("240.00", "100")}, theirs("A", "198.00", hours="90"))

    assert causes(variance, "A") == {"hours": "24.00", "unexplained": "18.00"}


def test_hours_that_finance_has_on_another_cost_centre_are_ownership() -> None:
    mine = {"A": ours("240.00", "100"), "B": ours("120.00", "50"), "C": ours("24.00", "10")}

    variance = compared(
        mine, theirs("A", "192.00", hours="80"), theirs("B", "168.00", hours="70"), theirs("C", "12.00", hours="5")
    )

    assert variance.total("ownership") + variance.total("hours") == Decimal("12.00")
    assert causes(variance, "B") == {"ownership": "-48.00"}
    assert causes(variance, "A") == {"ownership": "38.40", "hours": "9.60"}
    assert causes(variance, "C") == {"ownership": "9.60", "hours": "2.40"}


def test_what_we_forgive_and_finance_does_not_is_credits_where_it_says_so() -> None:
    mine = {"A": ours("240.00", "100", "-12.00")}

    assert causes(compared(mine, theirs("A", "240.00", credit="0")), "A") == {"credits": "-12.00"}
    assert causes(compared(mine, theirs("A", "240.00")), "A") == {"unexplained": "-12.00"}


def test_what_one_side_does_not_have_is_a_missing_reference_or_unexplained() -> None:
    variance = compared({"A": ours("240.00", "100")}, theirs("B", "10.00"))

    assert causes(variance, "A") == {"missing reference": "240.00"}
    assert causes(variance, "B") == {"unexplained": "-10.00"}
    assert variance.residue == Decimal("250.00")


def test_one_total_of_the_pool_is_compared_as_one() -> None:
    mine = {"A": ours("240.00", "100"), SUSPENSE: ours("10.00", "5")}

    variance = compared(mine, theirs("", "249.00"))

    assert [row.cost_centre for row in variance.rows] == ["(pool)"]
    assert causes(variance, "(pool)") == {"unexplained": "1.00"}
    assert variance.why_not_within(ONE_PERCENT) == ()


def test_cost_centres_cannot_make_up_for_one_another() -> None:
    mine = {"A": ours("250.00", "100"), "B": ours("230.00", "100")}

    variance = compared(mine, theirs("A", "240.00"), theirs("B", "240.00"))

    assert (variance.total("unexplained"), variance.residue) == (0, Decimal("20.00"))
    (reason,) = variance.why_not_within(ONE_PERCENT)
    assert reason == "2026-10: 20.00 is unexplained, 4.17 % of what finance has (480.00); the limit is 1.00 %"
    assert variance.why_not_within(Fraction(5)) == ()


def test_a_month_without_any_reference_is_never_within() -> None:
    (reason,) = compared({"A": ours("1.00", "1")}).why_not_within(Fraction(100))

    assert reason == "2026-10: finance has landed no figures of its own: finance-reference/"


def test_the_limit_is_met_exactly_at_the_limit() -> None:
    variance = compared({"A": ours("101.00", "1")}, theirs("A", "100.00"))

    assert variance.why_not_within(ONE_PERCENT) == ()
    assert variance.why_not_within(Fraction(99, 100)) != ()


amounts = st.decimals(-1000, 1000, places=2).map(lambda value: value + 0)
hours_ = st.fractions(0, 500, max_denominator=7)


@given(
    st.dictionaries(st.sampled_from("ABCD"), st.tuples(amounts, hours_, amounts.map(lambda value: -abs(value)))),
    st.dictionaries(
        st.sampled_from("ABCDE"),
        st.tuples(amounts, st.none() | hours_, st.none() | hours_, st.none() | amounts.map(lambda value: -abs(value))),
    ),
)
def test_causes_add_up_to_the_difference_for_any_two_months(
    mine: dict[str, tuple[Decimal, Fraction, Decimal]],
    finance: dict[str, tuple[Decimal, Fraction | None, Fraction | None, Decimal | None]],
) -> None:
    held = {centre: Ours(gross, credit, hours, ()) for centre, (gross, hours, credit) in mine.items()}
    references = [Reference(MONTH, centre, *each[:1], "s", *each[1:]) for centre, each in finance.items()]

    variance = compared(held, *references)

    assert variance.ours == sum((each.amount for each in held.values()), Decimal(0))
    assert variance.ours - variance.theirs == sum((variance.total(cause) for cause in CAUSES), Decimal(0))


def test_our_side_is_the_statement_lines_by_cost_centre() -> None:
    found = ours_of(worked_lines())

    assert {centre: f"{each.amount:.2f}" for centre, each in found.items()}[SUSPENSE] == "2.20"
    assert sum((each.amount for each in found.values()), Decimal(0)) == sum(worked_lines()["amount"], Decimal(0))
    assert found["4711"].teams == ("Vision",)


def test_the_documents_of_a_month_say_the_same_figures() -> None:
    variance = compared(
        ours_of(lines_of(("A", "C1", "=1+1", "240.00"), ("B", "C1", "2", "1.00"))), theirs("=1+1", "198.00"),
        theirs("2", "1.00"),
    )  # fmt: skip
    report = parallel_report(
        variance, currency=EUR, limit_percent=ONE_PERCENT, sign_off=("nobody has signed",), certificate="c0ffee"
    )

    page, rows = render_parallel(report).decode(), render_parallel_csv(report).decode().splitlines()

    assert page == render_parallel(report).decode()
    assert "42.00 is unexplained" in page
    assert "NOT SIGNED OFF" in page
    assert "<svg" in page
    assert rows[1].startswith("2026-10,2,B,1.00,1.00,0.00")
    assert rows[2].startswith("2026-10,'=1+1,A,240.00,198.00,42.00,0.00,0.00,0.00,0.00,0.00,42.00,EUR,")


HEAD = "month,cost_centre,amount,currency,source,gpu_hours,rate,credits\n"


def test_finances_file_reads_as_it_is_written() -> None:
    read = read_finance_reference(
        (HEAD + "2026-10,A,10.50,EUR,report,5,2.10,-0.10\n2026-11,,7.00,EUR,pool,,,\n").encode(), object_key="f.csv"
    )

    assert read.faults == ()
    assert read.months == {"2026-10", "2026-11"}
    assert read.of_month("2026-10") == (
        Reference("2026-10", "A", Decimal("10.50"), "report", Fraction(5), Fraction("2.1"), Decimal("-0.10")),
    )


@pytest.mark.parametrize(
    ("rows", "fault"),
    [
        ("2026-13,A,1,EUR,r,,,\n", "f.csv line 2: month '2026-13' is no month: write 2026-10"),
        ("2026-10,A,1.001,EUR,r,,,\n", "amount 1.001 is finer than one minor unit of EUR"),
        ("2026-10,A,1e3,EUR,r,,,\n", "amount '1e3' is no number"),
        ("2026-10,A,1,USD,r,,,\n", "currency 'USD', the lake bills in EUR"),
        ("2026-10,A,1,EUR,,,,\n", "source is empty"),
        ("2026-10,A,1,EUR,r,-1,,\n", "gpu_hours -1 is negative"),
        ("2026-10,A,1,EUR,r,,,5\n", "credits 5 is positive"),
        ("2026-10,A,1,EUR,r,,,\n2026-10,A,2,EUR,r,,,\n", "A of 2026-10 stands twice"),
        ("2026-10,A,1,EUR,r,,,\n2026-10,,2,EUR,r,,,\n", "2026-10 has a total of the pool beside cost centres"),
        ("2026-10,A,1,EUR\n", "has 4 cells, the header 8"),
    ],
)
def test_a_row_that_cannot_be_used_is_told_with_its_place(rows: str, fault: str) -> None:
    read = read_finance_reference((HEAD + rows).encode(), object_key="f.csv", currency=EUR)

    assert any(fault in told for told in read.faults), read.faults


@pytest.mark.parametrize("header", ["month,cost_centre,amount,source", "month,cost_centre,amount,currency,source,team"])
def test_a_file_with_other_columns_is_told(header: str) -> None:
    (fault,) = read_finance_reference(f"{header}\n".encode(), object_key="f.csv").faults

    assert "the columns are month,cost_centre,amount,currency,source,gpu_hours,rate,credits" in fault
