"""Units of telemetry: integers that are exact, and numbers that are no values."""

from decimal import Decimal

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chargeback.usage.dcgm_values import (
    IMPOSSIBLE,
    MEBIBYTES,
    MILLIJOULES,
    PER_CENT,
    RATIO,
    SENTINEL,
    WATTS,
    Unit,
    fixed_point,
    ppm_of,
    rounded,
)
from tests.tables import shared_file


def values_of(texts: list[str], unit: Unit) -> list[int]:
    """What the texts are in fixed point."""
    many = len(texts)
    return fixed_point(
        pl.Series(texts, dtype=pl.String),
        factor=pl.Series([unit.factor] * many, dtype=pl.Int64),
        limit=pl.Series([unit.limit] * many, dtype=pl.Int64),
        is_counter=pl.Series([unit.is_counter] * many, dtype=pl.Boolean),
    ).to_list()


@pytest.mark.parametrize(
    "unit, text, value",
    [
        (RATIO, "0.995687", 995_687),
        (RATIO, "1", 1_000_000),
        (RATIO, "0", 0),
        (RATIO, "-0.0", 0),
        (RATIO, "1e-3", 1_000),
        (PER_CENT, "44", 440_000),
        (PER_CENT, "93.66666666666669", 936_667),
        (PER_CENT, "100.00000000000001", 1_000_000),
        (WATTS, "302.206000", 302_206),
        (MEBIBYTES, "15109", 15_109),
        (MILLIJOULES, "55491669881", 55_491_669_881),
    ],
)
def test_a_value_is_an_integer_of_its_unit(unit: Unit, text: str, value: int) -> None:
    assert values_of([text], unit) == [value]


@pytest.mark.parametrize(
    "text, value", [("0.0000005", 0), ("0.0000015", 2), ("0.1234565", 123_456), ("0.1234575", 123_458)]
)
def test_ties_are_decided_by_the_decimal_that_was_printed_and_go_to_even(text: str, value: int) -> None:
    assert values_of([text, "0.5", text], RATIO) == [value, 500_000, value]


@settings(deadline=None)
@given(st.decimals(min_value=0, max_value=1, places=9), st.decimals(min_value=0, max_value=2000, places=6))
def test_fixed_point_is_the_exact_decimal_rounded_half_to_even(ratio: Decimal, watts: Decimal) -> None:
    assert values_of([str(ratio)], RATIO) == [rounded(str(ratio), RATIO.factor)] == [round(ratio * 1_000_000)]
    assert values_of([str(watts)], WATTS) == [round(watts * 1_000)]


def test_every_public_code_for_no_value_is_missing_and_every_public_outlier_impossible() -> None:
    text = shared_file("data", "dcgm", "09_sentinels.txt").read_text()
    codes = [line.partition("\t")[0] for line in text.splitlines() if not line.startswith("#")]

    found = dict(zip(codes, values_of(codes, PER_CENT), strict=True))

    impossible = {"4294967295", "808334905", "ERROR - FAILED TO CONVERT TO STRING"}
    assert found == {code: IMPOSSIBLE if code in impossible else SENTINEL for code in codes}
    assert set(values_of([code for code in codes if code not in impossible], RATIO)) == {SENTINEL}


@pytest.mark.parametrize(
    "text",
    ["9223372036854775792", "9223372036854775795", "9.223372036854776e+18", "922337203685477580800", "NaN",
     "140737488355331", "14073748835532800", "1.407374883553283e+16", "2147483635", "214748363200"],
)  # fmt: skip
@pytest.mark.parametrize("unit", [RATIO, PER_CENT, WATTS, MEBIBYTES])
def test_blank_values_are_known_after_a_float_in_between_and_as_a_percentage(text: str, unit: Unit) -> None:
    assert values_of([text], unit) == [SENTINEL]


@pytest.mark.parametrize(
    "unit, text",
    [(PER_CENT, "100.1"), (PER_CENT, "1980"), (RATIO, "1.000001"), (RATIO, "-0.01"), (WATTS, "-1.487"), (WATTS, "+Inf"),
     (WATTS, "-Inf"), (WATTS, "1000000"), (MEBIBYTES, "99999999999"), (RATIO, ""), (RATIO, "N/A")],
)  # fmt: skip
def test_what_cannot_be_is_not_clamped(unit: Unit, text: str) -> None:
    assert values_of([text], unit) == [IMPOSSIBLE]


def test_an_energy_counter_may_pass_by_the_small_codes() -> None:
    assert values_of(["2147483632", "214748363200", "9223372036854775794"], MILLIJOULES) == [
        2_147_483_632, 214_748_363_200, SENTINEL,
    ]  # fmt: skip


def test_three_sources_of_utilisation_agree_once_their_units_are_known() -> None:
    assert ppm_of("73", PER_CENT) == 730_000
    assert ppm_of("0.73", RATIO) == 730_000
    assert ppm_of("396", PER_CENT, devices=4) == 990_000


@pytest.mark.parametrize("text, unit, devices", [("401", PER_CENT, 4), ("-1", PER_CENT, 1), ("73", RATIO, 1)])
def test_a_utilisation_beyond_the_devices_that_it_is_of_is_refused(text: str, unit: Unit, devices: int) -> None:
    with pytest.raises(ValueError, match=f"utilisation {text} .* of {devices} devices"):
        ppm_of(text, unit, devices=devices)
