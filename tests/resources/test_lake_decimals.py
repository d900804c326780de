"""Amounts and prices come out of the lake as exactly as they went in, and sum exactly afterwards."""

from decimal import Decimal
from pathlib import Path

import polars as pl
import pytest

from chargeback.contracts.contract import MONEY
from chargeback.contracts.partition import Partition
from resources.lake import Lake
from resources.storage_location import StorageLocation
from tests.resources.lakes import AMOUNTS, made_from

OCTOBER = Partition.of_month("2026-10")


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    return Lake(StorageLocation(str(tmp_path)))


def through(lake: Lake, amounts: list[str | None], prices: list[str | None] | None = None) -> pl.DataFrame:
    """Amounts as they come back from the lake, in order."""
    cells = [None if each is None else Decimal(each) for each in amounts]
    rates = cells if prices is None else [None if each is None else Decimal(each) for each in prices]
    frame = pl.DataFrame(
        {"month": ["2026-10"] * len(cells), "line": [f"{n:06}" for n in range(len(cells))],
         "amount": pl.Series(cells, dtype=MONEY), "price": pl.Series(rates, dtype=AMOUNTS.schema["price"])},
        schema=AMOUNTS.schema,
    )  # fmt: skip
    lake.replace(AMOUNTS, OCTOBER, frame, made_from("a"))
    return lake.scan(AMOUNTS, [OCTOBER]).frame.sort("line").collect()


def test_the_largest_smallest_and_missing_amounts_and_prices_keep_every_digit(lake: Lake) -> None:
    amounts = [
        "9999999999999999999999999999999999.9999",
        "-9999999999999999999999999999999999.9999",
        "0.0001",
        "0",
        None,
    ]
    prices = ["99999999999999999999999999.999999999999", "-0.000000000001", "2.950000000000", "0", None]

    rows = through(lake, amounts, prices)

    assert rows["amount"].to_list() == [None if each is None else Decimal(each) for each in amounts]
    assert rows["price"].to_list() == [None if each is None else Decimal(each) for each in prices]
    assert rows.schema == AMOUNTS.schema


# Case P06 (polars#15499): grouped decimal sums became null from 1,000 rows on.
@pytest.mark.parametrize("rows", [999, 1_000, 2_000, 100_000])
def test_grouped_sums_of_cents_are_exact_at_any_number_of_rows(lake: Lake, rows: int) -> None:
    stored = through(lake, ["0.01"] * rows)

    sums = stored.group_by(pl.col("line").cast(pl.Int64) % 3).agg(pl.col("amount").sum())["amount"]

    assert sums.null_count() == 0
    assert sum(sums.to_list()) == Decimal(rows) / 100


# Case P07 (polars#27576, #28585, #27269): the sum kept the input's precision.
def test_a_sum_that_needs_more_digits_than_its_terms_is_exact(lake: Lake) -> None:
    stored = through(lake, ["99999.99", "99999.99", "1.00"])

    assert stored["amount"].sum() == Decimal("200000.98")
    assert stored.group_by("month").agg(pl.col("amount").sum())["amount"].to_list() == [Decimal("200000.98")]
    assert stored.lazy().select(pl.col("amount").sum()).collect(engine="streaming").item() == Decimal("200000.98")


# Case P08 (polars#25337): float grouping gave 1.2000000000000002.
def test_twelve_times_a_tenth_is_one_and_two_tenths(lake: Lake) -> None:
    stored = through(lake, ["0.1"] * 12)

    assert stored["amount"].sum() == Decimal("1.2")
    assert stored.group_by("month").agg(pl.col("price").sum())["price"].to_list() == [Decimal("1.2")]
