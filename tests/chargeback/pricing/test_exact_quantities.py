"""Fractions in columns: multiplied and reduced exactly, and never silently wrapped."""

from fractions import Fraction

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chargeback.pricing.exact_quantities import reduced, times


@given(
    st.lists(st.tuples(st.integers(0, 2**40), st.integers(1, 10**6)), min_size=1, max_size=20),
    st.integers(0, 10**5),
    st.integers(1, 10**5),
)
@settings(max_examples=60, deadline=None)
def test_a_product_of_fractions_is_exact_and_reduced(pairs: list[tuple[int, int]], top: int, bottom: int) -> None:
    frame = pl.DataFrame(pairs, schema={"q_numerator": pl.Int64, "q_denominator": pl.Int64}, orient="row")

    product = times(frame, "q", numerator=pl.lit(top), denominator=pl.lit(bottom))

    expected = [Fraction(a, b) * Fraction(top, bottom) for a, b in pairs]
    assert product.rows() == [(fraction.numerator, fraction.denominator) for fraction in expected]
    assert product.schema == frame.schema


def test_a_quantity_beyond_sixty_four_bits_raises_and_is_never_wrapped() -> None:
    frame = pl.DataFrame({"q_numerator": [2**62], "q_denominator": [1]})

    with pytest.raises(pl.exceptions.InvalidOperationError):
        times(frame, "q", numerator=pl.lit(2), denominator=pl.lit(1))


def test_nothing_at_all_is_reduced_too() -> None:
    empty = pl.DataFrame(schema={"q_numerator": pl.Int64, "q_denominator": pl.Int64})

    assert reduced(empty, "q").equals(empty)
