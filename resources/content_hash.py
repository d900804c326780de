"""One hash for what a table part says, whatever its files, chunks or row order; and one for what it was made from.

The bytes that are hashed are ours alone, so no new version of polars, pyarrow or Parquet can change a hash. Pinned by
test vectors. Not here: where hashes are kept (lake_state.py).

    header    "gpu-chargeback content 1\\n", then per column "name:type\\n", then the number of rows, 8 bytes
    columns   in the contract's order: one byte a row, 1 where there is a value; then the values, null as zero or empty
    values    boolean 1 byte; int32 4 bytes; int64 and instant (microseconds since 1970 UTC) 8 bytes; decimal 16 bytes,
              unscaled; string all lengths in UTF-8 bytes, 8 bytes each, then all bytes. Little-endian, two's complement
    rows      ordered by the contract's key, then by all columns; nulls first, text by its UTF-8 bytes
"""

import hashlib
import json
from collections.abc import Iterator, Mapping

import polars as pl

from chargeback.contracts.contract import Contract

HEADER = b"gpu-chargeback content 1\n"


def content_hash(frame: pl.DataFrame, contract: Contract) -> str:
    """sha256 (hex) of the rows and their schema.

    Raises  ValueError if the frame has another schema than the contract, TypeError for a type that has no exact form.
    """
    if dict(frame.schema) != contract.schema or frame.columns != contract.column_names:
        raise ValueError(f"{contract.table}: cannot hash a frame with another schema than the contract's")
    ordered = in_contract_order(frame, contract)
    digest = hashlib.sha256(HEADER)
    for name, dtype in contract.schema.items():
        digest.update(f"{name}:{_type_name(dtype)}\n".encode())
    digest.update(len(ordered).to_bytes(8, "little"))
    for column in ordered.select(_canonical_columns(contract)) if len(ordered) else ():
        digest.update(_text_bytes(column) if column.dtype == pl.String else _buffer(column))
    return digest.hexdigest()


def in_contract_order(frame: pl.DataFrame, contract: Contract) -> pl.DataFrame:
    """The rows by the contract's key, then by all columns: one order for every way in which they may lie about."""
    if len(frame) < 2:
        return frame
    is_varying = frame.select(pl.col(name).eq_missing(pl.col(name).first()).all().not_() for name in contract.key)
    varying = [name for name in contract.key if is_varying[name].item()]  # to sort by the others moves nothing
    by_key = frame.sort(varying, nulls_last=False) if varying else frame
    others = [name for name in contract.column_names if name not in contract.key]
    return frame.sort([*contract.key, *others], nulls_last=False) if _has_repeats(by_key, varying) else by_key


def _has_repeats(ordered: pl.DataFrame, columns: list[str]) -> bool:
    """Whether two of several rows, ordered by these columns, are equal in all of them."""
    if not columns:
        return True
    is_repeated = pl.all_horizontal(pl.col(name).eq_missing(pl.col(name).shift()) for name in columns)
    return bool(ordered.select(is_repeated.slice(1).any()).item())


def fingerprint(inputs: Mapping[str, object]) -> str:
    """sha256 (hex) of canonical JSON: sorted keys, no white space, ASCII.

    Raises  TypeError for a float or anything else that has no single spelling.
    """
    return hashlib.sha256(canonical_json(inputs)).hexdigest()


def canonical_json(value: object) -> bytes:
    """The one spelling of a JSON value. Raises TypeError for floats, and for keys that are not text."""
    _refuse_inexact(value)
    return json.dumps(value, sort_keys=True, separators=(",", ":"), default=dict).encode("ascii")


def _refuse_inexact(value: object) -> None:
    if isinstance(value, Mapping):
        for key, item in value.items():
            if not isinstance(key, str):
                raise TypeError(f"{key!r} as a key has no single spelling: use text")
            _refuse_inexact(item)
    elif isinstance(value, list | tuple):
        for item in value:
            _refuse_inexact(item)
    elif not isinstance(value, str | int | None):
        raise TypeError(f"{value!r} of type {type(value).__name__} has no single spelling: use text or whole numbers")


def _type_name(dtype: pl.DataType) -> str:
    match dtype:
        case pl.String():
            return "string"
        case pl.Int64():
            return "int64"
        case pl.Int32():
            return "int32"
        case pl.Boolean():
            return "boolean"
        case pl.Datetime(time_unit="us", time_zone="UTC"):
            return "instant"
        case pl.Decimal(precision=precision, scale=scale):
            return f"decimal({precision},{scale})"
    raise TypeError(
        f"{dtype} has no exact form for hashing: use String, Int64, Int32, Boolean, UTC instants or Decimal"
    )


def _canonical_columns(contract: Contract) -> Iterator[pl.Expr]:
    """What is hashed of every column, in order, all in one pass: a call a column costs more than a small table."""
    for at, (name, dtype) in enumerate(contract.schema.items()):
        column = pl.col(name)
        yield column.is_not_null().cast(pl.UInt8).alias(f"{at} is there")
        match dtype:
            case pl.String():
                yield column.fill_null("").str.len_bytes().cast(pl.UInt64).alias(f"{at} lengths")
                yield column.fill_null("").alias(f"{at} text")
            case pl.Boolean():
                yield column.fill_null(False).cast(pl.UInt8).alias(f"{at} values")
            case pl.Decimal():
                yield column.fill_null(0).alias(f"{at} values")
            case _:
                yield column.to_physical().fill_null(0).alias(f"{at} values")


def _buffer(column: pl.Series) -> memoryview | bytes:
    """Little-endian values of a fixed-width column without nulls."""
    array = column.rechunk().to_arrow(compat_level=pl.CompatLevel.oldest())
    width = array.type.bit_width // 8
    values = array.buffers()[1]
    return memoryview(values)[array.offset * width : (array.offset + len(array)) * width] if len(array) else b""


def _text_bytes(column: pl.Series) -> memoryview | bytes:
    array = column.rechunk().to_arrow(compat_level=pl.CompatLevel.oldest())
    if not len(array):
        return b""
    offsets = memoryview(array.buffers()[1]).cast("q")
    first, last = offsets[array.offset], offsets[array.offset + len(array)]
    return memoryview(array.buffers()[2])[first:last] if last > first else b""
