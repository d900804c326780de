"""Money: one rounding, splits that add up, decimals that stay decimals."""

from decimal import Decimal
from fractions import Fraction

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chargeback.contracts.contract import MONEY
from chargeback.money import Currency, amount_of, fraction_of, split_amount

EUR = Currency("EUR")


def test_a_hundred_shared_by_seven_teams_adds_up_to_a_hundred_in_a_fixed_order() -> None:  # case F02
    parts = split_amount(Decimal("100.00"), weights={team: Fraction(1) for team in "gfedcba"}, currency=EUR)

    assert sum(parts.values()) == Decimal("100.00")
    assert {team for team, part in parts.items() if part == Decimal("14.29")} == set("abcd")
    assert {team for team, part in parts.items() if part == Decimal("14.28")} == set("efg")


@pytest.mark.parametrize(
    ("code", "exact", "rounded"),
    [
        ("EUR", "2.385", "2.38"), ("EUR", "2.395", "2.40"), ("EUR", "2.3850000000001", "2.39"),
        ("JPY", "0.5", "0"), ("JPY", "1.5", "2"), ("KWD", "1.0005", "1.000"), ("KWD", "1.0015", "1.002"),
    ],
)  # fmt: skip
def test_ties_go_to_the_even_minor_unit_of_the_currency(code: str, exact: str, rounded: str) -> None:
    assert Currency(code).round(Fraction(exact)) == Decimal(rounded)


def test_a_hold_is_divided_and_rounded_once() -> None:
    assert amount_of(Fraction(7202, 5), price_per_gpu_hour=Decimal("2.385"), currency=EUR) == Decimal("0.95")


@given(st.fractions(min_value=0, max_value=10**15), st.sampled_from(["JPY", "EUR", "KWD", "CLF"]))
def test_rounding_is_off_by_at_most_half_a_minor_unit_and_idempotent(exact: Fraction, code: str) -> None:
    currency = Currency(code)

    rounded = currency.round(exact)

    assert abs(Fraction(rounded) - exact) <= Fraction(currency.smallest_amount) / 2
    assert currency.round(Fraction(rounded)) == rounded


@given(
    st.integers(0, 10**12),
    st.dictionaries(st.text(max_size=4), st.fractions(min_value=0, max_value=10**6), min_size=1, max_size=9),
    st.sampled_from(["JPY", "EUR", "KWD"]),
)
def test_the_parts_of_a_split_add_up_and_none_is_a_minor_unit_off(
    units: int, weights: dict[str, Fraction], code: str
) -> None:
    currency = Currency(code)
    if not sum(weights.values()):
        weights = {**weights, "one more": Fraction(1)}
    amount = units * currency.smallest_amount

    parts = split_amount(amount, weights=weights, currency=currency)
    backwards = split_amount(amount, weights=dict(reversed(weights.items())), currency=currency)

    assert sum(parts.values()) == amount
    assert parts == backwards
    for key, part in parts.items():
        exact = Fraction(amount) * weights[key] / sum(weights.values())
        assert abs(Fraction(part) - exact) < Fraction(currency.smallest_amount)


@pytest.mark.parametrize(
    ("amount", "weights"),
    [("1.001", {"a": Fraction(1)}), ("1", {"a": Fraction(0)}), ("1", {"a": Fraction(2), "b": Fraction(-1)})],
)
def test_what_cannot_be_split_raises(amount: str, weights: dict[str, Fraction]) -> None:
    with pytest.raises(ValueError):
        split_amount(Decimal(amount), weights=weights, currency=EUR)


def test_money_never_was_a_float_and_never_is_negative() -> None:
    with pytest.raises(TypeError, match="money is Decimal"):
        fraction_of(0.1)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="negative"):
        amount_of(Fraction(-1), price_per_gpu_hour=Decimal(1), currency=EUR)
    with pytest.raises(ValueError, match="not an ISO 4217 code"):
        Currency("EURO")


@pytest.mark.parametrize("rows", [999, 1_000, 2_000, 100_000])
def test_grouped_sums_of_money_are_never_null(rows: int) -> None:  # case P06
    frame = pl.DataFrame(
        {"team": [n % 3 for n in range(rows)], "amount": [Decimal("0.01")] * rows}, schema_overrides={"amount": MONEY}
    )

    sums = frame.group_by("team").agg(pl.col("amount").sum())

    assert sums["amount"].null_count() == 0
    assert sum(sums["amount"], Decimal(0)) == Decimal(rows) / 100


def test_a_sum_of_money_keeps_every_digit() -> None:  # case P07
    frame = pl.DataFrame(
        {"amount": [Decimal("99999.99"), Decimal("99999.99"), Decimal("1.00")]}, schema={"amount": MONEY}
    )

    assert frame["amount"].sum() == Decimal("200000.98")
    assert frame.select(pl.col("amount").sum()).schema == {"amount": MONEY}


def test_a_dime_twelve_times_is_one_twenty() -> None:  # case P08
    frame = pl.DataFrame({"k": ["a"] * 12, "amount": [Decimal("0.1")] * 12}, schema_overrides={"amount": MONEY})

    (total,) = frame.group_by("k").agg(pl.col("amount").sum())["amount"]

    assert str(total.normalize()) == "1.2"
