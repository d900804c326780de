"""Equal content has one hash, whatever its files, chunks or order; any other content has another, for ever."""

import struct
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from hashlib import sha256

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chargeback.contracts.contract import INSTANT, MONEY, PRICE, Column, Contract
from resources.content_hash import canonical_json, content_hash, fingerprint, in_contract_order

EVERY_TYPE = Contract(
    table="every_type",
    grain="one row per key",
    key=("key",),
    partitioned_by=("key",),
    stage="ledger",
    columns=(
        Column("key", pl.String(), ""),
        Column("count", pl.Int64(), "", nullable=True),
        Column("is_true", pl.Boolean(), "", nullable=True),
        Column("at", INSTANT, "", nullable=True),
        Column("amount", MONEY, "", nullable=True),
        Column("price", PRICE, "", nullable=True),
        Column("text", pl.String(), "", nullable=True),
    ),
    checks=(),
)
Row = tuple[object, ...]

ROWS: list[Row] = [
    ("a", 1, True, datetime(2026, 10, 5, 1, 2, 3, tzinfo=UTC), Decimal("12.3400"), Decimal("-0.000000000001"), "ü€"),
    ("b", -(2**63), False, datetime(1969, 12, 31, 23, 59, 59, tzinfo=UTC), Decimal("-1"), None, ""),
    ("c", None, None, None, None, Decimal("99999999999999999999999999.999999999999"), None),
]


def frame_of(rows: list[Row]) -> pl.DataFrame:
    return pl.DataFrame(rows, schema=EVERY_TYPE.schema, orient="row")


def test_the_hash_of_given_rows_never_changes() -> None:
    assert (
        content_hash(EVERY_TYPE.empty(), EVERY_TYPE)
        == "1748b9dc49473baf05e92df932cb8acbfcb0fb99efa0089dae1c2567458d2b78"
    )
    assert (
        content_hash(frame_of(ROWS), EVERY_TYPE) == "b419f6b40128beb81830da1912951d2844527072d323ca5f44d09e0c2c10ac8a"
    )


def test_the_hash_is_that_of_the_documented_bytes() -> None:
    header = b"gpu-chargeback content 1\n" + b"".join(
        f"{name}:{kind}\n".encode()
        for name, kind in [("key", "string"), ("count", "int64"), ("is_true", "boolean"), ("at", "instant"),
                           ("amount", "decimal(38,4)"), ("price", "decimal(38,12)"), ("text", "string")]
    )  # fmt: skip
    epoch = datetime(1970, 1, 1, tzinfo=UTC)
    seconds = int((datetime(2026, 10, 5, 1, 2, 3, tzinfo=UTC) - epoch).total_seconds())
    columns = [
        b"\1\1\1" + struct.pack("<3Q", 1, 1, 1) + b"abc",
        b"\1\1\0" + struct.pack("<3q", 1, -(2**63), 0),
        b"\1\1\0" + b"\1\0\0",
        b"\1\1\0" + struct.pack("<3q", seconds * 10**6, -(10**6), 0),
        b"\1\1\0" + b"".join(n.to_bytes(16, "little", signed=True) for n in (123400, -10000, 0)),
        b"\1\0\1" + b"".join(n.to_bytes(16, "little", signed=True) for n in (-1, 0, 10**38 - 1)),
        b"\1\1\0" + struct.pack("<3Q", 5, 0, 0) + "ü€".encode(),
    ]

    by_hand = sha256(header + struct.pack("<Q", 3) + b"".join(columns)).hexdigest()

    assert content_hash(frame_of(ROWS), EVERY_TYPE) == by_hand


def test_a_32_bit_number_is_hashed_as_four_bytes() -> None:
    small = Contract("t", "", ("x",), ("x",), "raw", (Column("x", pl.Int32(), "", nullable=True),), ())
    by_hand = sha256(
        b"gpu-chargeback content 1\nx:int32\n" + struct.pack("<Q", 3) + b"\0\1\1" + struct.pack("<3i", 0, -(2**31), 7)
    ).hexdigest()

    assert content_hash(pl.DataFrame({"x": [7, None, -(2**31)]}, schema=small.schema), small) == by_hand


instants = st.integers(-(10**9), 10**10).map(lambda seconds: datetime(1970, 1, 1, tzinfo=UTC) + timedelta(0, seconds))
rows_of_every_type = st.lists(
    st.tuples(
        st.text(st.characters(codec="utf-8"), max_size=5),
        st.none() | st.integers(-(2**63), 2**63 - 1),
        st.none() | st.booleans(),
        st.none() | instants,
        st.none() | st.decimals(-(10**33), 10**33, places=4),
        st.none() | st.decimals(-(10**25), 10**25, places=12),
        st.none() | st.text(st.characters(codec="utf-8"), max_size=5),
    ),
    max_size=12,
)


@settings(max_examples=50, deadline=None)
@given(rows=rows_of_every_type, cut=st.integers(0, 12), seed=st.randoms(use_true_random=False))
def test_neither_order_nor_chunks_of_rows_change_the_hash(rows: list[Row], cut: int, seed: object) -> None:
    shuffled = list(rows)
    seed.shuffle(shuffled)  # type: ignore[attr-defined]
    chunked = pl.concat([frame_of(shuffled[:cut]), frame_of(shuffled[cut:])], rechunk=False)
    sliced = pl.concat([frame_of(ROWS), frame_of(shuffled), frame_of(ROWS)]).slice(len(ROWS), len(rows))

    expected = content_hash(frame_of(rows), EVERY_TYPE)

    assert content_hash(chunked, EVERY_TYPE) == expected
    assert content_hash(sliced, EVERY_TYPE) == expected


@settings(max_examples=50, deadline=None)
@given(rows=rows_of_every_type, other=rows_of_every_type)
def test_other_rows_have_another_hash(rows: list[Row], other: list[Row]) -> None:
    same = sorted(map(repr, frame_of(rows).rows())) == sorted(map(repr, frame_of(other).rows()))

    assert (content_hash(frame_of(rows), EVERY_TYPE) == content_hash(frame_of(other), EVERY_TYPE)) == same


CHANGED: dict[str, object] = {
    "key": "z", "count": 2, "is_true": False, "at": datetime(2026, 10, 5, 1, 2, 4, tzinfo=UTC),
    "amount": Decimal("12.3401"), "price": Decimal("0.000000000001"), "text": "ü",
}  # fmt: skip


@pytest.mark.parametrize("column", EVERY_TYPE.column_names)
@pytest.mark.parametrize("to_null", [False, True])
def test_any_changed_cell_changes_the_hash(column: str, to_null: bool) -> None:
    at = EVERY_TYPE.column_names.index(column)
    changed = [*ROWS[0][:at], None if to_null else CHANGED[column], *ROWS[0][at + 1 :]]

    assert content_hash(frame_of([tuple(changed), *ROWS[1:]]), EVERY_TYPE) != content_hash(frame_of(ROWS), EVERY_TYPE)


def test_null_is_neither_zero_nor_false_nor_empty() -> None:
    nulls = frame_of([("a", None, None, None, None, None, None)])
    zeros = frame_of([("a", 0, False, datetime(1970, 1, 1, tzinfo=UTC), Decimal(0), Decimal(0), "")])

    assert content_hash(nulls, EVERY_TYPE) != content_hash(zeros, EVERY_TYPE)


def test_text_does_not_run_over_into_the_next_cell() -> None:
    one = frame_of([("a", 1, True, None, None, None, "xy"), ("b", 1, True, None, None, None, "z")])
    other = frame_of([("a", 1, True, None, None, None, "x"), ("b", 1, True, None, None, None, "yz")])

    assert content_hash(one, EVERY_TYPE) != content_hash(other, EVERY_TYPE)


def test_doubled_rows_count_twice() -> None:
    assert content_hash(frame_of(ROWS), EVERY_TYPE) != content_hash(frame_of([*ROWS, ROWS[0]]), EVERY_TYPE)


def test_rows_under_one_and_the_same_key_are_ordered_by_all_that_they_say() -> None:
    rows: list[Row] = [("a", n % 3, n % 2 == 0, None, None, None, "x" * n) for n in range(9)]

    assert content_hash(frame_of(rows), EVERY_TYPE) == content_hash(frame_of(rows[::-1]), EVERY_TYPE)
    assert in_contract_order(frame_of(rows), EVERY_TYPE).equals(in_contract_order(frame_of(rows[::-1]), EVERY_TYPE))


def test_a_renamed_column_or_another_scale_is_another_content() -> None:
    def contract(name: str, dtype: pl.DataType) -> Contract:
        return Contract("t", "", (name,), (name,), "ledger", (Column(name, dtype, "", nullable=True),), ())

    contracts = [contract("a", MONEY), contract("b", MONEY), contract("a", PRICE), contract("a", pl.Int64())]

    assert len({content_hash(each.empty(), each) for each in contracts}) == 4


def test_a_frame_with_another_schema_or_an_inexact_type_is_not_hashed() -> None:
    floating = Contract("t", "", ("x",), ("x",), "ledger", (Column("x", pl.Float64(), ""),), ())

    with pytest.raises(ValueError, match="another schema"):
        content_hash(frame_of(ROWS).drop("text"), EVERY_TYPE)
    with pytest.raises(TypeError, match="Float64 has no exact form"):
        content_hash(floating.empty(), floating)


def test_a_fingerprint_does_not_depend_on_the_order_of_its_inputs() -> None:
    one = fingerprint({"a": "1", "b": ["x", None, True], "ü": {"d": 1, "c": 2}})
    other = fingerprint({"ü": {"c": 2, "d": 1}, "b": ("x", None, True), "a": "1"})

    assert one == other == "60a89bc5de9b2527315cfbd9518c493c88524c6868fa198180ec44bac8231a79"
    assert fingerprint({"a": "1"}) != fingerprint({"a": 1})


@pytest.mark.parametrize("value", [1.5, Decimal(1), b"x", {"x"}, timedelta(1), {"deep": [{"x": 0.1}]}, {1: "x"}])
def test_a_value_without_a_single_spelling_has_no_fingerprint(value: object) -> None:
    with pytest.raises(TypeError, match="no single spelling"):
        canonical_json({"value": value})
