"""Lines under another card, from rated usage alone, are those that the card would have made from the start."""

from pathlib import Path

import polars as pl
import pytest

from benchmarks.rerating import months_written, rerated, scanned
from chargeback.ledger.charges import charge_lines
from chargeback.ledger.rerated_lines import rerate_lines
from chargeback.pricing.credits import CreditPolicies
from chargeback.pricing.prices_of_month import prices_of_month
from tests.chargeback.worked_month import CARD, EUR, MARCH, rated_usage, the_card

CREDITS = CreditPolicies(platform_fault_cap_hours=24, preempted_minutes=30, suspended=True)
SAME = ("line_id", "quantity", "price", "amount")

DEARER = CARD.replace(b"price: 2.385", b"price: 2.40")
WEIGHED = CARD.replace(
    b"3g.40gb:\n        standard: {price: 0.60, unit: slice-hour}", b"3g.40gb: {billing_weight: 4/8}"
)


@pytest.mark.parametrize(("old", "new"), [(CARD, DEARER), (CARD, WEIGHED), (WEIGHED, CARD), (DEARER, WEIGHED)])
def test_another_card_makes_of_rated_usage_what_it_would_have_made_from_the_start(old: bytes, new: bytes) -> None:
    assert len({CARD, DEARER, WEIGHED}) == 3
    prices, new_prices = (prices_of_month(the_card(card), period=MARCH) for card in (old, new))
    afresh = charge_lines(rated_usage(card=new, credit_policies=CREDITS), currency=EUR)

    lines = rerate_lines(rated_usage(card=old, credit_policies=CREDITS).lazy(), prices, new_prices, currency=EUR)

    assert lines.filter(pl.col("price").is_not_null()).select(SAME).equals(afresh.select(SAME))


def test_what_the_other_card_does_not_price_has_no_amount_and_is_not_left_out() -> None:
    prices = prices_of_month(the_card(), period=MARCH)
    rated = rated_usage()

    lines = rerate_lines(
        rated.lazy(), prices, prices.filter(pl.col("accelerator") != "a100-sxm4-80gb"), currency=EUR
    )  # fmt: skip

    assert len(lines) == len(charge_lines(rated, currency=EUR))
    assert set(lines.filter(pl.col("price").is_null())["accelerator"]) == {"a100-sxm4-80gb"}
    assert lines.filter(pl.col("amount").is_null())["accelerator"].unique().to_list() == ["a100-sxm4-80gb"]


def test_the_benchmark_rerates_and_scans_the_same_rows(tmp_path: Path) -> None:
    files = months_written(tmp_path, months=2, rows=5_000)

    lines, sums = rerated(files), scanned(files)

    assert [len(pl.read_parquet(file)) for file in files] == [5_000, 5_000]
    assert all(len(month) > 100 for month in lines)
    assert [month["quantity_numerator"].item() for month in sums] == [
        pl.read_parquet(file)["quantity_numerator"].sum() for file in files
    ]
