"""A month is certified only with an extract taken after it, so the first one is asked for whatever it says."""

from datetime import UTC, datetime
from pathlib import Path

import polars as pl
import pytest

from assets.materialisation import Inputs
from chargeback.contracts.landed_objects import LANDED_OBJECTS
from chargeback.contracts.partition import Partition
from resources.landing import LandedObject
from tests.orchestration.test_touched_days import job, running, sacct
from tests.raw_estate import RawEstate

NOW = datetime(2026, 11, 1, 6, tzinfo=UTC)
LAST_DAY = Partition.of_day("slurm-a", "2026-10-31")
RAN = job(1, "31 08:00", "31 09:00")


def land(estate: RawEstate, *records: str, at: datetime) -> LandedObject:
    """Land an extract of jobs; empty records make other bytes that say the same."""
    return estate.land("slurm/sacct", sacct(*records), at=at)


def made_from(estate: RawEstate, *objects: LandedObject) -> None:
    """Make the days as their runs do it: raw tables, and landed_objects of the last day."""
    estate.make(now=NOW)
    told = {"cluster": "slurm-a", "day": "2026-10-31", "records": 1, "records_of_day": 1, "steps_ignored": 0}
    rows = [
        {**told, "object": each.key, "source": each.source, "sha256": each.sha256, "bytes": each.size,
         "extracted_at": each.extracted_at, "quarantined": 0}
        for each in objects
    ]  # fmt: skip
    made = Inputs.of(objects={each.key: each.sha256 for each in objects}).provenance("made by a test")
    estate.workspace.lake.replace(LANDED_OBJECTS, LAST_DAY, pl.DataFrame(rows, schema=LANDED_OBJECTS.schema), made)


@pytest.fixture
def estate(tmp_path: Path) -> RawEstate:
    """The last day of October was made from an extract of its evening, in which everything had ended."""
    estate = RawEstate.begun_in(tmp_path, first_day="2026-10-30")
    made_from(estate, land(estate, RAN, at=datetime(2026, 10, 31, 20, tzinfo=UTC)))
    return estate


def test_the_first_extract_after_a_month_touches_its_last_day_though_it_says_nothing_new(estate: RawEstate) -> None:
    after = land(estate, RAN, "", at=datetime(2026, 11, 1, 0, 10, tzinfo=UTC))

    assert dict(estate.touched(after, now=NOW).days) == {LAST_DAY.key: {after.key}}


def test_the_second_one_touches_nothing(estate: RawEstate) -> None:
    made_from(estate, land(estate, RAN, "", at=datetime(2026, 11, 1, 0, 10, tzinfo=UTC)))

    second = land(estate, RAN, "", "", at=datetime(2026, 11, 1, 1, 10, tzinfo=UTC))

    assert estate.touched(second, now=NOW).changed_nothing == {second.key}


def test_one_that_was_taken_before_the_month_was_over_touches_nothing(estate: RawEstate) -> None:
    late = land(estate, RAN, "", at=datetime(2026, 10, 31, 22, tzinfo=UTC))

    assert estate.touched(late, now=NOW).days == {}


def test_one_without_a_record_of_the_month_touches_the_days_that_it_speaks_of_only(estate: RawEstate) -> None:
    of_november = land(estate, running(3, "11-01 00:30", "11-01 01:10"), at=datetime(2026, 11, 1, 1, 10, tzinfo=UTC))

    assert set(estate.touched(of_november, now=NOW).days) == {"slurm-a|2026-11-01"}
