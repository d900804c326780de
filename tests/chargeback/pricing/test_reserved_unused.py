"""What a reservation kept and nobody held: its named payer pays it, exactly, and nobody else does."""

from decimal import Decimal
from fractions import Fraction

import polars as pl

from chargeback.contracts.capacity import CAPACITY
from chargeback.contracts.focus_cost_and_usage import FOCUS_COST_AND_USAGE
from chargeback.contracts.rated_usage import RATED_USAGE
from chargeback.contracts.runs import RUNS
from chargeback.ledger.charge_findings import completeness_findings, recompute_findings
from chargeback.ledger.charges import charge_lines
from chargeback.ledger.credit_findings import credit_findings
from chargeback.ledger.focus_rows import focus_rows
from chargeback.ledger.focus_rules import broken_rules
from chargeback.ledger.journal import JournalAccounts, balance_findings, journal_entries, journal_findings
from chargeback.pricing.credits import CreditPolicies, credits_of
from chargeback.pricing.ownership import ownership_of_month, read_ownership
from chargeback.pricing.prices_of_month import prices_of_month
from chargeback.pricing.reserved_unused import rate_reserved_unused, unused_by_reservation
from tests.chargeback.ledger.focus_month import terms
from tests.chargeback.ledger.worked_statements import worked_statements
from tests.chargeback.pricing.test_ownership import HEADER
from tests.chargeback.worked_month import CARD, EUR, MARCH, the_card
from tests.tables import a_table_of

RESERVED_CARD = CARD.replace(
    b"  a100-sxm4-80gb:\n", b"    reserved: {price: 2.00, unit: GPU-hour}\n  a100-sxm4-80gb:\n"
)
PAYER = "slurm-a,reservation,vision-q1,vis-01,Vision,4711,C1,100,2026-03-01,2026-03-11"
ACCOUNTS = JournalAccounts("6400", "4400", "1990", "C1", "9000", credits="Expenses:GPU-Credits")


def capacity(rows: str) -> pl.LazyFrame:
    return a_table_of(
        CAPACITY,
        f"day  host  accelerator  units_per_gpu  reserved_unused_unit_seconds  reserved_unused_by\n{rows.strip()}",
        cluster="slurm-a",
    ).lazy()


def rated(rows: str, *owners: str, card: bytes = RESERVED_CARD) -> pl.DataFrame:
    read, refusals = read_ownership("\n".join([HEADER.strip(), *owners]).encode(), object_key="o.csv")
    assert refusals == []
    return rate_reserved_unused(
        capacity(rows), ownership_of_month(read, period=MARCH), prices_of_month(the_card(card), period=MARCH),
        period=MARCH, currency="EUR",
    )  # fmt: skip


THREE_DAYS = """
    2026-03-09  gpu01  h100-sxm5-80gb  1  28800  {"vision-q1":28800}
    2026-03-09  gpu01  h100-sxm5-80gb  1  28800  {"vision-q1":28800}
    2026-03-10  gpu01  h100-sxm5-80gb  1  5000   {"":1000,"vision-q1":4000}
    2026-03-11  gpu01  h100-sxm5-80gb  1  3600   {"vision-q1":3600}
"""


def test_the_named_payer_pays_at_the_reserved_price_and_what_nobody_is_named_for_is_in_suspense() -> None:
    rows = rated(THREE_DAYS, PAYER)

    lines = charge_lines(rows, currency=EUR)

    assert RATED_USAGE.breaches(rows) == []
    assert lines.select("team", "tier", "kind", "quantity", "gpu_seconds", "price", "amount").sort("team").rows() == [
        ("Vision", "reserved", "reserved-unused", "61600", "0", Decimal("2.00"), Decimal("34.22")),
        ("unattributed", "reserved", "reserved-unused", "4600", "0", Decimal("2.00"), Decimal("2.56")),
    ]
    assert recompute_findings(lines, rows, currency=EUR) == []
    assert completeness_findings(lines, rows) == []


def test_every_reserved_second_is_rated_once_whatever_units_a_gpu_has() -> None:
    rows = unused_by_reservation(
        capacity("""
        2026-03-09  gpu01  h100-sxm5-80gb            1  3600   {"a":3600}
        2026-03-09  gpu01  a100-sxm4-80gb:3g.40gb    7  10800  {"a":10800}
        2026-03-09  gpu01  a100-sxm4-80gb            4  7200   {"a":3600,"b":3600}
    """)
    )

    sums = {
        (row["accelerator"], row["reservation"]): Fraction(row["quantity_numerator"], row["quantity_denominator"])
        for row in rows.iter_rows(named=True)
    }
    assert sums == {
        ("h100-sxm5-80gb", "a"): Fraction(3600),
        ("a100-sxm4-80gb", "a"): Fraction(10800, 7) + 900,
        ("a100-sxm4-80gb", "b"): Fraction(900),
    }


def test_without_a_reserved_price_nothing_else_is_charged_in_its_place() -> None:
    rows = rated(THREE_DAYS, PAYER, card=CARD)

    assert rows["price"].null_count() == len(rows)
    assert charge_lines(rows, currency=EUR).is_empty()


def test_a_suspense_that_is_due_is_borne_by_the_platform_to_the_last_cent_and_the_journal_balances() -> None:
    rows = rated(THREE_DAYS, PAYER)
    due = CreditPolicies(suspense=True)

    given_back = credits_of(rows, RUNS.empty().lazy(), policies=due, period=MARCH)
    together = pl.concat([rows, given_back])
    lines = charge_lines(together, currency=EUR)
    entries = journal_entries(lines, month="2026-03", accounts=ACCOUNTS)

    assert lines.select("team", "kind", "amount").sort("team", "kind").rows() == [
        ("Vision", "reserved-unused", Decimal("34.22")),
        ("unattributed", "credit-suspense", Decimal("-2.56")),
        ("unattributed", "reserved-unused", Decimal("2.56")),
    ]
    assert credit_findings(together) == []
    assert recompute_findings(lines, together, currency=EUR) == []
    assert balance_findings(entries) == journal_findings(entries, lines) == []
    borne = entries.filter(pl.col("kind") == "credit-suspense").select("side", "account", "amount").rows()
    assert borne == [("credit", "1990", Decimal("2.56")), ("debit", "Expenses:GPU-Credits", Decimal("2.56"))]


def test_what_several_reservations_had_at_once_names_none_of_them() -> None:
    named = rated(THREE_DAYS, PAYER).select("run", "reservation").unique().sort("run").rows()

    assert named == [
        ("reservation/several reservations at once", None), ("reservation/vision-q1", "vision-q1"),
    ]  # fmt: skip


def test_what_is_forgiven_of_a_reservation_is_of_what_it_left_unused() -> None:
    rows = rated(THREE_DAYS, PAYER)
    together = pl.concat([rows, credits_of(rows, RUNS.empty().lazy(), policies=CreditPolicies(suspense=True),
                                           period=MARCH)])  # fmt: skip
    lines = charge_lines(together, currency=EUR)
    statements = worked_statements(rated=together, lines=lines)

    found = focus_rows(
        together, lines, prices_of_month(the_card(RESERVED_CARD), period=MARCH), statements, terms=terms()
    )

    contra = found.filter(ChargeCategory="Credit")
    assert set(contra["CapacityReservationStatus"]) == {"Unused"}
    assert set(contra["ResourceType"]) == {"Reservation"}


def test_in_focus_it_is_usage_of_a_reservation_and_every_invoice_ties() -> None:
    rows = rated(THREE_DAYS, PAYER)
    lines = charge_lines(rows, currency=EUR)
    statements = worked_statements(rated=rows, lines=lines)

    found = focus_rows(rows, lines, prices_of_month(the_card(RESERVED_CARD), period=MARCH), statements, terms=terms())

    usage = found.filter(pl.col("ChargeCategory") == "Usage")
    assert set(usage["ResourceType"]) == {"Reservation"}
    assert set(usage["CapacityReservationStatus"]) == {"Unused"}
    assert "slurm/slurm-a/reservation/vision-q1" in usage["ResourceId"].to_list()
    assert usage["CapacityReservationId"].to_list() == usage["ResourceId"].to_list()
    assert set(usage.filter(SubAccountName="Vision")["x_AttributionMethod"]) == {"reservation"}
    assert set(usage.filter(SubAccountName="unattributed")["x_AttributionMethod"]) == {"unattributed"}
    assert FOCUS_COST_AND_USAGE.breaches(found) == []
    assert [rule for rule, breaks in broken_rules().items() if len(found.filter(breaks))] == []
    assert sum(found["BilledCost"]) == sum(lines["amount"])
