"""A closing that was cut short, after whichever table, gets back to what was approved, or says what differs."""

from pathlib import Path

import polars as pl
import pytest

from chargeback.contracts.certificate import CERTIFICATE
from chargeback.contracts.contract import Contract
from chargeback.contracts.ownership import OWNERSHIP
from chargeback.contracts.partition import Partition
from chargeback.contracts.published import PUBLISHED
from chargeback.contracts.rate_card import RATE_CARD
from chargeback.contracts.registry import MONTHLY
from orchestration.close_contents import (
    CLOSING_ORDER,
    certified_contents,
    contents_by_partition,
    differing,
    put_back,
)
from orchestration.workspace import Workspace, open_workspace
from resources.lake_records import LakeRefusal, MonthClosed, Provenance
from tests.orchestration.ticks import estate_settings

NAMED = (OWNERSHIP, RATE_CARD)


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    """An empty lake."""
    return open_workspace(estate_settings(tmp_path))


def certificate_rows(month: str, contents: dict[str, str], *, evidence: str = "of the gate") -> pl.DataFrame:
    """A certificate that names some tables."""
    rows = [(month, table, month, "", content, evidence, "passed", "") for table, content in contents.items()]
    return pl.DataFrame(rows, schema=CERTIFICATE.schema, orient="row").sort(CERTIFICATE.key)


def published_rows(month: str, name: str) -> pl.DataFrame:
    """One document that was let out."""
    row = (month, name, "journal", "", "ab" * 32, 1, "c" * 64)
    return pl.DataFrame([row], schema=PUBLISHED.schema, orient="row")


def stands(workspace: Workspace, contract: Contract, month: str, rows: pl.DataFrame, *, by: str = "bill") -> str:
    """Rows stand in a month of a table; their content."""
    return workspace.lake.replace(
        contract, Partition.of_month(month), rows, Provenance(by, "1", {"a": by})
    ).content_hash


def certified(workspace: Workspace, month: str) -> str:
    """A month of which one document and two empty tables are certified; the certificate's content."""
    contents = {each.table: stands(workspace, each, month, each.empty()) for each in NAMED}
    contents[PUBLISHED.table] = stands(workspace, PUBLISHED, month, published_rows(month, "as certified"))
    return stands(workspace, CERTIFICATE, month, certificate_rows(month, contents))


def rewritten(workspace: Workspace, month: str) -> list[str]:
    """A run makes other contents of whatever is still open; the tables that it could not change."""
    refused = []
    for contract, rows in (
        (CERTIFICATE, certificate_rows(month, {"ownership": "0" * 64})),
        (PUBLISHED, published_rows(month, "by a run")),
    ):
        try:
            stands(workspace, contract, month, rows, by="a run")
        except MonthClosed:
            refused.append(contract.table)
    return refused


def closes(workspace: Workspace, month: str, content: str, *, tables: int) -> None:
    """A closing gets so many tables far."""
    contents = contents_by_partition(month, certified_contents(month, content, workspace))
    workspace.lake.close_month(
        month, by="Bo Chen", certificate_hash=content, contracts=CLOSING_ORDER[:tables], contents=contents
    )


def test_every_month_table_is_closed_and_the_certificate_first() -> None:
    assert CLOSING_ORDER[0] is CERTIFICATE
    assert sorted(each.table for each in CLOSING_ORDER) == sorted(each.table for each in MONTHLY)


def test_after_whichever_table_it_is_cut_and_a_run_rewrites_the_rest_it_is_finished_as_approved(
    workspace: Workspace,
) -> None:
    for cut_after in range(1, len(CLOSING_ORDER)):
        month = f"{2026 + cut_after // 12}-{cut_after % 12 + 1:02d}"
        content = certified(workspace, month)
        closes(workspace, month, content, tables=cut_after)
        assert CERTIFICATE.table in rewritten(workspace, month)

        contents = certified_contents(month, content, workspace)
        told = put_back(month, differing(month, contents, workspace), workspace)
        closes(workspace, month, content, tables=len(CLOSING_ORDER))

        assert len(told) == (PUBLISHED not in CLOSING_ORDER[:cut_after]), cut_after
        assert differing(month, contents, workspace) == []
        assert all(month in workspace.lake.closed_months(each) for each in MONTHLY)


def test_cut_after_it_put_back_and_before_it_closed_it_puts_nothing_back_again(workspace: Workspace) -> None:
    content = certified(workspace, "2026-10")
    closes(workspace, "2026-10", content, tables=1)
    rewritten(workspace, "2026-10")
    contents = certified_contents("2026-10", content, workspace)

    (told,) = put_back("2026-10", differing("2026-10", contents, workspace), workspace)

    assert told.startswith(f"published 2026-10: content {contents['published'][:12]} is certified, ")
    assert told.endswith("stands there: version 1 was put back")
    assert put_back("2026-10", differing("2026-10", contents, workspace), workspace) == ()


def test_a_certificate_that_a_run_replaced_is_read_from_the_version_that_had_it(workspace: Workspace) -> None:
    content = certified(workspace, "2026-10")
    named = certified_contents("2026-10", content, workspace)
    rewritten(workspace, "2026-10")

    assert certified_contents("2026-10", content, workspace) == named
    assert [each.contract for each in differing("2026-10", named, workspace)] == [CERTIFICATE, PUBLISHED]


def test_what_is_not_kept_any_more_is_named_with_what_to_do_and_nothing_is_written(workspace: Workspace) -> None:
    content = certified(workspace, "2026-10")
    rewritten(workspace, "2026-10")
    contents = certified_contents("2026-10", content, workspace) | {"ownership": "e" * 64}
    differs = differing("2026-10", contents, workspace)

    with pytest.raises(LakeRefusal, match="ownership 2026-10: the closing began with content eeeeeeeeeeee") as refused:
        put_back("2026-10", differs, workspace)

    assert "put tables/ownership back from a backup that does, then close again" in str(refused.value)
    assert differing("2026-10", contents, workspace) == differs
