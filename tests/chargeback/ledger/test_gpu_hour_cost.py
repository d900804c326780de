"""What a million GPU-hours of work cost, and what a point of utilisation is worth."""

from fractions import Fraction

import pytest

from chargeback.ledger.gpu_hour_cost import Use, cost_per_million, work_cost

SEED = {"allocation": Fraction("0.92"), "active": Fraction("0.61")}


def test_the_figures_of_the_seed_make_four_million_six_hundred_and_forty_thousand_with_the_tax() -> None:
    with_tax = cost_per_million(Fraction("2.50"), **SEED, tax=Fraction("0.04"))
    without = cost_per_million(Fraction("2.50"), **SEED)

    assert round(with_tax) == 4_640_354
    assert round(without) == 4_454_740  # what the seed document prints, roughly, as if there were no tax


@pytest.mark.parametrize(
    ("allocation", "active", "tax", "said"),
    [
        ("0", "1", "0", "allocation is 0"), ("1.01", "1", "0", "allocation"), ("1", "0", "0", "active is 0"),
        ("1", "1.2", "0", "active"), ("1", "1", "1", "tax is 1"), ("1", "1", "-0.1", "tax"),
    ],
)  # fmt: skip
def test_a_share_that_cannot_be_is_refused(allocation: str, active: str, tax: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        cost_per_million(Fraction(1), allocation=Fraction(allocation), active=Fraction(active), tax=Fraction(tax))


def test_a_point_of_active_costs_more_than_one_of_allocation_where_less_is_active_than_held() -> None:
    use = Use(*(Fraction(hours) for hours in (10_000, 9_200, 1_000, 610, 9_200)))

    cost = work_cost(Fraction("2.50"), use, tax=Fraction("0.04"))

    assert round(cost.per_million or 0) == 4_640_354
    assert round(cost.allocation_point or 0) == 50_993  # 4,691,347 at 91 %
    assert round(cost.active_point or 0) == 77_339  # 4,717,694 at 60 %
    assert use.coverage == Fraction(1000, 9200)


@pytest.mark.parametrize(
    "use",
    [
        Use(),
        Use(available=Fraction(10)),
        Use(available=Fraction(10), held=Fraction(5), rated=Fraction(5)),
        Use(available=Fraction(10), held=Fraction(5), rated=Fraction(5), observed=Fraction(5)),
    ],
)
def test_what_nobody_measured_or_held_makes_no_cost_per_million_instead_of_a_wrong_one(use: Use) -> None:
    assert work_cost(Fraction(2), use, tax=Fraction(0)).per_million is None


def test_a_pool_that_is_not_known_makes_none_either() -> None:
    use = Use(*(Fraction(hours) for hours in (10, 5, 5, 5, 5)))

    assert work_cost(None, use, tax=Fraction(0)).per_million is None
