"""A store that fails under an asset is named; what reads landing asks it again, and nothing else is run again."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from urllib.parse import urlsplit

import dagster as dg
import polars as pl
import pytest

from assets.pools import in_its_pool
from assets.store_faults import PATIENCE
from chargeback.contracts.contract import Contract
from chargeback.contracts.holds import HOLDS
from chargeback.contracts.raw_sacct import RAW_SACCT
from resources.lake import Lake
from resources.open_store import store_at
from resources.storage_location import StorageLocation
from tests.resources.test_bucket import store_that_says
from tests.resources.test_store_failures import hasty
from tests.services.fault_proxy import Fault, fault_proxy
from tests.services.seaweedfs import S3Server, s3_server

__all__ = ["s3_server"]  # the fixture

Work = Callable[[StorageLocation], object]


@dataclass
class RefusesReads:
    """Refuses the first reads of an object, so many, and counts all of them."""

    left: int
    seen: int = 0

    def __call__(self, method: str, target: str) -> Fault | None:
        """Refuse it, if any are left to be refused."""
        if method != "GET":
            return None
        self.seen += 1
        self.left -= 1
        return Fault.REFUSED_503 if self.left >= 0 else None


def run_of(contract: Contract, location: StorageLocation, work: Work) -> dg.ExecuteInProcessResult:
    """A run of an asset of the table that works on the store as an asset of ours does."""

    @dg.asset
    def works(context: dg.AssetExecutionContext, lake: dg.ResourceParam[Lake]) -> None:
        work(lake.location)

    asset = in_its_pool(works, contract)
    return dg.materialize([asset], resources={"lake": Lake(location)}, raise_on_error=False)


def read_landed(location: StorageLocation) -> object:
    return store_at(location).get("landing/a")


def read_rows(location: StorageLocation) -> object:
    return pl.scan_parquet(location.child("rows.parquet"), storage_options=location.delta_options()).collect()


def divide_by_nothing(location: StorageLocation) -> object:
    return 1 // len(location.root.strip(location.root))


def retries(run: dg.ExecuteInProcessResult) -> int:
    return sum(event.is_step_up_for_retry for event in run.all_events)


def cause_of(run: dg.ExecuteInProcessResult) -> str:
    error = run.get_step_failure_events()[0].step_failure_data.error
    assert error is not None
    assert error.cause is not None
    return error.cause.message.strip()


def test_a_store_that_was_busy_is_asked_again_and_the_run_succeeds(s3_server: S3Server) -> None:
    refusals = RefusesReads(1)
    direct = s3_server.fresh_location()
    store_at(direct).put_new("landing/a", b"1")
    with fault_proxy(urlsplit(s3_server.endpoint_url).port or 0, refusals) as proxy, hasty():
        run = run_of(RAW_SACCT, replace(direct, endpoint_url=proxy.endpoint_url), read_landed)

    assert run.success
    assert retries(run) == 1
    assert refusals.seen == 2


def test_wrong_code_is_not_run_again(s3_server: S3Server) -> None:
    run = run_of(RAW_SACCT, s3_server.fresh_location(), divide_by_nothing)

    assert not run.success
    assert retries(run) == 0
    assert cause_of(run).startswith("ZeroDivisionError")


def test_what_does_not_read_landing_is_not_run_again(s3_server: S3Server) -> None:
    with store_that_says(503, "SlowDown") as location, hasty():
        run = run_of(HOLDS, location, read_landed)

    assert not run.success
    assert retries(run) == 0
    assert f"s3://lake/x/landing/a at {location.endpoint_url}: the store failed, repeatedly" in cause_of(run)


def test_a_store_that_fails_where_rows_are_read_is_told_in_none_of_its_words(s3_server: S3Server) -> None:
    with store_that_says(403, "AccessDenied") as location:
        run = run_of(HOLDS, location, read_rows)

    assert f"s3://lake/x at {location.endpoint_url}: access is refused" in cause_of(run)
    assert "canary" not in "".join(event.message or "" for event in run.all_events)


def test_a_store_that_stays_away_is_asked_three_times_again_in_half_a_minute() -> None:
    waits = [PATIENCE.calculate_delay(attempt) for attempt in (1, 2, 3)]

    assert PATIENCE.max_retries == 3
    assert waits == pytest.approx([2, 6, 14], abs=2)
