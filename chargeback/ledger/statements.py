"""Statements: one document per team and month, holding everything that a page prints. Not here: pages."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import asdict
from decimal import Decimal
from fractions import Fraction
from typing import Any

import polars as pl

from chargeback.contracts.names import PLATFORM_OPERATIONS, UNATTRIBUTED, slug_of
from chargeback.contracts.statements import STATEMENTS
from chargeback.ledger.capacity_totals import COLUMNS
from chargeback.ledger.charges import residue, total_of
from chargeback.ledger.credit_parts import credit_parts
from chargeback.ledger.estate_operations import operations_parts, without_operations
from chargeback.ledger.exceptions import QUOTA, UNHELD, exception_parts
from chargeback.ledger.month_change import month_change
from chargeback.ledger.node_sizes import NODE_SIZES, with_node_sizes
from chargeback.ledger.plain_numbers import decimal_text, hours_text, plain_amount
from chargeback.ledger.statement_document import (
    FORMAT,
    CardMark,
    Coverage,
    Document,
    accelerator_name,
    canonical_json,
    month_before,
    statement_id_of,
)
from chargeback.ledger.statement_parts import (
    LARGEST_ITEMS,
    cost_centre_totals,
    day_parts,
    job_parts,
    line_hours,
    line_parts,
    not_charged_parts,
    texts,
    user_parts,
)
from chargeback.ledger.suspense_parts import suspense_parts
from chargeback.ledger.usage_sums import held_by, total
from chargeback.ledger.utilisation import held_parts, state_days, utilisation_parts
from chargeback.ledger.waste_parts import WASTE_ROWS, waste_parts
from chargeback.money import Currency

SUSPENSE_ACCOUNTS = {False: 5, True: 500}
"""Accounts that a statement lists at most: a team's, and the suspense's own."""

EXCEPTION_ROWS = 20


def statement_rows(
    lines: pl.DataFrame,
    rated: pl.DataFrame,
    uncharged: pl.DataFrame,
    capacity_totals: pl.DataFrame,
    coverage: Coverage,
    previous_lines: pl.DataFrame | None,
    *,
    month: str,
    mode: str,
    currency: Currency,
    card: CardMark | None,
    policies: Mapping[str, str],
    contact: str,
    appendix_jobs: int = 200,
    sizes: pl.DataFrame | None = None,
    unheld: pl.DataFrame | None = None,
    quota: pl.DataFrame | None = None,
) -> pl.DataFrame:
    """contracts.statements of a month, in order of team; `unattributed` has one of its own, for whoever must clear it.

    Input:   contracts.team_charges and rated_usage of the month; uncharged runs (team, cluster, job_id, reason,
             wall_seconds); capacity totals; what was read; last month's team_charges (None: there is no statement for
             it); policies as they are printed; `contact` answers disputes. `mode` is parallel or enforced. `sizes`:
             node_sizes of the month's days; `unheld`: unheld_activity of them; `quota`: exceptions.QUOTA of them.
    Output:  a row for every team that held, or would have borne, anything; total_amount is the sum of its rounded
             lines. What the platform itself ran stands in the estate's part only.
    """
    sized = with_node_sizes(rated, pl.DataFrame(schema=NODE_SIZES) if sizes is None else sizes)
    common = {
        **_circumstances(coverage, card, policies),
        "month": month,
        "mode": mode,
        "currency": currency.code,
        "contact": contact,
        "estate": {
            **_estate(lines, sized, uncharged, capacity_totals, currency=currency),
            "exceptions": exception_parts(
                pl.DataFrame(schema=UNHELD) if unheld is None else unheld,
                pl.DataFrame(schema=QUOTA) if quota is None else quota,
                limit=EXCEPTION_ROWS,
            ),
        },
    }
    charged, used, left_out = (_by_team(frame) for frame in (lines, without_operations(sized), uncharged))
    suspense = used.get(UNATTRIBUTED, sized.clear())
    rows = []
    for team in sorted(team for team in {*charged, *used, *left_out} if slug_of(team) != PLATFORM_OPERATIONS):
        mine = charged.get(team, lines.clear())
        usage = used.get(team, sized.clear())
        document = {
            **common,
            **_of_team(team, mine, usage, currency=currency, appendix_jobs=appendix_jobs),
            "change": _change(team, mine, previous_lines, month=month, currency=currency),
            "not_charged": not_charged_parts(usage, left_out.get(team, uncharged.clear())),
            "suspense": _suspense(team, suspense, month=month, policies=policies),
        }
        rows.append(_row(team, mine, document, month=month, currency=currency))
    return pl.DataFrame(rows, schema=STATEMENTS.schema, orient="row").sort("team")


def _suspense(team: str, unattributed: pl.DataFrame, *, month: str, policies: Mapping[str, str]) -> Document:
    limit = SUSPENSE_ACCOUNTS[team == UNATTRIBUTED]
    return suspense_parts(unattributed, month=month, policies=policies, limit=limit)


def statement_findings(statements: pl.DataFrame, lines: pl.DataFrame) -> list[str]:
    """Say for which teams the statement's total, its own lines and team_charges differ."""
    charged: dict[str, Decimal] = defaultdict(Decimal)
    for team, amount in lines.select("team", "amount").iter_rows():
        charged[team] += amount
    stated = defaultdict(Decimal, statements.select("team", "total_amount").iter_rows())
    return [
        f"team {team}: the statement says {stated[team]:f}, its lines add up to {charged[team]:f}: "
        "materialise statements again"
        for team in sorted(set(charged) | set(stated))
        if stated[team] != charged[team]
    ]


def _circumstances(coverage: Coverage, card: CardMark | None, policies: Mapping[str, str]) -> Document:
    return {
        "format": FORMAT,
        "coverage": asdict(coverage),
        "card": asdict(card) if card else None,
        "policies": dict(policies),
    }


def _by_team(frame: pl.DataFrame) -> dict[str, pl.DataFrame]:
    return {str(team): rows for (team,), rows in frame.partition_by("team", as_dict=True).items()}


def _row(team: str, lines: pl.DataFrame, document: Document, *, month: str, currency: Currency) -> dict[str, Any]:
    statement_id = statement_id_of(month, team)
    return {
        "month": month,
        "team": team,
        "statement_id": statement_id,
        "total_amount": total_of(lines),
        "currency": currency.code,
        "line_count": len(lines),
        "document": canonical_json({**document, "statement_id": statement_id}),
    }


def _of_team(
    team: str, lines: pl.DataFrame, rated: pl.DataFrame, *, currency: Currency, appendix_jobs: int
) -> Document:
    jobs = job_parts(rated, limit=max(appendix_jobs, LARGEST_ITEMS))
    return {
        "team": team,
        "cost_centres": texts(lines["cost_centre"]),
        "cost_centre_totals": cost_centre_totals(lines, currency=currency),
        "projects": texts(lines["project"]),
        "total": plain_amount(total_of(lines), currency),
        "lines": line_parts(lines, currency=currency),
        "credits": credit_parts(rated, lines, currency=currency),
        "line_hours": line_hours(lines),
        "running_count": int(lines["running_count"].sum()),
        "held": held_parts(rated),
        "utilisation": utilisation_parts(rated),
        "waste": waste_parts(rated, limit=WASTE_ROWS, cost_decimals=currency.minor_units),
        "days": day_parts(rated),
        "state_days": state_days(rated),
        "largest": [
            {**job, "about": decimal_text(Fraction(job["exact_cost"]), decimals=currency.minor_units)}
            for job in jobs["rows"][:LARGEST_ITEMS]
        ],
        "users": user_parts(rated),
        "jobs": jobs,
    }


def _change(
    team: str, lines: pl.DataFrame, previous_lines: pl.DataFrame | None, *, month: str, currency: Currency
) -> Document:
    previous_month = month_before(month)
    if previous_lines is None:
        return {"previous_month": previous_month, "has_previous": False}
    change = month_change(lines, previous_lines.filter(pl.col("team") == team), currency=currency)
    amounts = {name: plain_amount(amount, currency) for name, amount in asdict(change).items()}
    return {"previous_month": previous_month, "has_previous": True, **amounts}


def _estate(
    lines: pl.DataFrame,
    rated: pl.DataFrame,
    uncharged: pl.DataFrame,
    capacity_totals: pl.DataFrame,
    *,
    currency: Currency,
) -> Document:
    left = residue(lines)
    return {
        "total": plain_amount(total_of(lines), currency),
        "credits": credit_parts(rated, lines, currency=currency, limit=0),
        "held_hours": hours_text(total(held_by(rated, "team")).gpu_seconds),
        "held": held_parts(rated),
        "utilisation": utilisation_parts(rated),
        "residue": str(left),
        "residue_shown": decimal_text(left, decimals=7),
        "operations": operations_parts(rated),
        "not_charged": not_charged_parts(
            without_operations(rated), uncharged.unique(("cluster", "run", "reason"), maintain_order=True)
        ),
        "conservation": [
            {
                "accelerator": row["accelerator"],
                "name": accelerator_name(row["accelerator"]),
                **{state: row[state] for state in COLUMNS},
                **{f"{state}_hours": hours_text(Fraction(row[state])) for state in COLUMNS},
            }
            for row in capacity_totals.iter_rows(named=True)
        ],
    }
