"""A store is shown to keep what it confirms before money is kept on it; one that does not is found out and refused."""

import json
import re
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from orchestration.preflight import Probed, probe_storage
from orchestration.workspace import open_workspace
from resources.open_store import store_at
from resources.settings import load_settings
from resources.storage_location import StorageLocation
from resources.storage_proof import require_proof
from resources.store_probe import UnsafeStore
from tests.services.lying_proxy import Lie, lying_proxy
from tests.services.seaweedfs import FEWEST_COMMITS, SECRET_KEY, S3Server, s3_server
from tests.small_lake import CHARGEBACK, SmallLake, small_lake

__all__ = ["s3_server"]  # the fixture

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)


def probed(location: StorageLocation) -> Probed:
    return probe_storage(location, writers=2, commits=FEWEST_COMMITS, now=NOW)


def preflight(lake: SmallLake) -> CompletedProcess[str]:
    return lake.run("preflight", "--storage", "--commits", str(FEWEST_COMMITS))


def test_a_store_that_keeps_every_commit_passes_and_then_a_month_may_be_billed_there(
    s3_server: S3Server, tmp_path: Path
) -> None:
    location = s3_server.fresh_location()
    lake = small_lake(tmp_path, location)
    before = lake.run("bill", "2026-03")

    done = preflight(lake)

    assert before.returncode == 2
    assert before.stderr == (
        f"chargeback: {location.root} at {location.endpoint_url}: this store was not shown to keep what it confirms: "
        "nothing was written; run: chargeback preflight --storage\n"
    )
    assert (done.returncode, done.stderr) == (0, "")
    shown = {line[:14].strip(): line[15:] for line in done.stdout.splitlines()}
    assert shown["commits"] == "20 of 20 by 2 processes at once"
    assert (shown["lost"], shown["doubled"], shown["outcome"]) == ("0", "0", "passed")
    assert "Delta commits: 20 of 20" in done.stdout
    open_workspace(load_settings(tmp_path / "chargeback.toml"))
    store = store_at(location)
    (recorded,) = store.list("settings/storage-proof/")
    assert json.loads(store.get(recorded.key))["commits"]["told"] == 20
    assert SECRET_KEY.encode() not in store.get(recorded.key)


def test_a_probe_leaves_nothing_but_its_record_and_touches_no_table(s3_server: S3Server) -> None:
    location = s3_server.fresh_location()

    kept = probed(location)

    assert [each.key for each in store_at(location).list("")] == [kept.key]


def test_a_directory_can_be_probed_too_and_needs_no_proof(tmp_path: Path) -> None:
    location = StorageLocation(str(tmp_path))
    require_proof(location)

    kept = probed(location)

    assert kept.proof.passed
    assert kept.proof.commits is not None
    assert kept.proof.commits.conflicts > 0
    assert [each.key for each in store_at(location).list("")] == [kept.key]


@pytest.mark.parametrize(
    "lie, found",
    [
        ("overwrites", r"4 of 4 writers were told that they made object"),
        ("loses commits", r"of 20 Delta commits that writers were told had succeeded [1-9]\d* are lost"),
        ("knows no conditions", r"the store knows no conditional put \(If-None-Match\)"),
    ],
)
def test_a_store_that_breaks_its_word_fails_and_is_refused_from_then_on(
    s3_server: S3Server, lie: Lie, found: str
) -> None:
    with lying_proxy(s3_server.endpoint_url, lie) as endpoint_url:
        location = replace(s3_server.fresh_location(), endpoint_url=endpoint_url)

        kept = probed(location)

        assert re.search(found, kept.proof.fault)
        with pytest.raises(UnsafeStore, match="this store failed its last probe") as refused:
            require_proof(location)
        assert len(str(refused.value).splitlines()) == 1


def test_a_store_without_conditional_puts_is_one_clear_line_at_the_terminal(
    s3_server: S3Server, tmp_path: Path
) -> None:
    with lying_proxy(s3_server.endpoint_url, "knows no conditions") as endpoint_url:
        lake = small_lake(tmp_path, replace(s3_server.fresh_location(), endpoint_url=endpoint_url))

        done = preflight(lake)

    assert done.returncode == 2
    assert "outcome        FAILED" in done.stdout
    assert len(done.stderr.splitlines()) == 1
    assert "the store knows no conditional put (If-None-Match): commits would be lost on this store" in done.stderr


def test_what_runs_from_the_ui_is_refused_too(s3_server: S3Server, tmp_path: Path) -> None:
    lake = small_lake(tmp_path, s3_server.fresh_location())
    lake.land("slurm/nodes")
    lake.home.mkdir()

    started = lake.run(
        "asset", "materialize", "-m", "orchestration.definitions", "--select", "raw_nodes",
        "--partition", "slurm-a|2026-03-30", program=CHARGEBACK.with_name("dagster"),
    )  # fmt: skip

    assert started.returncode != 0
    assert "this store was not shown to keep what it confirms" in started.stderr
    assert store_at(load_settings(tmp_path / "chargeback.toml").location).list("tables/") == []
