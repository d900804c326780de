"""A month of one accelerator whose recovery can be followed with a pencil.

Two GPUs, 14.016 a year of software: 1,168 a month... see `CARD`: 12,264 a year over 2 x 8,760 x 70 % = 12,264 hours is
1.00 an hour. A month: 1,022 billable hours of 1,460, planned pool 1,022.00.
"""

from decimal import Decimal
from fractions import Fraction

import polars as pl

from chargeback.billing_period import BillingPeriod
from chargeback.contracts.team_charges import TEAM_CHARGES
from chargeback.ledger.capacity_totals import CAPACITY_TOTALS
from chargeback.ledger.general_ledger import GeneralLedger
from chargeback.ledger.gpu_hour_cost import Use
from chargeback.ledger.recovery import recovery_rows
from chargeback.money import Currency
from chargeback.pricing.planned_costs import planned_costs
from chargeback.pricing.prices_of_month import prices_of_month
from tests.chargeback.pricing.built_cards import card_with
from tests.chargeback.worked_month import AMSTERDAM
from tests.tables import a_table_of

EUR = Currency("EUR")
GPU = "h100-sxm5-80gb"
ENTRY = """\
  h100-sxm5-80gb:
    build_up:
      gpus: 2
      in_service: 2026-01
      life_years: 5
      capital_cost: 0
      support_per_year: 0
      power: {kw_per_gpu: 1, basis: measured, pue: 1, tariff_per_kwh: 0}
      space_per_year: 0
      interconnect_per_year: 0
      storage_per_year: 0
      staff_per_year: 6132
      software_per_year: 6132
      denominator: {share_of_capacity: 70 %, basis: practical capacity}
    standard: {price: 1.0000, unit: GPU-hour}
    preemptible: {discount: 30 %}
"""
CARD = card_with(ENTRY)
MARCH = BillingPeriod("2026-03", AMSTERDAM)
PRICES = prices_of_month(CARD, period=MARCH)
PLANNED = planned_costs(CARD.build_ups)

LINES = """
    line_id  team          tier         kind                   quantity  price  amount   exact_amount  gpu_seconds
    L1       vision        standard     allocation             2160000   1.00   600.00   600           2160000
    L2       nlp           preemptible  allocation             360018    0.70   70.00    70.0035       360018
    L3       unattributed  standard     allocation             360000    1.00   100.00   100           360000
    L4       vision        standard     credit-platform-fault  -36000    1.00   -10.00   -10           0
"""
"""800.005 GPU-hours: 600 + 100.005 (30 % off) + 100, of which 10 hours are forgiven."""


def lines_of(text: str = LINES) -> pl.DataFrame:
    return a_table_of(
        TEAM_CHARGES, text, month="2026-03", accelerator=GPU, currency="EUR", quantity_unit="GPU-second",
        card_version="2026.2", run_count=1, running_count=0,
    )  # fmt: skip


def month_of_recovery(
    lines: pl.DataFrame | None = None, *, ledger: GeneralLedger | None = None, planned: pl.DataFrame = PLANNED,
    unallocated_of: str = GPU,
) -> pl.DataFrame:  # fmt: skip
    """contracts.recovery: 2 GPUs for 743 hours, 20 hours of them down, 800.005 held, half of what was seen active."""
    hours = 3600
    totals = {
        "accelerator": unallocated_of, **dict.fromkeys(list(CAPACITY_TOTALS)[1:], "0"),
        "unallocated": str(600 * hours), "blocked": str(7 * hours),
    }  # fmt: skip
    use = Use(
        available=Fraction(1466 * hours), held=Fraction(2880018), observed=Fraction(1440009), active=Fraction(720000),
        rated=Fraction(2880018),
    )  # fmt: skip
    return recovery_rows(
        lines_of() if lines is None else lines,
        PRICES,
        planned,
        ledger,
        pl.DataFrame([totals], schema=CAPACITY_TOTALS, orient="row"),
        {GPU: {"2026-W10": use}},
        month="2026-03",
        currency=EUR,
    )


def amounts_of(row: dict[str, object]) -> dict[str, Decimal]:
    return {name: value for name, value in row.items() if isinstance(value, Decimal)}
