"""What every check has in common: a store that fails while it reads proves nothing, and is named."""

from pathlib import Path

import polars as pl
import pytest

from chargeback.contracts.holds import HOLDS
from chargeback.contracts.partition import Partition
from checks.gate import Check, Outcome, Reading, evaluate
from resources.evidence import EvidenceStore
from resources.lake import Lake
from resources.landing import Landing
from resources.local_store import LocalStore
from resources.settings import demo_settings
from resources.store_failures import AccessRefused
from tests.resources.test_bucket import store_that_says
from tests.services.seaweedfs import S3Server, s3_server

__all__ = ["s3_server"]  # the fixture, for its credentials

MONDAY = Partition.of_day("slurm-a", "2026-10-05")


def rows_beyond_reach(reading: Reading) -> Outcome:
    """Findings that are collected from the store itself."""
    location = reading.lake.location
    return Outcome(pl.scan_parquet(location.child("rows.parquet"), storage_options=location.delta_options()).collect())


def test_a_store_that_refuses_a_check_is_named_in_none_of_its_words_and_leaves_no_evidence(
    tmp_path: Path, s3_server: S3Server
) -> None:
    kept = LocalStore(tmp_path)
    check = Check("rows_reach", HOLDS, "Rows are within reach.", rows_beyond_reach, stops="run")

    with store_that_says(403, "AccessDenied") as location:
        reading = Reading(Lake(location), Landing(kept), demo_settings(tmp_path), MONDAY)
        with pytest.raises(AccessRefused) as told:
            evaluate(check, reading, EvidenceStore(kept))

    assert f"s3://lake/x at {location.endpoint_url}: access is refused" in str(told.value)
    assert "canary" not in str(told.value)
    assert kept.list("") == []
