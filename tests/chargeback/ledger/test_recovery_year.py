"""What is carried forward from a fiscal year into the next card, and what stays with the platform."""

from decimal import Decimal
from fractions import Fraction

import polars as pl
import pytest

from chargeback.ledger.fiscal_year import fiscal_year_of, months_of_fiscal_year
from chargeback.ledger.general_ledger import read_general_ledger
from chargeback.ledger.recovery_year import by_accelerator, carry_forward, sums_of
from tests.chargeback.ledger.recovery_month import EUR, GPU, lines_of, month_of_recovery

HEADER = "posting_month,gl_account,component,accelerator,amount,currency\n"


def month_that_sold(hours: int, *, spent: str = "", month: str = "2026-03") -> pl.DataFrame:
    """A month of 1,022 planned hours at 1.00 in which so many hours were charged."""
    lines = lines_of(f"""
        line_id  team    tier      kind        quantity      price  amount     exact_amount  gpu_seconds
        L1       vision  standard  allocation  {hours * 3600}  1.00   {hours}.00  {hours}       {hours * 3600}
    """)
    ledger = read_general_ledger(
        f"{HEADER}2026-03,620100,staff,{GPU},{spent},EUR\n".encode(), object_key="gl.csv", currency=EUR
    )
    rows = month_of_recovery(lines, ledger=ledger.of_month("2026-03") if spent else None)
    return rows.with_columns(month=pl.lit(month))


@pytest.mark.parametrize(
    ("sold", "spent", "carried"),
    [
        ((800, 900), "", "0.00"),  # a shortfall stays with the platform
        ((1100, 1022), "", "-78.00"),  # over-recovery is given back
        ((1100, 900), "", "0.00"),  # one month makes up for another
        ((1022, 1022), "1100.00", "156.00"),  # spent 78 a month above plan
        ((1100, 1100), "1000.00", "-200.00"),  # 44 less spent, 156 too much recovered
    ],
)
def test_over_recovery_and_spending_are_carried_forward_and_a_shortfall_of_volume_is_not(
    sold: tuple[int, int], spent: str, carried: str
) -> None:
    year = pl.concat(
        [month_that_sold(hours, spent=spent, month=f"2026-0{at}") for at, hours in enumerate(sold, start=3)]
    )

    assert carry_forward(by_accelerator(year)[GPU]) == Decimal(carried)


def test_a_shortfall_that_was_carried_forward_would_make_the_price_spiral() -> None:
    """Teams have 900 to spend in a month. 1,022 planned hours at 1.00, so 122 hours are not sold in the first."""
    budget, pool, hours = 900, Decimal(1022), Decimal(1022)
    first = sums_of(month_that_sold(budget))
    shortfall = (first.amounts["volume_variance"] or 0) + (first.amounts["planned_idle"] or 0)

    ours = (pool + (carry_forward(first) or 0)) / hours
    spiralling = (pool + shortfall) / hours
    sold_next = budget / spiralling
    after = (pool + shortfall + (pool + shortfall - budget)) / hours

    assert shortfall == Decimal("122.00")
    assert ours == 1  # the second month costs what the first did, and sells as many hours
    assert round(spiralling, 4) == Decimal("1.1194")
    assert sold_next < 805  # dearer, so less is used ...
    assert round(after, 4) == Decimal("1.3581")  # ... so dearer still, though nothing costs more


def test_months_of_a_year_add_up_to_its_identity() -> None:
    year = sums_of(pl.concat([month_that_sold(1100), month_that_sold(900, spent="1050.25", month="2026-04")]))

    terms = ("planned_idle", "volume_variance", "spending_variance", "discounts", "credits", "rounding")
    assert year.amounts["pool"] == Decimal("2072.25")
    assert year.amounts["recovered"] == Decimal("2000.00")
    assert sum((year.amounts[name] or Decimal(0) for name in terms), Decimal(0)) == Decimal("72.25")
    assert year.cost_per_available_hour == Fraction("2072.25") / 2932


@pytest.mark.parametrize(
    ("month", "first", "year", "begins", "ends"),
    [
        ("2026-03", 1, "FY2026", "2026-01", "2026-12"),
        ("2025-10", 10, "FY2026", "2025-10", "2026-09"),
        ("2026-09", 10, "FY2026", "2025-10", "2026-09"),
        ("2026-04", 4, "FY2027", "2026-04", "2027-03"),
    ],
)
def test_a_fiscal_year_is_called_after_the_year_in_which_it_ends(
    month: str, first: int, year: str, begins: str, ends: str
) -> None:
    months = months_of_fiscal_year(year, first_month=first)

    assert fiscal_year_of(month, first_month=first) == year
    assert (months[0], months[-1], len(months)) == (begins, ends, 12)
    assert {fiscal_year_of(each, first_month=first) for each in months} == {year}


def test_a_name_that_is_no_fiscal_year_is_refused() -> None:
    with pytest.raises(ValueError, match="write FY2026"):
        months_of_fiscal_year("2026", first_month=1)
