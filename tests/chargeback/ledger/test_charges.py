"""Statement lines: the worked month to the cent, rounding of each line by itself, stable ids."""

import json
from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chargeback.contracts.rated_usage import RATED_USAGE
from chargeback.contracts.team_charges import TEAM_CHARGES
from chargeback.ledger.charge_findings import completeness_findings, recompute_findings
from chargeback.ledger.charges import charge_lines, residue, total_of
from chargeback.money import Currency
from tests.chargeback.worked_month import EUR, expected_lines, lines_as_text, rated_usage, worked_lines
from tests.tables import shared_file


def rated(*rows: tuple[str, int, int, str], currency: str = "EUR", kinds: Sequence[str] = ()) -> pl.DataFrame:
    """Rated usage of rows (team, seconds numerator, denominator, price), one run each; `kinds` one a row, if given."""
    schema = RATED_USAGE.schema
    filled = [
        {
            "month": "2026-03", "cluster": "slurm-a", "day": "2026-03-02", "run": f"{at}@x", "host": "gpu01",
            "accelerator": "h100-sxm5-80gb", "sharing": "whole", "tier": "standard", "team": team,
            "cost_centre": "4711", "project": "p", "company": "C1", "kind": kinds[at] if kinds else "allocation",
            "is_running": False,
            "quantity_numerator": top, "quantity_denominator": bottom, "quantity_unit": "GPU-second",
            "gpu_seconds_numerator": max(top, 0), "gpu_seconds_denominator": bottom, "price": Decimal(price),
            "currency": currency, "card_version": "1",
        }
        for at, (team, top, bottom, price) in enumerate(rows)
    ]  # fmt: skip
    return pl.DataFrame({name: [row.get(name) for row in filled] for name in schema}, schema=schema)


def test_every_line_of_the_worked_month_comes_out_exactly() -> None:
    expected = expected_lines()

    lines = worked_lines()

    assert TEAM_CHARGES.breaches(lines) == []
    assert lines_as_text(lines) == expected


def test_the_worked_month_totals_per_team_and_its_residue_against_the_unrounded_total_are_finances_own() -> None:
    expected = json.loads(shared_file("worked-month", "expected.json").read_text())

    lines = worked_lines()

    totals = {team: f"{total_of(lines.filter(pl.col('team') == team)):.2f}" for team in expected["teams"]}
    assert totals == expected["teams"]
    assert f"{total_of(lines):.2f}" == expected["total"] == "1490.92"
    assert residue(lines) == Fraction(expected["residue_against_unrounded"]) == Fraction(853, 80000)


def test_exactly_half_a_cent_is_rounded_to_the_even_cent() -> None:
    lines = charge_lines(rated(("a", 3600, 1, "2.385"), ("b", 3600, 1, "2.375")), currency=EUR)

    amounts = dict(lines.select("team", "amount").iter_rows())

    assert amounts == {"a": Decimal("2.38"), "b": Decimal("2.38")}


@pytest.mark.parametrize(("code", "expected"), [("JPY", "954"), ("EUR", "954.33"), ("KWD", "954.327")])
def test_a_line_is_rounded_to_the_minor_unit_of_its_currency(code: str, expected: str) -> None:
    currency = Currency(code)

    lines = charge_lines(rated(("a", 3600, 1, "954.3269"), currency=code), currency=currency)

    assert lines["amount"].to_list() == [Decimal(expected)]
    assert recompute_findings(lines, rated(("a", 3600, 1, "954.3269"), currency=code), currency=currency) == []


def test_thirds_of_seconds_are_summed_before_anything_is_rounded() -> None:
    thirds = rated(*[("a", 1200, 1, "0.01"), ("a", 3601, 3, "0.01"), ("a", 3599, 3, "0.01")])

    lines = charge_lines(thirds, currency=EUR)

    assert lines.select("quantity", "amount", "run_count").rows() == [("3600", Decimal("0.01"), 3)]


def test_credits_of_one_charge_give_back_no_more_cents_than_were_charged() -> None:
    kinds = ("allocation", "credit-platform-fault", "credit-suspended")
    # 0.014 is charged as a cent; each half of it, 0.007, would be given back as a cent.
    usage = rated(("a", 50_400, 1, "0.001"), ("a", -25_200, 1, "0.001"), ("a", -25_200, 1, "0.001"), kinds=kinds)

    lines = charge_lines(usage, currency=EUR)

    amounts = dict(lines.select("kind", "amount").iter_rows())
    assert amounts == dict(zip(kinds, (Decimal("0.01"), Decimal("-0.01"), Decimal(0)), strict=True))
    assert recompute_findings(lines, usage, currency=EUR) == []


def test_a_credit_that_was_tampered_with_is_found_by_recomputing_it() -> None:
    usage = rated(("a", 7200, 1, "2"), ("a", -3600, 1, "2"), kinds=("allocation", "credit-preempted"))
    lines = charge_lines(usage, currency=EUR)

    more = lines.with_columns(
        amount=pl.when(pl.col("kind") == "credit-preempted").then(pl.lit(Decimal("-3"))).otherwise("amount").cast(
            TEAM_CHARGES.schema["amount"]
        )
    )  # fmt: skip

    (finding,) = recompute_findings(more, usage, currency=EUR)
    assert "amount -3.0000 EUR, quantity x price says -2.00, off by -1.0000" in finding


def test_a_negative_allocation_is_our_own_fault_and_raises() -> None:
    with pytest.raises(ValueError, match="negative"):
        charge_lines(rated(("a", -1, 1, "1")), currency=EUR)


def test_sums_beyond_sixty_four_bits_are_exact() -> None:
    lines = charge_lines(rated(*[("a", 2**62, 10**8, "1")] * 5), currency=EUR)

    assert Fraction(lines["quantity"][0]) == Fraction(5 * 2**62, 10**8)


@given(st.lists(st.tuples(st.integers(0, 10**7), st.integers(1, 60)), min_size=1, max_size=8), st.integers(1, 10**7))
@settings(max_examples=40, deadline=None)
def test_a_late_line_of_another_team_moves_nobody_elses_cent_and_order_changes_nothing(
    seconds: list[tuple[int, int]], late: int
) -> None:
    mine = [("mine", top, bottom, "2.385") for top, bottom in seconds]

    before = charge_lines(rated(*mine), currency=EUR)
    after = charge_lines(rated(("theirs", late, 7, "1.11"), *mine), currency=EUR)
    backwards = charge_lines(rated(*mine[::-1]), currency=EUR)

    assert after.filter(pl.col("team") == "mine").drop("run_count").equals(before.drop("run_count"))
    assert backwards.drop("run_count").equals(before.drop("run_count"))
    assert abs(residue(before)) <= Fraction(1, 200)


@given(st.integers(1, 10**6), st.integers(0, 10**6), st.integers(0, 10**6), st.integers(1, 10**7))
@settings(max_examples=60, deadline=None)
def test_a_late_line_moves_no_cent_of_a_charge_or_its_credits_and_these_never_exceed_it(
    held: int, first: int, second: int, late: int
) -> None:
    given_back = min(first, held)
    parts = [("mine", held, 3, "2.385"), ("mine", -given_back, 3, "2.385"), ("mine", -min(second, held - given_back), 3,
             "2.385")]  # fmt: skip
    kinds = ("allocation", "credit-preempted", "credit-suspended")

    before = charge_lines(rated(*parts, kinds=kinds), currency=EUR)
    after = charge_lines(rated(("theirs", late, 7, "1.11"), *parts, kinds=("allocation", *kinds)), currency=EUR)

    assert after.filter(pl.col("team") == "mine").equals(before)
    assert total_of(before) >= 0
    assert recompute_findings(before, rated(*parts, kinds=kinds), currency=EUR) == []


def test_a_line_that_was_tampered_with_is_found_by_recomputing_it() -> None:
    usage = rated_usage()
    lines = worked_lines()

    tampered = lines.with_columns(
        amount=pl.when(pl.col("amount") == Decimal("0.95")).then(pl.lit(Decimal("0.96"))).otherwise("amount").cast(
            TEAM_CHARGES.schema["amount"]
        )
    )  # fmt: skip

    assert recompute_findings(lines, usage, currency=EUR) == []
    (finding,) = recompute_findings(tampered, usage, currency=EUR)
    assert "amount 0.9600 EUR, quantity x price says 0.95, off by 0.0100" in finding


def test_a_line_that_is_missing_is_found_from_both_sides() -> None:
    usage = rated_usage()
    lines = worked_lines().filter(pl.col("team") != "unattributed")

    findings = [*recompute_findings(lines, usage, currency=EUR), *completeness_findings(lines, usage)]

    lost, missing = findings
    assert "unattributed, slurm-a, a100-sxm4-80gb, standard, allocation (7200 seconds) stands on no line" in lost
    assert missing.startswith(
        "a100-sxm4-80gb: 468000 GPU-seconds were held, 460800 stand on lines, 7200 are missing: price it, or"
    )


def test_two_prices_for_one_line_are_our_own_fault_and_raise() -> None:
    with pytest.raises(ValueError, match="two prices"):
        charge_lines(rated(("a", 1, 1, "1"), ("a", 1, 1, "2")), currency=EUR)


def test_a_line_id_stays_the_same_in_every_computation() -> None:
    lines = charge_lines(rated(("Vision", 3600, 1, "2.385")), currency=EUR)

    assert lines["line_id"].to_list() == ["GPU-2026-03-vision-80156baa"]
