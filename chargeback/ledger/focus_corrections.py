"""FOCUS Correction rows: differences of lines of closed months, booked in an open one. Not here: how it is found.

A correction names the line and the month that it corrects. A change inside a month that is still open is no correction:
the month is computed again, and ChargeClass stays null.
"""

import polars as pl

from chargeback.contracts.contract import MONEY
from chargeback.contracts.focus_cost_and_usage import FOCUS_COST
from chargeback.contracts.names import slug_of
from chargeback.ledger.corrections import booked_of
from chargeback.ledger.focus_terms import FocusTerms
from chargeback.ledger.focus_usage import charge_category, in_contract

CORRECTED = {
    "line_id": pl.String(),
    "corrects_month": pl.String(),
    "amount": MONEY,
    "reason": pl.String(),
    "team": pl.String(),
    "cost_centre": pl.String(),
    "project": pl.String(),
    "company": pl.String(),
    "cluster": pl.String(),
    "accelerator": pl.String(),
    "tier": pl.String(),
    "kind": pl.String(),
}
"""One row per line and closed month that is corrected; `kind` is the line's, `amount` the rounded difference, negative
if given back."""


def booked_for_focus(corrections: pl.DataFrame) -> pl.DataFrame:
    """CORRECTED of contracts.corrections: what the month books; what accumulates is on no invoice."""
    return booked_of(corrections).select(*CORRECTED)


def correction_rows(corrections: pl.DataFrame, statements: pl.DataFrame, *, terms: FocusTerms) -> pl.DataFrame:
    """The rows of contracts.focus_cost_and_usage that correct closed months, unsorted.

    Input:   CORRECTED that this month books; contracts.statements of this month, whose totals hold them.
    Output:  rows of ChargeClass Correction without quantity or unit price, their four costs the difference: Usage, or
             Credit where the line forgives, above zero if less of it is forgiven now.
    Raises:  ValueError for a correction of this month or a later one, for one without a reason, and for a team that
             has no statement to stand in.
    Source:  design.md 5.9; FOCUS 1.3, ChargeClass.
    """
    _refuse(corrections, statements, terms)
    slugs = {team: slug_of(team) for team in corrections["team"].unique()}
    cost = pl.col("amount").cast(FOCUS_COST)
    rows = (
        corrections.join(statements.select("team", InvoiceId="statement_id"), on="team", how="left", validate="m:1")
        .join(terms.clusters(), on="cluster", how="left", validate="m:1")
        .with_columns(**terms.in_every_row(), x_WouldBeBilledCost=cost, ListCost=cost, ContractedCost=cost)
        .with_columns(BilledCost=terms.billed("x_WouldBeBilledCost", FOCUS_COST))
    )
    return in_contract(
        rows.with_columns(
            AvailabilityZone=pl.col("cluster"),
            ChargeCategory=charge_category(),
            ChargeClass=pl.lit("Correction"),
            ChargeDescription=pl.concat_str(pl.lit("correction of "), "line_id", pl.lit(": "), "reason"),
            ChargeFrequency=pl.lit("One-Time"),
            ChargePeriodStart=pl.col("BillingPeriodStart"),
            ChargePeriodEnd=pl.col("BillingPeriodEnd"),
            EffectiveCost=pl.col("BilledCost"),
            PricingCategory=pl.lit("Standard"),
            ServiceName=pl.coalesce("ServiceName", pl.lit("GPU compute")),
            SkuId=pl.col("accelerator"),
            SkuPriceDetails=pl.struct(x_Tier="tier").struct.json_encode(),
            SubAccountId=pl.col("team").replace_strict(slugs, return_dtype=pl.String),
            SubAccountName=pl.col("team"),
            x_Company=pl.col("company"),
            x_CorrectionReason=pl.col("reason"),
            x_CorrectsLineId=pl.col("line_id"),
            x_CorrectsMonth=pl.col("corrects_month"),
            x_CostCentre=pl.col("cost_centre"),
            x_Project=pl.col("project"),
        )
    )


def _refuse(corrections: pl.DataFrame, statements: pl.DataFrame, terms: FocusTerms) -> None:
    stated = set(statements["team"])
    for row in corrections.iter_rows(named=True):
        what = f"correction of {row['line_id']} in {terms.period.month}"
        if row["corrects_month"] >= terms.period.month:
            raise ValueError(f"{what}: it corrects {row['corrects_month']}, which is not before it: bill that month")
        if not row["reason"]:
            raise ValueError(f"{what}: has no reason: say why the closed month changes")
        if row["team"] not in stated:
            raise ValueError(f"{what}: team {row['team']!r} has no statement to stand in: materialise statements")
