"""FOCUS rows of a month: exact Usage, corrections, and one Adjustment per invoice that makes it tie to the cent."""

from collections.abc import Mapping
from decimal import Context, Decimal

import polars as pl

from chargeback.contracts.focus_cost_and_usage import FOCUS_COST, FOCUS_COST_AND_USAGE
from chargeback.contracts.names import slug_of
from chargeback.ledger.focus_corrections import CORRECTED, correction_rows
from chargeback.ledger.focus_terms import FocusTerms
from chargeback.ledger.focus_usage import in_contract, usage_rows
from chargeback.ledger.team_usage import ROWS_AT_ONCE, parts_of_teams, rows_of

WIDE = Context(prec=76)
"""Room for every digit of a FOCUS cost."""


def focus_rows(
    rated: pl.DataFrame | pl.LazyFrame,
    lines: pl.DataFrame,
    prices: pl.DataFrame,
    statements: pl.DataFrame,
    *,
    terms: FocusTerms,
    corrections: pl.DataFrame | None = None,
    rows_at_once: int = ROWS_AT_ONCE,
) -> pl.DataFrame:
    """contracts.focus_cost_and_usage of a month, in order of its key.

    Input:   contracts.rated_usage, team_charges, rate_card and statements of the month; CORRECTED that it books. Usage
             is read and put into FOCUS's words in parts of whole teams, `rows_at_once` of it as a rule.
    Output:  per InvoiceId, x_WouldBeBilledCost adds up to the statement's total exactly, and so does BilledCost unless
             the month is a parallel one, in which it is 0 everywhere.
    Source:  docs/decisions/0024; FOCUS 1.3, BilledCost.
    """
    booked = pl.DataFrame(schema=CORRECTED) if corrections is None else corrections
    ids = dict(statements.select("team", "statement_id").iter_rows())
    also = {*ids, *booked["team"]}
    # An invoice is a part's alone and the parts are in order of it: put together, they are in order of the key.
    invoices = [
        _rows_of_teams(
            rows_of(rated, teams),
            lines.filter(pl.col("team").is_in(teams)),
            prices,
            statements.filter(pl.col("team").is_in(teams)),
            terms=terms,
            booked=booked.filter(pl.col("team").is_in(teams)),
        )
        for teams in parts_of_teams(rated, also=also, rows_at_once=rows_at_once, by=ids)
    ]
    return pl.concat(invoices or [FOCUS_COST_AND_USAGE.empty()], rechunk=False)


def _rows_of_teams(
    rated: pl.DataFrame,
    lines: pl.DataFrame,
    prices: pl.DataFrame,
    statements: pl.DataFrame,
    *,
    terms: FocusTerms,
    booked: pl.DataFrame,
) -> pl.DataFrame:
    """The rows of some teams' invoices, in order of the key."""
    exact = pl.concat(
        [
            usage_rows(rated, lines, prices, statements, terms=terms),
            correction_rows(booked, statements, terms=terms),
        ]
    )
    return pl.concat([exact, _adjustments(exact, statements, terms)]).sort(FOCUS_COST_AND_USAGE.key)


def costs_by_invoice(rows: pl.LazyFrame, column: str) -> dict[str, Decimal]:
    """InvoiceId -> the exact sum of a cost column.

    The sum is of polars Decimals of one scale, which is exact within 38 digits: 10^17 of a currency.
    """
    sums = rows.group_by("InvoiceId").agg(pl.col(column).sum()).collect(engine="streaming")
    return dict(sums.iter_rows())


def _adjustments(exact: pl.DataFrame, statements: pl.DataFrame, terms: FocusTerms) -> pl.DataFrame:
    """One row per invoice, of 0 too: what rounding moved between its exact rows and its rounded total."""
    summed = costs_by_invoice(exact.lazy(), "x_WouldBeBilledCost")
    rows = [_adjustment(row, summed) for row in statements.sort("team").iter_rows(named=True)]
    schema = {**dict.fromkeys(("InvoiceId", "SubAccountId", "SubAccountName"), pl.String()), "residue": FOCUS_COST}
    told = pl.DataFrame(rows, schema=schema, orient="row").with_columns(
        **terms.in_every_row(),
        x_WouldBeBilledCost=pl.col("residue"),
        ListCost=pl.col("residue"),
        ContractedCost=pl.col("residue"),
        BilledCost=terms.billed("residue", FOCUS_COST),
    )
    return in_contract(
        told.with_columns(
            ChargeCategory=pl.lit("Adjustment"),
            ChargeDescription=pl.lit("rounding of statement lines to the minor unit"),
            ChargeFrequency=pl.lit("One-Time"),
            ChargePeriodStart=pl.col("BillingPeriodStart"),
            ChargePeriodEnd=pl.col("BillingPeriodEnd"),
            EffectiveCost=pl.col("BilledCost"),
            ServiceName=pl.lit("GPU compute"),
        )
    )


def _adjustment(statement: Mapping[str, str | Decimal], summed: Mapping[str, Decimal]) -> dict[str, str | Decimal]:
    invoice, team, total = str(statement["statement_id"]), str(statement["team"]), statement["total_amount"]
    return {
        "InvoiceId": invoice,
        "SubAccountId": slug_of(team),
        "SubAccountName": team,
        "residue": exact_difference(Decimal(total), summed.get(invoice, Decimal(0))),
    }


def exact_difference(left: Decimal, right: Decimal) -> Decimal:
    """`left - right` in integers: Python's own Decimal difference keeps 28 digits, FOCUS costs have up to 38."""
    scale = FOCUS_COST.scale
    units = int(left.scaleb(scale, WIDE)) - int(right.scaleb(scale, WIDE))
    return Decimal(units).scaleb(-scale, WIDE)
