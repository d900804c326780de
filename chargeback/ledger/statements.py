"""Statements: one document per team and month, holding everything that a page prints. Not here: pages."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import asdict
from decimal import Decimal
from fractions import Fraction
from typing import Any

import polars as pl

from chargeback.contracts.corrections import CORRECTIONS
from chargeback.contracts.names import PLATFORM_OPERATIONS, UNATTRIBUTED, slug_of
from chargeback.contracts.statements import STATEMENTS
from chargeback.ledger.charges import total_of
from chargeback.ledger.correction_parts import corrected_change, corrected_document
from chargeback.ledger.corrections import booked_total
from chargeback.ledger.credit_parts import credit_parts
from chargeback.ledger.estate_document import estate_document, exceptions_of_estate
from chargeback.ledger.estate_operations import without_operations
from chargeback.ledger.held_entries import PostingTerms
from chargeback.ledger.held_parts import held_document
from chargeback.ledger.month_change import month_change
from chargeback.ledger.node_sizes import NODE_SIZES, with_node_sizes
from chargeback.ledger.plain_numbers import decimal_text, plain_amount
from chargeback.ledger.statement_document import (
    FORMAT,
    CardMark,
    Coverage,
    Document,
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
from chargeback.ledger.suspense_parts import SUSPENSE_COLUMNS, suspense_parts
from chargeback.ledger.team_usage import ROWS_AT_ONCE, rows_of, usage_by_team
from chargeback.ledger.utilisation import held_parts, state_days, utilisation_parts
from chargeback.ledger.waste_parts import WASTE_ROWS, waste_parts
from chargeback.money import Currency

SUSPENSE_ACCOUNTS = {False: 5, True: 500}
"""Accounts that a statement lists at most: a team's, and the suspense's own."""

NO_CORRECTIONS = CORRECTIONS.empty()
NO_TERMS = PostingTerms("")


def statement_rows(
    lines: pl.DataFrame,
    rated: pl.DataFrame | pl.LazyFrame,
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
    corrections: pl.DataFrame = NO_CORRECTIONS,
    previous_corrections: pl.DataFrame = NO_CORRECTIONS,
    terms: PostingTerms = NO_TERMS,
    rows_at_once: int = ROWS_AT_ONCE,
) -> pl.DataFrame:
    """contracts.statements of a month, in order of team; `unattributed` has one of its own, for whoever must clear it.

    Input:   contracts.team_charges and rated_usage of the month, the latter summed as a stream and read by teams,
             `rows_at_once` as a rule; uncharged runs (team, cluster, job_id, reason, wall_seconds); capacity totals;
             what was read; last month's team_charges (None: there is no statement for it); policies as they are
             printed; `contact` answers disputes. `mode` is parallel or enforced. `sizes`: node_sizes of the month's
             days; `unheld`: unheld_activity of them; `quota`: exceptions.QUOTA of them; `corrections`:
             contracts.corrections that the month books, and that the month before did; `terms` of posting.
    Output:  a row for every team that held, would have borne, or is corrected; total: rounded lines and corrections.
             What the platform itself ran stands in the estate's part only.
    """
    corrected, corrected_before = _by_team(corrections), _by_team(previous_corrections)
    sized = with_node_sizes(rated.lazy(), pl.DataFrame(schema=NODE_SIZES) if sizes is None else sizes)
    estate = estate_document(lines, sized, uncharged, capacity_totals, corrections, currency=currency)
    estate = held_document(estate, lines, corrections, terms, currency)
    estate = {**estate, "exceptions": exceptions_of_estate(unheld, quota)}
    of_month = {"month": month, "mode": mode, "currency": currency.code, "estate": estate}
    common = {**_circumstances(coverage, card, policies, contact), **of_month}
    charged, left_out, used = _by_team(lines), _by_team(uncharged), without_operations(sized)
    suspense = _suspense(used, month, policies)
    rows = []
    for team, usage in usage_by_team(used, also={*charged, *left_out, *corrected}, rows_at_once=rows_at_once):
        if slug_of(team) == PLATFORM_OPERATIONS:
            continue
        mine = charged.get(team, lines.clear())
        mended, before = (of.get(team, NO_CORRECTIONS) for of in (corrected, corrected_before))
        change = _change(team, mine, previous_lines, month=month, currency=currency)
        of_team = _of_team(team, mine, usage, currency=currency, appendix_jobs=appendix_jobs)
        document = {
            **common,
            **held_document(corrected_document(of_team, mended, currency), mine, mended, terms, currency),
            "change": corrected_change(change, mended, before, currency),
            "not_charged": not_charged_parts(usage, left_out.get(team, uncharged.clear())),
            "suspense": suspense[team == UNATTRIBUTED],
        }
        rows.append(_row(team, mine, mended, document, month=month, currency=currency))
    return pl.DataFrame(rows, schema=STATEMENTS.schema, orient="row").sort("team")


def statement_findings(statements: pl.DataFrame, lines: pl.DataFrame) -> list[str]:
    """Say for which teams the statement's total and what is charged differ.

    `lines`: team and amount of statement lines and, where the month books any, of corrections.
    """
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


def _circumstances(coverage: Coverage, card: CardMark | None, policies: Mapping[str, str], contact: str) -> Document:
    return {
        "contact": contact,
        "format": FORMAT,
        "coverage": asdict(coverage),
        "card": asdict(card) if card else None,
        "policies": dict(policies),
    }


def _suspense(used: pl.LazyFrame, month: str, policies: Mapping[str, str]) -> dict[bool, Document]:
    """The suspense as its own statement has it (True), and as every other has it."""
    unattributed = rows_of(used.select(SUSPENSE_COLUMNS), [UNATTRIBUTED])
    return {
        is_own: suspense_parts(unattributed, month=month, policies=policies, limit=limit)
        for is_own, limit in SUSPENSE_ACCOUNTS.items()
    }


def _by_team(frame: pl.DataFrame) -> dict[str, pl.DataFrame]:
    return {str(team): rows for (team,), rows in frame.partition_by("team", as_dict=True).items()}


def _row(
    team: str, lines: pl.DataFrame, corrections: pl.DataFrame, document: Document, *, month: str, currency: Currency
) -> dict[str, Any]:
    statement_id = statement_id_of(month, team)
    return {
        "month": month,
        "team": team,
        "statement_id": statement_id,
        "total_amount": total_of(lines) + booked_total(corrections),
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
