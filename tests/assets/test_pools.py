"""Each outside system has its pool, and an asset in it is what it was."""

from pathlib import Path

import dagster as dg
import pytest

from chargeback.contracts.registry import CONTRACTS
from orchestration.definitions import definitions_for
from tests.orchestration.ticks import estate_settings

RAW = {contract.table for contract in CONTRACTS if contract.stage == "raw"}


@pytest.fixture(scope="module")
def ops(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dg.OpDefinition]:
    """Table -> the op that makes it."""
    definitions = definitions_for(estate_settings(tmp_path_factory.mktemp("lake")))
    return {contract.table: definitions.resolve_assets_def(dg.AssetKey(contract.table)).op for contract in CONTRACTS}


def test_what_reads_landing_shares_a_pool_and_what_writes_out_has_its_own(
    ops: dict[str, dg.OpDefinition],
) -> None:
    pools = {table: op.pool for table, op in ops.items() if op.pool}

    assert {"landed_objects", "quarantine", "raw_sacct", "raw_pods"} <= RAW
    assert pools == {
        **dict.fromkeys(RAW, "landing"),
        "published": "published",
        "postings": "finance",
        "outbox": "finance",
    }


def test_dagster_itself_repeats_nothing(ops: dict[str, dg.OpDefinition]) -> None:
    assert [table for table, op in ops.items() if op.retry_policy] == []


def test_in_its_pool_an_asset_says_and_does_what_it_did(ops: dict[str, dg.OpDefinition], tmp_path: Path) -> None:
    description = (ops["raw_sacct"].description or "", ops["attribution"].description or "")

    assert description[0].startswith("One row per Slurm job run")
    assert description[1].startswith("One row per hold")
    assert ops["raw_sacct"].required_resource_keys == {"lake", "observations", "settings"}
