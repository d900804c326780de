"""What reading landing objects keeps in memory is counted as it lies there, not as it lies compressed in the store."""

import threading
from concurrent.futures import ThreadPoolExecutor

import polars as pl
import pytest

from resources.kept_frames import KeptFrames
from resources.unpacked_bytes import UnpackedBytes


def frame_of(rows: int) -> pl.DataFrame:
    """Eight bytes a row."""
    return pl.DataFrame({"at": pl.Series(range(rows), dtype=pl.Int64)})


def test_frames_are_kept_by_the_bytes_that_they_take_and_the_one_asked_for_longest_ago_goes_first() -> None:
    frames, read = KeptFrames(240), list[str]()

    def get(key: str, rows: int = 10) -> None:
        def reading() -> pl.DataFrame:
            read.append(key)
            return frame_of(rows)

        assert frames.get(key, reading).height == rows

    for key in ("a", "b", "c", "a", "d", "a", "b"):
        get(key)

    assert read == ["a", "b", "c", "d", "b"]
    assert frames.kept_bytes == 240
    get("large", rows=31)
    get("large", rows=31)
    assert read[5:] == ["large", "large"]
    assert frames.kept_bytes == 240


def test_threads_hold_no_more_unpacked_bytes_than_allowed_at_once() -> None:
    unpacked, together, most = UnpackedBytes(100), threading.Barrier(2, timeout=20), list[int]()

    def read(size: int) -> int:
        with unpacked.holding(lambda: bytes(size)) as content:
            together.wait()  # two are held at a time, or this times out
            most.append(unpacked.held)
            together.wait()
            return len(content)

    with ThreadPoolExecutor(6) as threads:
        assert list(threads.map(read, [50] * 6)) == [50] * 6

    assert most == [100] * 6
    assert unpacked.held == 0


def test_a_larger_object_is_held_alone_and_what_cannot_be_unpacked_is_not_counted() -> None:
    unpacked = UnpackedBytes(100)

    def damaged() -> bytes:
        raise ValueError("cut")

    with pytest.raises(ValueError, match="cut"), unpacked.holding(damaged):
        pass
    with unpacked.holding(lambda: bytes(1_000)):
        assert unpacked.held == 1_000
    assert unpacked.held == 0
