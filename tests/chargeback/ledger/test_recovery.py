"""The recovery ledger of a month: its identity to the cent, and what idle capacity is valued at."""

from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chargeback.contracts.recovery import RECOVERY
from chargeback.ledger.general_ledger import read_general_ledger
from chargeback.ledger.recovered import Recovered
from chargeback.ledger.recovery_identity import TERMS, Plan, exact_terms, identity_gap, rounded_terms
from chargeback.money import Currency
from tests.chargeback.ledger.recovery_month import EUR, GPU, PLANNED, amounts_of, lines_of, month_of_recovery

LEDGER = read_general_ledger(
    b"posting_month,gl_account,component,accelerator,amount,currency\n"
    b"2026-03,620100,staff,h100-sxm5-80gb,561.00,EUR\n"
    b"2026-03,630500,software,,500.50,EUR\n",
    object_key="finance-reference/gl.csv",
    currency=EUR,
)


def test_every_part_of_a_pool_is_where_a_pencil_puts_it() -> None:
    row = month_of_recovery().row(0, named=True)

    # 1,022 planned hours at 1.00; 800.005 charged, so 221.995 are unsold: 70 % of it the hours, 30 % planned idle.
    assert amounts_of(row) | {"unallocated_cost": None, "blocked_cost": None} == {
        "planned_pool": Decimal("1022.00"),
        "pool": Decimal("1022.00"),
        "recovered": Decimal("760.00"),
        "planned_idle": Decimal("66.60"),
        "volume_variance": Decimal("155.40"),
        "spending_variance": Decimal("0.00"),
        "discounts": Decimal("30.00"),
        "credits": Decimal("10.00"),
        "rounding": Decimal("0.00"),
        "suspense": Decimal("100.00"),
        "unallocated_cost": None,
        "blocked_cost": None,
    }
    assert Fraction(row["exact_rounding"]) == Fraction("0.0035")
    assert identity_gap(row) == 0


def test_what_was_spent_beyond_the_plan_is_a_spending_variance_and_nothing_else_moves() -> None:
    planned = month_of_recovery().row(0, named=True)

    spent = month_of_recovery(ledger=LEDGER.of_month("2026-03")).row(0, named=True)

    assert (spent["actual"], spent["pool"], spent["spending_variance"]) == (
        "general ledger", Decimal("1061.50"), Decimal("39.50")
    )  # fmt: skip
    moved = {"pool", "spending_variance", "unallocated_cost", "blocked_cost"}
    assert {name for name in amounts_of(spent) if spent[name] != planned[name]} == moved
    assert identity_gap(spent) == 0


def test_unallocated_capacity_is_valued_at_cost_and_never_at_the_card_rate() -> None:
    row = month_of_recovery().row(0, named=True)

    # 600 of 1,466 hours in service, of a pool of 1,022: at the card's 1.00 an hour it would be 600.00.
    assert row["unallocated_cost"] == Decimal("418.28")
    assert row["unallocated_cost"] < 600
    assert row["blocked_cost"] == Decimal("4.88")


def test_what_nobody_held_of_a_slice_is_its_gpus_and_no_row_of_its_own() -> None:
    of_slices = month_of_recovery(unallocated_of=f"{GPU}:3g.40gb")

    assert of_slices.equals(month_of_recovery())
    assert of_slices["accelerator"].to_list() == [GPU]


def test_an_accelerator_without_a_build_up_says_what_was_recovered_and_claims_no_cost() -> None:
    row = month_of_recovery(planned=PLANNED.clear()).row(0, named=True)

    assert (row["plan"], row["recovered"], row["credits"]) == ("none", Decimal("760.00"), Decimal("10.00"))
    assert [row[name] for name in ("pool", "volume_variance", "unallocated_cost", "rounding")] == [None] * 4
    with pytest.raises(TypeError, match="a row without a plan"):
        identity_gap(row)


def test_a_month_without_a_line_leaves_its_whole_pool_unsold() -> None:
    row = month_of_recovery(lines_of().clear()).row(0, named=True)

    assert (row["recovered"], row["planned_idle"], row["volume_variance"]) == (
        Decimal(0), Decimal("306.60"), Decimal("715.40")
    )  # fmt: skip
    assert RECOVERY.breaches(month_of_recovery(lines_of().clear())) == []


money = st.decimals(min_value=0, max_value=10**9, places=2)
part = st.fractions(min_value=Fraction(1, 100), max_value=1, max_denominator=100)
exact = st.fractions(min_value=0, max_value=10**9, max_denominator=10**6)


@settings(max_examples=200, deadline=None)
@given(money, money, exact, exact, exact, exact, part, st.sampled_from(["EUR", "JPY", "KWD"]), money)
def test_the_identity_holds_to_the_cent_whatever_was_charged_and_spent(
    charged: Decimal, given_back: Decimal, discounts: Fraction, rounding: Fraction, cost: Fraction, spent: Fraction,
    share: Fraction, code: str, price: Decimal,
) -> None:  # fmt: skip
    currency = Currency(code)
    charged, given_back = (currency.round(Fraction(amount)) for amount in (charged, given_back))
    at_standard = Fraction(charged) + discounts + rounding
    plan = Plan({"staff": cost, "carry-forward": -cost / 7}, 730 * share, share)
    sums = Recovered(charged, given_back, Decimal(0), at_standard, discounts, rounding, Fraction(7), price or None)

    terms = exact_terms(plan, spent, sums)
    cents = rounded_terms(terms, currency)

    assert sum(terms.values()) == spent + plan.carry_forward
    assert set(cents) == {*TERMS, "pool"}
    assert identity_gap(cents) == 0
    assert abs(Fraction(cents["rounding"]) - terms["rounding"]) <= 3 * Fraction(currency.smallest_amount)
