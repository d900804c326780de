"""Checks of corrections: each passes on what was billed, and fails on what it is there for."""

from dataclasses import replace
from decimal import Decimal

import polars as pl

from chargeback.billing_period import next_month
from chargeback.contracts.contract import Contract
from chargeback.contracts.corrections import CORRECTIONS
from chargeback.contracts.partition import Partition
from chargeback.contracts.team_charges import TEAM_CHARGES
from chargeback.ledger.correction_policy import under_policy
from chargeback.ledger.corrections import correction_lines
from resources.correction_settings import Corrections
from resources.settings import Settings
from tests.chargeback.ledger.correction_months import basis, line, lines
from tests.checks.judging import BAD_WRITER, judged, put
from tests.estates import MONTH, Estate

APRIL = Partition.of_month(next_month(MONTH))


class Practising(Estate):
    """An estate whose parallel months are corrected, for practice."""

    @property
    def settings(self) -> Settings:
        """Its settings."""
        return replace(super().settings, corrections=Corrections(parallel_months="corrected"))


def closed(estate: Estate, *, changed: bool) -> Estate:
    """The month is closed, after one of its lines was made a cent less than it should be, or not."""
    workspace = estate.workspace
    if changed:
        rows = workspace.lake.scan(TEAM_CHARGES, [Partition.of_month(MONTH)]).frame.collect().with_row_index("row")
        cent = pl.when(pl.col("row") == 0).then(pl.lit("0.01").cast(pl.Decimal(38, 4))).otherwise(0)
        put(
            estate,
            TEAM_CHARGES,
            rows.with_columns(amount=pl.col("amount") - cent).drop("row").cast(TEAM_CHARGES.schema),
        )
    workspace.lake.close_month(MONTH, by="a test", certificate_hash="c0ffee")
    write(estate, CORRECTIONS, CORRECTIONS.empty())
    return Practising(estate.folder)


def write(estate: Estate, contract: Contract, rows: pl.DataFrame) -> None:
    """Make these rows the next month's."""
    estate.workspace.lake.replace(contract, APRIL, rows, BAD_WRITER)


def test_corrections_complete_passes_where_no_month_is_closed(billed_estate: Estate) -> None:
    assert judged("corrections_complete", billed_estate).is_pass


def test_corrections_complete_passes_for_a_closed_month_that_nothing_changed(estate: Estate) -> None:
    assert judged("corrections_complete", closed(estate, changed=False), APRIL).is_pass


def test_corrections_complete_fails_for_a_cent_of_a_closed_line_that_no_correction_explains(estate: Estate) -> None:
    judgement = judged("corrections_complete", closed(estate, changed=True), APRIL)

    assert judgement.is_failure
    assert f"GPU-{MONTH}-" in judgement.told


def test_corrections_complete_fails_for_a_correction_of_a_month_that_is_open(estate: Estate) -> None:
    rows = correction_lines(
        lines(line("2026-02", "Vision", 3600)), CORRECTIONS.empty(), lines(), month=MONTH, stood=basis(), now=basis()
    )
    put(estate, CORRECTIONS, rows)

    assert "2026-02, which is not looked at" in judged("corrections_complete", estate).told


def test_corrections_approved_passes_where_nobody_has_to_sign(billed_estate: Estate) -> None:
    assert judged("corrections_approved", billed_estate).is_pass


def test_corrections_approved_fails_for_an_old_correction_that_no_controller_signed(estate: Estate) -> None:
    rows = correction_lines(
        lines(line("2025-11", "Vision", 3600)), CORRECTIONS.empty(), lines(), month=MONTH, stood=basis(), now=basis()
    )
    put(
        estate,
        CORRECTIONS,
        under_policy(rows, replace(Corrections().policy(fiscal_year_first_month=1), threshold=Decimal(0))),
    )

    judgement = judged("corrections_approved", estate)

    assert judgement.is_failure
    assert "a controller's record of kind correction for 2026-03" in judgement.told
