"""Clearing an owner: the suspense moves to its team, nobody else's line moves, and no telemetry or record is read."""

import shutil
from decimal import Decimal
from pathlib import Path

import dagster as dg
import polars as pl

from chargeback.contracts.partition import Partition
from chargeback.contracts.team_charges import TEAM_CHARGES
from orchestration.definitions import definitions_for
from orchestration.jobs import MONTH_JOB
from tests.estates import BUSY, INPUTS, LATER, MONTH, Estate, job, sacct

NOBODYS = job(9, "2026-03-30T08:00:00", "2026-03-30T10:00:00", account="misc")
MISC_IS_VISIONS = b"slurm-a,account,misc,vis-09,Vision,4711,C1,100,2026-03-01,\n"
MONTH_TABLES = ("ownership", "rated_usage", "team_charges")


def lines_of(estate: Estate) -> pl.DataFrame:
    """The month's lines, by id."""
    return estate.workspace.lake.scan(TEAM_CHARGES, [Partition.of_month(MONTH)]).frame.collect()


def test_clearing_an_owner_moves_only_the_suspense_and_reads_neither_telemetry_nor_records(tmp_path: Path) -> None:
    billed = Estate.begun_in(tmp_path / "billed")
    billed.land("slurm/sacct", sacct(BUSY, NOBODYS))
    assert billed.bill().refused == ()
    before = lines_of(billed)
    estate = billed.copied_to(tmp_path / "bereft")
    bereft = [*(estate.folder / "lake").rglob("raw_*"), estate.folder / "lake" / "landing" / "slurm"]
    for folder in filter(Path.is_dir, bereft):
        shutil.rmtree(folder)
    owners = (INPUTS / "ownership.csv").read_bytes().rstrip(b"\n") + b"\n" + MISC_IS_VISIONS
    estate.land("ownership", owners, at=LATER, extension="csv")

    result = (
        definitions_for(estate.settings)
        .resolve_job_def(MONTH_JOB)
        .execute_in_process(
            asset_selection=[dg.AssetKey(name) for name in MONTH_TABLES], partition_key=MONTH,
            instance=dg.DagsterInstance.ephemeral(), raise_on_error=False,
        )
    )  # fmt: skip

    after = lines_of(estate)
    assert {event.asset_key.to_user_string() for event in result.get_asset_materialization_events()
            if event.asset_key} >= set(MONTH_TABLES)  # fmt: skip
    assert before.filter(pl.col("team") == "unattributed")["amount"].to_list() == [Decimal("4.77")]
    assert "unattributed" not in after["team"].to_list()
    assert after.filter(pl.col("project") == "vis-09").select("team", "amount").rows() == [("Vision", Decimal("4.77"))]
    others = pl.col("line_id").is_in(before.filter(pl.col("team") != "unattributed")["line_id"].to_list())
    assert after.filter(others).equals(before.filter(others))
