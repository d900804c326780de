"""`chargeback focus`: a certified month as a file in each version, and nothing without a certificate."""

from decimal import Decimal
from pathlib import Path

import polars as pl
import pytest
from typer.testing import CliRunner, Result

from chargeback.contracts.certificate import CERTIFICATE
from chargeback.contracts.statements import STATEMENTS
from orchestration.cli import app
from resources.setting_kinds import SettingsRefused
from tests.checks.judging import put, rows_of
from tests.estates import MONTH, Estate


def focus(estate: Estate, out: Path, **options: str) -> Result:
    """The command."""
    given = [part for name, value in options.items() for part in (f"--{name.replace('_', '-')}", value)]
    return CliRunner().invoke(app, ["focus", MONTH, "--out", str(out), "--config", str(estate.config), *given])


@pytest.mark.parametrize(
    ("version", "dropped"),
    [("1.2", {"ServiceProviderName", "HostProviderName"}), ("1.3", set()), ("1.4", {"ProviderName", "PublisherName"})],
)
def test_a_certified_month_is_written_in_the_columns_of_a_version_and_adds_up_to_its_statements(
    billed_estate: Estate, tmp_path: Path, version: str, dropped: set[str]
) -> None:
    said = focus(billed_estate, tmp_path / "month.parquet", focus_version=version)

    rows = pl.read_parquet(tmp_path / "month.parquet")
    stated = sum(rows_of(billed_estate, STATEMENTS)["total_amount"], Decimal(0))
    assert said.exit_code == 0, said.output
    assert f"FOCUS {version}, {MONTH}" in said.output
    assert dropped.isdisjoint(rows.columns)
    assert sum(rows["x_WouldBeBilledCost"], Decimal(0)) == stated > 0
    assert set(rows["BilledCost"]) == {Decimal(0)}  # a parallel month


def test_a_csv_is_to_the_byte_the_one_that_was_published(billed_estate: Estate, tmp_path: Path) -> None:
    (published,) = (billed_estate.folder / "lake" / "published").rglob(f"focus-1.3-cost-and-usage-{MONTH}.csv")

    assert focus(billed_estate, tmp_path / "month.csv").exit_code == 0

    assert (tmp_path / "month.csv").read_bytes() == published.read_bytes()
    assert [each.name for each in tmp_path.iterdir()] == ["month.csv"]


def test_a_month_without_a_certificate_is_not_written(estate: Estate, tmp_path: Path) -> None:
    put(estate, CERTIFICATE, rows_of(estate, CERTIFICATE).clear())

    said = focus(estate, tmp_path / "month.csv")

    assert said.exit_code == 1
    assert not (tmp_path / "month.csv").exists()


@pytest.mark.parametrize(
    ("name", "options", "why"),
    [
        ("month.xlsx", {}, "must end in .csv or .parquet"),
        ("month.csv", {"focus_version": "2.0"}, "must be one of 1.2, 1.3, 1.4"),
        ("nowhere/month.csv", {}, "make it first"),
    ],
)
def test_what_cannot_be_written_is_one_sentence(
    billed_estate: Estate, tmp_path: Path, name: str, options: dict[str, str], why: str
) -> None:
    refused = focus(billed_estate, tmp_path / name, **options).exception

    assert isinstance(refused, SettingsRefused)
    assert why in str(refused)


def test_the_billing_period_of_a_closed_month_says_so_and_its_invoices_are_issued(
    estate: Estate, tmp_path: Path
) -> None:
    def statuses() -> list[str]:
        said = []
        for dataset, column in (("billing-period", "BillingPeriodStatus"), ("invoice-detail", "InvoiceIssueStatus")):
            out = tmp_path / f"{dataset}.csv"
            assert focus(estate, out, focus_version="1.4", dataset=dataset).exit_code == 0
            said += pl.read_csv(out, infer_schema=False)[column].unique().to_list()
        return said

    open_month = statuses()
    estate.workspace.lake.close_month(MONTH, by="Bo Chen", certificate_hash="c0ffee")

    assert open_month == ["Open", "Provisional"]
    assert statuses() == ["Closed", "Issued"]


def test_a_dataset_that_a_version_does_not_have_is_one_sentence(billed_estate: Estate, tmp_path: Path) -> None:
    said = focus(billed_estate, tmp_path / "period.csv", dataset="billing-period")

    assert isinstance(said.exception, SettingsRefused)
    assert "is of FOCUS 1.4: add --focus-version 1.4" in str(said.exception)
