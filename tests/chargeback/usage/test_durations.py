"""Durations and limits as Slurm prints them."""

from fractions import Fraction

import polars as pl
import pytest

from chargeback.usage.durations import Limit, limit_seconds_of, parse_duration, raw_seconds_of, seconds_of
from tests.tables import CASES


def test_durations_of_every_shape_are_exact() -> None:
    texts = (CASES / "S24" / "durations.txt").read_text().split("\n")

    found = [parse_duration(text) for text in texts[:9]]

    expected = [177896, 4188, 205, Fraction(961272, 1000), 201103, Limit.NONE, Limit.NONE, 0, None]
    assert found == expected


def test_columns_are_read_as_single_texts_are_with_fractions_cut_off() -> None:
    texts = ["2-01:24:56", "01:09:48", "16:01.272", "UNLIMITED", "Partition_Limit", "", "1:2:3:4", None]

    found = pl.DataFrame({"text": texts}).select(seconds_of(pl.col("text")))["text"].to_list()

    assert found == [177896, 4188, 961, None, None, None, None, None]


@pytest.mark.parametrize("text", ["soon", "1-2-3", "12", "-01:00:00", "1:00:60:00"])
def test_what_is_no_duration_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is no duration"):
        parse_duration(text)


def test_a_limit_in_minutes_becomes_seconds_and_no_limit_stays_none() -> None:
    frame = pl.DataFrame(
        {"raw": ["1440", None, "Partition_Limit", "UNLIMITED"], "text": [None, "04:00:00", "Partition_Limit", None]}
    )

    found = frame.select(limit=limit_seconds_of(pl.col("raw"), pl.col("text")))["limit"].to_list()

    assert found == [86400, 14400, None, None]


def test_a_huge_number_of_seconds_is_not_read_rather_than_wrapped() -> None:
    found = pl.DataFrame({"raw": ["9" * 30, "3600"]}).select(raw_seconds_of(pl.col("raw")))["raw"].to_list()

    assert found == [None, 3600]
