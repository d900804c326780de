"""FOCUS files: projections, bytes that repeat, cells that cannot run."""

import io

import polars as pl
import pytest

from chargeback.contracts.focus_cost_and_usage import FOCUS_COST_AND_USAGE
from chargeback.ledger.focus_files import parts_of, projected, render_focus
from tests.chargeback.ledger.focus_month import focus_month


def test_a_version_has_its_columns_and_every_row() -> None:
    named = {version: projected(focus_month().lazy(), version=version).collect() for version in ("1.2", "1.3", "1.4")}

    assert set(named["1.3"].columns) - set(named["1.4"].columns) == {"ProviderName", "PublisherName"}
    assert "ServiceProviderName" not in named["1.2"].columns
    assert {len(rows) for rows in named.values()} == {len(focus_month())}


def test_a_version_that_is_not_written_is_refused() -> None:
    with pytest.raises(ValueError, match=r"there are: 1\.2, 1\.3, 1\.4"):
        projected(focus_month().lazy(), version="2.0")


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_equal_rows_make_equal_bytes_in_whatever_order_the_table_has_them(kind: str) -> None:
    month = focus_month()
    shuffled = month.sample(fraction=1, shuffle=True, seed=1)

    (part,), (again,) = parts_of(month.lazy()), parts_of(shuffled.lazy())

    assert not shuffled.equals(month)
    assert render_focus(part, kind) == render_focus(again, kind)


def test_a_job_that_is_named_like_a_formula_cannot_run_and_numbers_stay_numbers() -> None:
    rows = focus_month().with_columns(ResourceName=pl.lit("＝1+1"))

    read = pl.read_csv(io.BytesIO(render_focus(rows.lazy(), "csv")), infer_schema=False)

    assert set(read["ResourceName"]) == {"'＝1+1"}
    assert read.filter(ChargeCategory="Adjustment")["BilledCost"][0] == "-0.004264999735"
    assert "2026-02-28T23:00:00Z" in set(read["BillingPeriodStart"])


def test_a_month_is_written_in_files_of_bounded_size() -> None:
    month = focus_month()
    parts = [part.collect() for part in parts_of(month.lazy(), rows_per_file=6)]

    assert pl.concat(parts).sort(FOCUS_COST_AND_USAGE.key).equals(month)
    days = [set(part["ChargePeriodStart"]) for part in parts]
    assert len(parts) > 2
    assert all(len(part) <= 6 or len(of_part) == 1 for part, of_part in zip(parts, days, strict=True))
    assert sum(len(of_part) for of_part in days) == month["ChargePeriodStart"].n_unique()
    assert [len(part.collect()) for part in parts_of(month.clear().lazy())] == [0]
