"""Lines at another card from summed usage are those that the card would have made of every row, whatever it changes."""

from pathlib import Path

import polars as pl
import pytest

from benchmarks.rerating import months_written, rerated, scanned
from chargeback.ledger.charges import charge_lines
from chargeback.ledger.usage_of_lines import COLUMNS, usage_of_lines
from chargeback.pricing.credits import CreditPolicies
from chargeback.pricing.prices_of_month import prices_of_month
from chargeback.pricing.repricing import reprice
from tests.chargeback.worked_month import CARD, EUR, MARCH, rated_usage, the_card

CREDITS = CreditPolicies(platform_fault_cap_hours=24, preempted_minutes=30, suspended=True)
COUNTS = ("run_count", "running_count")
DEARER = CARD.replace(b"price: 2.385", b"price: 2.40")
WEIGHED = CARD.replace(
    b"3g.40gb:\n        standard: {price: 0.60, unit: slice-hour}", b"3g.40gb: {billing_weight: 4/8}"
)
CLASSES = b"customer_classes:\n  internal: {kind: internal}\n  partners: {kind: external, mark_up: 25 %}\n"


def of_class(rated: pl.DataFrame) -> pl.DataFrame:
    """One team's usage as that of a class of its own."""
    is_partner = pl.col("team") == "NLP"
    return rated.with_columns(customer_class=pl.when(is_partner).then(pl.lit("partners")).otherwise("customer_class"))


@pytest.mark.parametrize("new", [CARD, DEARER, WEIGHED, DEARER + CLASSES])
@pytest.mark.parametrize("old", [CARD, WEIGHED])
def test_a_card_makes_of_sums_the_lines_that_it_makes_of_rows(old: bytes, new: bytes) -> None:
    prices, new_prices = (prices_of_month(the_card(card), period=MARCH) for card in (old, new))
    rated = of_class(rated_usage(card=old, credit_policies=CREDITS))

    sums = usage_of_lines(rated.lazy(), month="2026-03")
    lines = charge_lines(reprice(sums, prices, new_prices), currency=EUR)

    of_rows = charge_lines(reprice(rated, prices, new_prices), currency=EUR)
    assert lines.drop(COUNTS).equals(of_rows.drop(COUNTS))
    assert len(sums) < len(rated)
    assert tuple(sums.columns) == COLUMNS


def test_the_order_of_the_rows_changes_nothing() -> None:
    rated = rated_usage(credit_policies=CREDITS)
    shuffled = rated.sample(fraction=1, shuffle=True, seed=2)

    one, other = (usage_of_lines(each.lazy(), month="2026-03").drop("run") for each in (rated, shuffled))

    assert one.equals(other)


def test_a_sum_beyond_64_bits_is_refused_and_never_wraps() -> None:
    huge = rated_usage().with_columns(quantity_numerator=pl.lit(2**62, pl.Int64))

    with pytest.raises(pl.exceptions.InvalidOperationError):
        usage_of_lines(pl.concat([huge, huge]).lazy(), month="2026-03")


def test_the_benchmark_rerates_and_scans_the_same_rows(tmp_path: Path) -> None:
    files = months_written(tmp_path, months=2, rows=5_000)

    lines, sums = rerated(files), scanned(files)

    assert [len(pl.read_parquet(file)) for file in files] == [5_000, 5_000]
    assert all(len(month) > 100 and not month["price"].null_count() for month in lines)
    assert [month["quantity_numerator"].item() for month in sums] == [
        pl.read_parquet(file)["quantity_numerator"].sum() for file in files
    ]
