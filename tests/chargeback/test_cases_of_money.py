"""Cases that other tools got wrong, on money and on what nobody held: right through our own rules."""

import io
from decimal import Decimal
from fractions import Fraction
from zoneinfo import ZoneInfo

import polars as pl
import pytest

from chargeback.attribution.conservation import capacity_states_add_up, double_booked
from chargeback.contracts.focus_cost_and_usage import FOCUS_COST
from chargeback.ledger.capacity_totals import capacity_totals
from chargeback.ledger.focus_files import parts_of, projected, render_focus
from chargeback.ledger.focus_findings import row_findings
from chargeback.ledger.focus_rows import costs_by_invoice
from chargeback.money import Currency, exact_amount_of, split_amount
from tests.chargeback.ledger.focus_month import focus_month
from tests.slurm_estate import DayTables, SlurmEstate
from tests.tables import CASES, instant

UTC = ZoneInfo("UTC")
EUR = Currency("EUR")
G4DN_PER_HOUR = Decimal("0.526")


def estate_of(case: str, *, extracted: str) -> SlurmEstate:
    at = instant(extracted)
    files = {"slurm/sacct": "sacct.psv", "slurm/nodes": "nodes.txt"}
    objects = [(source, at, (CASES / case / name).read_bytes()) for source, name in files.items()]
    return SlurmEstate(objects, UTC, UTC, {}, "c1")


def third_of_july(case: str) -> DayTables:
    return estate_of(case, extracted="2026-07-04T02:00Z").day("2026-07-03")


def gpu_hours(holds: pl.DataFrame) -> Fraction:
    """Physical GPU-hours that were held."""
    return sum(
        (
            Fraction(row["device_count"] * row["share_units"], row["units_per_gpu"])
            * Fraction(int((row["held_until"] - row["held_from"]).total_seconds()), 3600)
            for row in holds.iter_rows(named=True)
        ),
        Fraction(0),
    )


def test_f04_two_part_invoices_in_whole_units_add_up_to_the_total() -> None:
    halves = {"a": Fraction("50.05"), "b": Fraction("49.95")}

    assert split_amount(Decimal(1001), weights=halves, currency=Currency("JPY")) == {"a": 501, "b": 500}


def test_f06_what_nobody_held_of_two_models_is_split_within_each_and_neither_lost_nor_doubled() -> None:
    costs = pl.read_csv(CASES / "F06" / "unalloc.csv", infer_schema=False)
    usage = pl.read_csv(CASES / "F06" / "usage.csv", infer_schema=False)

    shares: dict[str, Decimal] = {}
    for model, cost in costs.select("model", "cost").iter_rows():
        weights = {name: Fraction(hours) for name, hours in usage.filter(model=model).select(
            "namespace", "slice_hours").iter_rows()}  # fmt: skip
        for namespace, part in split_amount(Decimal(cost), weights=weights, currency=EUR).items():
            shares[namespace] = shares.get(namespace, Decimal(0)) + part

    assert shares == {"ns1": Decimal("45.00"), "ns2": Decimal("55.00")}


def test_f08_what_still_runs_is_counted_to_the_end_of_the_window_and_not_to_the_moment_of_the_report() -> None:
    estate = estate_of("F08", extracted="2015-12-03T00:00Z")

    held = {
        f"{month}-{day:02d}": gpu_hours(estate.day(f"{month}-{day:02d}").holds)
        for month, days in (("2015-11", range(24, 31)), ("2015-12", range(1, 4)))
        for day in days
    }

    assert held["2015-11-24"] == 0
    assert held["2015-11-25"] == 48
    assert sum(hours for day, hours in held.items() if day < "2015-12") == 288
    assert sum(hours for day, hours in held.items() if day >= "2015-12") == 96


def test_f09_small_and_round_amounts_are_plain_decimals_in_the_file() -> None:
    costs = pl.Series([Decimal("1.5E-7"), Decimal("1e3")], dtype=FOCUS_COST)
    usage = focus_month().filter(ChargeCategory="Usage").head(2).with_columns(BilledCost=costs)

    read = pl.read_csv(io.BytesIO(render_focus(next(iter(parts_of(usage.lazy()))), "csv")), infer_schema=False)

    assert sorted(read["BilledCost"]) == ["0.00000015", "1000"]


def test_f09_rows_of_usage_alone_without_a_commitment_are_valid() -> None:
    usage = focus_month().filter(ChargeCategory="Usage")

    assert not [name for name in projected(usage.lazy(), version="1.3").collect().columns if "Commitment" in name]
    assert row_findings(usage.lazy()) == []


def test_k20_a_cluster_without_gpus_has_no_gpu_line_and_no_capacity() -> None:
    tables = third_of_july("K20")

    assert tables.holds.is_empty()
    assert capacity_totals(tables.capacity.lazy()).is_empty()


def test_k21_an_allocation_beyond_capacity_leaves_nothing_idle_and_is_found_with_the_runs_that_overlap() -> None:
    tables = third_of_july("K21")

    nine = tables.capacity.filter(host="gpu02").row(9, named=True)
    assert (nine["held_unit_seconds"], nine["unallocated_unit_seconds"]) == (8 * 3600, 0)
    assert nine["double_booked_unit_seconds"] == 3600
    assert min(tables.capacity[f"{state}_unit_seconds"].min() for state in ("held", "unallocated", "blocked")) == 0
    assert capacity_states_add_up(tables.capacity).is_empty()
    ((key, _, observed),) = double_booked(tables.capacity, tables.holds).iter_rows()
    assert key.startswith("2026-07-03T09:00:00Z gpu02")
    assert observed == "32400 unit-seconds, held by 1@2026-07-03T09:00:00Z, 2@2026-07-03T09:00:00Z"


def test_k23_what_two_halves_of_a_gpu_cost_and_what_was_idle_add_up_to_the_machine() -> None:
    tables = third_of_july("K23")

    nine = tables.capacity.filter(host="g4dn").row(9, named=True)
    states = {state: Fraction(nine[f"{state}_unit_seconds"], nine["units_per_gpu"]) for state in (
        "held", "unallocated", "blocked")}  # fmt: skip
    by_run = [exact_amount_of(gpu_hours(of) * 3600, price_per_gpu_hour=G4DN_PER_HOUR) for of in
              tables.holds.partition_by("run")]  # fmt: skip
    by_state = {of: exact_amount_of(seconds, price_per_gpu_hour=G4DN_PER_HOUR) for of, seconds in states.items()}

    assert sum(by_run) == by_state["held"] == Fraction("0.3945")
    assert sum(by_state.values()) == Fraction("0.526")


def summed(*amounts: str, times: int = 1, invoices: int = 1) -> dict[str, Decimal]:
    """What costs add up to per invoice, which rows take in turns."""
    costs = [Decimal(amount) for amount in amounts] * times
    named = [str(row % invoices) for row in range(len(costs))]
    frame = pl.DataFrame({"InvoiceId": named, "BilledCost": costs}, schema_overrides={"BilledCost": FOCUS_COST})
    return costs_by_invoice(frame.lazy(), "BilledCost")


@pytest.mark.parametrize("rows", [999, 1_000, 100_000])
def test_p06_costs_of_three_invoices_are_whole_cents_at_any_number_of_rows(rows: int) -> None:
    sums = summed("0.01", times=rows, invoices=3)

    assert sums == {str(at): Decimal(len(range(at, rows, 3))) / 100 for at in range(3)}


def test_p07_a_sum_of_costs_is_wider_than_each_of_them() -> None:
    assert summed("99999.99", "99999.99", "1.00") == {"0": Decimal("200000.98")}


def test_p08_twelve_dimes_on_an_invoice_are_one_twenty() -> None:
    assert summed("0.1", times=12) == {"0": Decimal("1.2")}
