"""FOCUS rows: exact usage, splits that add up, corrections, and invoices that tie to the cent whatever the month."""

import json
from decimal import Decimal
from fractions import Fraction

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chargeback.contracts.focus_billing_period import FOCUS_BILLING_PERIOD
from chargeback.contracts.focus_cost_and_usage import FOCUS_COST, FOCUS_COST_AND_USAGE
from chargeback.contracts.focus_invoice_detail import FOCUS_INVOICE_DETAIL
from chargeback.contracts.names import ALLOCATION
from chargeback.ledger.charges import charge_lines
from chargeback.ledger.focus_corrections import CORRECTED
from chargeback.ledger.focus_findings import row_findings
from chargeback.ledger.focus_invoices import billing_period, invoice_details
from chargeback.ledger.focus_numbers import cost_of, hours_of
from chargeback.ledger.focus_rows import costs_by_invoice, exact_difference, focus_rows
from chargeback.ledger.statement_document import statement_id_of
from chargeback.pricing.credits import CreditPolicies
from chargeback.pricing.prices_of_month import prices_of_month
from tests.chargeback.ledger.focus_month import focus_month, terms
from tests.chargeback.ledger.worked_statements import worked_statements
from tests.chargeback.worked_month import EUR, MARCH, rated_usage, the_card, worked_lines
from tests.tables import instant

TOTALS = {
    "GPU-2026-03-nlp-r1": Decimal("1196.15"),
    "GPU-2026-03-robotics-r1": Decimal("51.98"),
    "GPU-2026-03-vision-r1": Decimal("240.59"),
    "GPU-2026-03-unattributed-r1": Decimal("2.20"),
}


def corrections(*rows: tuple[str, str, str, str, str]) -> pl.DataFrame:
    """Corrections from (line, month, amount, reason, team)."""
    return pl.DataFrame(
        [(line, month, Decimal(amount), reason, team, "4712", "nlp-02", "C1", "slurm-a", "h100-sxm5-80gb", "standard",
          ALLOCATION)
         for line, month, amount, reason, team in rows],
        schema=CORRECTED, orient="row",
    )  # fmt: skip


LATE = ("GPU-2026-02-nlp-1a2b3c4d", "2026-02", "-12.50", "sacct record landed late", "NLP")


def test_the_worked_months_invoices_tie_to_its_statements() -> None:
    rows = focus_month()

    assert FOCUS_COST_AND_USAGE.breaches(rows) == []
    assert costs_by_invoice(rows.lazy(), "BilledCost") == TOTALS
    assert rows.filter(ChargeCategory="Adjustment")["InvoiceId"].sort().to_list() == sorted(TOTALS)


def test_a_usage_row_is_price_times_hours_to_the_last_digit() -> None:
    row = focus_month().filter(pl.col("x_Run").str.starts_with("107@"), InvoiceId="GPU-2026-03-vision-r1").row(
        0, named=True
    )  # fmt: skip

    # 3,601 s, 60 % of them Vision's: 0.600166666... h at 2.385.
    assert row["PricingQuantity"] == Decimal("0.600166667")
    assert row["ListCost"] == row["ContractedCost"] == row["BilledCost"] == Decimal("1.431397500795")
    assert (row["PricingUnit"], row["SkuMeter"], row["ResourceId"]) == ("GPU-Hours", "GPU hours", "slurm/slurm-a/107")
    assert row["ChargePeriodStart"] == instant("2026-03-06T23:00Z")
    assert row["ChargePeriodEnd"] == instant("2026-03-07T23:00Z")


def test_what_is_forgiven_is_a_credit_that_consumed_nothing_and_the_invoice_still_ties() -> None:
    rows = focus_month(credit_policies=CreditPolicies(platform_fault_cap_hours=24))
    contra = rows.filter(ChargeCategory="Credit")

    assert contra["x_Run"].str.head(4).unique().to_list() == ["104@"]
    assert sum(contra["BilledCost"]) == Decimal("-105.6")
    assert contra["ConsumedQuantity"].null_count() == contra["ConsumedUnit"].null_count() == len(contra)
    assert costs_by_invoice(rows.lazy(), "BilledCost")["GPU-2026-03-vision-r1"] == Decimal("134.99")
    assert row_findings(rows.lazy()) == []
    assert FOCUS_COST_AND_USAGE.breaches(rows) == []


def test_a_job_that_is_forgiven_for_two_reasons_has_a_row_of_each() -> None:
    rows = focus_month(credit_policies=CreditPolicies(platform_fault_cap_hours=6, suspended=True),
                       suspended={"104": 3_600})  # fmt: skip

    contra = rows.filter(ChargeCategory="Credit").sort("ChargeDescription")
    assert contra.select("ChargeDescription", "BilledCost").rows() == [
        ("a100-sxm4-80gb standard credit-platform-fault: job104", Decimal("-52.8")),
        ("a100-sxm4-80gb standard credit-suspended: job104", Decimal("-4.4")),
    ]
    assert FOCUS_COST_AND_USAGE.breaches(rows) == []


def test_an_invoice_line_that_forgives_is_a_credit_as_its_rows_are() -> None:
    rated = rated_usage(credit_policies=CreditPolicies(platform_fault_cap_hours=24))
    lines = charge_lines(rated, currency=EUR)

    details = invoice_details(lines, worked_statements(rated=rated, lines=lines), terms=terms())

    contra = details.filter(pl.col("BilledCost") < 0)
    assert contra.select("ChargeCategory", "BilledCost").rows() == [("Credit", Decimal("-105.60"))]
    assert set(details.filter(pl.col("BilledCost") >= 0)["ChargeCategory"]) == {"Usage"}


def test_a_preemptible_hour_lists_the_standard_price() -> None:
    row = focus_month().filter(pl.col("x_Run").str.starts_with("102@")).row(0, named=True)

    assert row["ListUnitPrice"] == Decimal("2.385")
    assert row["ContractedUnitPrice"] == Decimal("1.68")
    assert row["ListCost"] > row["ContractedCost"]


def test_the_parts_of_a_shared_run_name_their_ratio_and_add_up_to_one() -> None:
    parts = focus_month().filter(pl.col("x_Run").str.starts_with("107@")).sort("AllocatedResourceName")

    read = [json.loads(text)["Elements"][0] for text in parts["AllocatedMethodDetails"]]
    assert sum(Decimal(str(element["AllocatedRatio"])) for element in read) == 1
    assert set(parts["AllocatedMethodId"]) == {"ownership-percent-v1"}
    whole = focus_month().filter(pl.col("x_Run").str.starts_with("101@"))
    assert whole["AllocatedMethodId"].null_count() == len(whole)


def test_a_parallel_month_bills_nothing_and_says_what_it_would() -> None:
    rows = focus_month("parallel")

    assert set(rows["BilledCost"]) == {Decimal(0)}
    assert rows["x_IsShadow"].all()
    assert costs_by_invoice(rows.lazy(), "x_WouldBeBilledCost") == TOTALS


def test_a_correction_names_line_month_and_reason_and_the_invoice_still_ties() -> None:
    stated = worked_statements().with_columns(
        total_amount=pl.when(pl.col("team") == "NLP").then(pl.lit(Decimal("1183.65"))).otherwise("total_amount")
    )
    booked = corrections(LATE)

    rows = focus_rows(rated_usage(), worked_lines(), prices_of_month(the_card(), period=MARCH), stated,
                      terms=terms(), corrections=booked)  # fmt: skip

    row = rows.filter(ChargeClass="Correction").row(0, named=True)
    assert FOCUS_COST_AND_USAGE.breaches(rows) == []
    assert (row["BilledCost"], row["x_CorrectsMonth"], row["x_CorrectionReason"]) == (
        Decimal("-12.50"), "2026-02", "sacct record landed late",
    )  # fmt: skip
    assert row["ConsumedQuantity"] is None
    assert costs_by_invoice(rows.lazy(), "BilledCost")["GPU-2026-03-nlp-r1"] == Decimal("1183.65")
    adjusted = rows.filter(ChargeCategory="Adjustment", InvoiceId="GPU-2026-03-nlp-r1")["BilledCost"][0]
    assert (
        adjusted == focus_month().filter(ChargeCategory="Adjustment", InvoiceId="GPU-2026-03-nlp-r1")["BilledCost"][0]
    )


@pytest.mark.parametrize(("row", "said"), [
    (("l", "2026-03", "1", "late", "NLP"), "which is not before it"),
    (("l", "2026-02", "1", "", "NLP"), "has no reason"),
    (("l", "2026-02", "1", "late", "Nobody"), "has no statement to stand in"),
])  # fmt: skip
def test_a_correction_that_corrects_nothing_closed_or_says_no_reason_is_refused(
    row: tuple[str, str, str, str, str], said: str
) -> None:
    with pytest.raises(ValueError, match=said):
        focus_month(corrections=corrections(row))


def test_invoice_details_are_the_statement_lines_and_a_correction_names_its_invoice() -> None:
    details = invoice_details(worked_lines(), worked_statements(), terms=terms(),
                              corrections=corrections(LATE))  # fmt: skip

    assert FOCUS_INVOICE_DETAIL.breaches(details) == []
    assert len(details) == 12
    corrected = details.filter(pl.col("ReferenceInvoiceId").is_not_null()).row(0, named=True)
    assert corrected["InvoiceDetailId"] == "GPU-2026-02-nlp-1a2b3c4d@2026-02"
    assert corrected["ReferenceInvoiceId"] == "GPU-2026-02-nlp-r1"
    assert set(details["InvoiceIssueStatus"]) == {"Provisional"}
    assert set(details["PaymentTerms"]) == {"Net 30"}
    assert details.filter(InvoiceId="GPU-2026-03-robotics-r1")["BilledCost"].sum() == Decimal("51.98")
    assert set(details["InvoiceDetailId"].head(99)) >= set(focus_month()["x_LineId"]) - {""}


def test_the_billing_period_of_a_month_that_is_computed_is_open() -> None:
    rows = billing_period(terms=terms())

    assert FOCUS_BILLING_PERIOD.breaches(rows) == []
    assert rows["BillingPeriodStatus"].to_list() == ["Open"]
    assert rows["BillingPeriodEnd"].to_list() == [instant("2026-03-31T22:00Z")]


@settings(deadline=None, max_examples=100)
@given(
    quantity=st.fractions(min_value=0, max_value=10**10, max_denominator=10**8),
    price=st.decimals(min_value=0, max_value=10**5, places=12),
)
def test_hours_are_within_half_a_billionth_and_the_cost_is_their_exact_product(
    quantity: Fraction, price: Decimal
) -> None:
    frame = pl.DataFrame(
        {"n": [quantity.numerator], "d": [quantity.denominator], "price": [price]},
        schema={"n": pl.Int64, "d": pl.Int64, "price": pl.Decimal(38, 12)},
    )

    row = frame.with_columns(hours=hours_of(pl.col("n"), pl.col("d"))).with_columns(cost=cost_of("price", "hours"))

    hours, cost = row["hours"][0], row["cost"][0]
    assert abs(Fraction(hours) - quantity / 3600) <= Fraction(1, 2 * 10**9)
    assert Fraction(cost) == Fraction(hours) * Fraction(price)


@settings(deadline=None, max_examples=40)
@given(
    st.lists(
        st.tuples(
            st.sampled_from(["Vision", "NLP"]),
            st.integers(min_value=0, max_value=10**9),
            st.sampled_from([1, 3, 7, 80, 10**8, 2100]),
        ),
        min_size=1,
        max_size=12,
    ),
    st.decimals(min_value=0, max_value=100, places=12),
)
def test_the_invoice_ties_whatever_fractions_of_a_gpu_were_held(
    held: list[tuple[str, int, int]], price: Decimal
) -> None:
    first = rated_usage().filter(part_denominator=1).head(1)
    rated = pl.concat(
        first.with_columns(
            team=pl.lit(team), run=pl.lit(f"{number}@x"), price=pl.lit(price).cast(pl.Decimal(38, 12)),
            quantity_numerator=pl.lit(numerator, pl.Int64), quantity_denominator=pl.lit(denominator, pl.Int64),
        )
        for number, (team, numerator, denominator) in enumerate(held)
    )  # fmt: skip
    lines = charge_lines(rated, currency=EUR)
    stated = lines.group_by("team").agg(pl.col("amount").sum()).select(
        "team", statement_id=pl.col("team").map_elements(lambda team: statement_id_of("2026-03", team), pl.String),
        total_amount="amount",
    )  # fmt: skip

    rows = focus_rows(rated, lines, prices_of_month(the_card(), period=MARCH), stated, terms=terms())

    assert costs_by_invoice(rows.lazy(), "BilledCost") == dict(stated.select("statement_id", "total_amount").rows())


def test_a_difference_keeps_every_digit() -> None:
    large, small = Decimal("99999999999999999.99"), Decimal(1).scaleb(-21)

    assert exact_difference(large, small) == Decimal("99999999999999999.989999999999999999999")
    assert pl.Series([exact_difference(large, small)], dtype=FOCUS_COST).to_list() == [exact_difference(large, small)]
