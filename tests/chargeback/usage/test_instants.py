"""Times of sacct with and without an offset."""

from zoneinfo import ZoneInfo

import polars as pl
import pytest

from chargeback.usage.instants import read_instant
from tests.tables import instant

AMSTERDAM = ZoneInfo("Europe/Amsterdam")


def read(text: str | None, zone: ZoneInfo | None) -> dict:
    reading = read_instant(pl.col("text"), zone)
    frame = pl.DataFrame({"text": [text]}, schema={"text": pl.String})
    return frame.select(
        earliest=reading.earliest, latest=reading.latest, absent=reading.is_absent, naive=reading.is_naive
    ).row(0, named=True)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2026-07-31T23:30:00+0200", "2026-07-31T21:30Z"),
        ("2026-07-31T23:30:00+02:00", "2026-07-31T21:30Z"),
        ("2026-07-31T23:30:00-0530", "2026-08-01T05:00Z"),
        ("2026-07-31T23:30:00Z", "2026-07-31T23:30Z"),
        ("1783069200", "2026-07-03T09:00Z"),
    ],
)
def test_a_time_that_says_its_offset_needs_no_zone(text: str, expected: str) -> None:
    assert read(text, None)["earliest"] == instant(expected)


def test_a_local_time_is_read_in_the_zone_of_the_cluster() -> None:
    assert read("2026-07-31T23:30:00", AMSTERDAM)["earliest"] == instant("2026-07-31T21:30Z")
    assert read("2026-01-31T23:30:00", AMSTERDAM)["earliest"] == instant("2026-01-31T22:30Z")


def test_a_local_time_without_a_zone_is_not_guessed() -> None:
    found = read("2026-07-31T23:30:00", None)

    assert (found["earliest"], found["naive"]) == (None, True)


def test_a_local_time_that_the_clock_showed_twice_has_two_readings() -> None:
    found = read("2026-10-25T02:30:00", AMSTERDAM)

    assert (found["earliest"], found["latest"]) == (instant("2026-10-25T00:30Z"), instant("2026-10-25T01:30Z"))


@pytest.mark.parametrize(
    "text", ["2026-03-29T02:30:00", "2026-02-30T12:00:00", "yesterday", "2026-07-31", "0026-07-31T00:00:00"]
)
def test_a_time_that_does_not_exist_is_not_read(text: str) -> None:
    found = read(text, AMSTERDAM)

    assert (found["earliest"], found["absent"]) == (None, False)


@pytest.mark.parametrize("text", ["None", "Unknown", "", "N/A", None])
def test_a_time_that_is_not_there_is_absent(text: str | None) -> None:
    assert read(text, AMSTERDAM)["absent"]
