"""Parquet that is damaged or stands for endless rows ends in a reason, never in a dead process."""

import io
import random
from contextlib import suppress

import polars as pl
import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.parquet as pq  # type: ignore[import-untyped]
import pytest

from chargeback.usage import dcgm_parquet
from chargeback.usage.dcgm_parquet import parse_parquet
from chargeback.usage.extract import UnreadableExtract

ROWS = {
    "timestamp": [1_770_000_000_000 + 15_000 * at for at in range(50)],
    "metric": ["DCGM_FI_DEV_GPU_UTIL"] * 50,
    "value": [float(at) for at in range(50)],
    "UUID": ["GPU-1"] * 50,
}


def written(**options: object) -> bytes:
    file = io.BytesIO()
    pl.DataFrame(ROWS).write_parquet(file, **options)  # type: ignore[arg-type]
    return file.getvalue()


@pytest.mark.parametrize("compression", ["uncompressed", "zstd"])
def test_damaged_parquet_is_read_or_refused(compression: str) -> None:
    whole = written(compression=compression)
    chance = random.Random(7)

    for _ in range(400):
        damaged = bytearray(whole)
        for _ in range(chance.randint(1, 4)):
            damaged[chance.randrange(4, len(damaged))] = chance.randrange(256)
        with suppress(UnreadableExtract):
            assert parse_parquet(bytes(damaged), cluster="a").records >= 0


def test_more_rows_than_a_site_has_are_refused_before_they_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dcgm_parquet, "MOST_CELLS", 199)

    with pytest.raises(UnreadableExtract, match="200 values in one file, at most 199: export it in parts"):
        parse_parquet(written(), cluster="a")


def test_text_that_is_no_utf8_is_refused() -> None:
    names = pa.array([b"GPU-\xff\xfe"] * 50).cast(pa.string(), safe=False)
    file = io.BytesIO()
    pq.write_table(pa.table({**ROWS, "UUID": names}), file)

    with pytest.raises(UnreadableExtract, match="no readable Parquet"):
        parse_parquet(file.getvalue(), cluster="a")
