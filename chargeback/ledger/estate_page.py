"""The month of the whole estate on one page, for finance: every team, the total, the residue, the conservation line.

Not here: a team's own page (statement_page.py).
"""

from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction

from chargeback.contracts.capacity import STATES
from chargeback.contracts.names import UNATTRIBUTED
from chargeback.ledger.plain_numbers import grouped
from chargeback.ledger.recovery_chart import chart_of_recovery
from chargeback.ledger.statement_document import PARALLEL, Document, read_document
from chargeback.ledger.statement_page import templates
from chargeback.ledger.waste_parts import WASTE_ROWS

STATE_NAMES = {
    "held": "held",
    "out_of_service_planned": "out of service, planned",
    "out_of_service_unplanned": "out of service, unplanned",
    "reserved_unused": "reserved, unused",
    "blocked": "blocked",
    "unknown": "count unknown",
    "unallocated": "unallocated",
}


def render_summary(documents: Sequence[str], *, month: str, recovery: Document | None = None) -> bytes:
    """One self-contained HTML page from all statement documents of a month, in any order; equal input, equal bytes.

    `recovery`: the month's recovery_report, shown as a part of its own.

    Raises: ValueError where the teams' totals do not add up to the estate's: our own fault.
    """
    statements = sorted((read_document(document) for document in documents), key=_in_order)
    total = sum((Decimal(statement["total"]) for statement in statements), Decimal(0))
    if statements and total != Decimal(statements[0]["estate"]["total"]):
        raise ValueError(f"{month}: teams add up to {total}, the estate to {statements[0]['estate']['total']}")
    page = templates().get_template("estate.html.jinja").render(
        month=month,
        statements=statements,
        first=statements[0] if statements else None,
        is_parallel=not statements or statements[0]["mode"] == PARALLEL,
        states=[state for state in STATES if _occurs(statements, state)],
        state_names=STATE_NAMES,
        unattributed=UNATTRIBUTED,
        by_centre=_by_centre(statements),
        largest_losses=_largest_losses(statements),
        r=recovery,
        recovery_chart=chart_of_recovery(recovery) if recovery else "",
    )  # fmt: skip
    return page.encode()


def _in_order(statement: Document) -> tuple[bool, Decimal, str]:
    """Largest total first, the suspense last."""
    return statement["team"] == UNATTRIBUTED, -Decimal(statement["total"]), statement["team"]


def _occurs(statements: Sequence[Document], state: str) -> bool:
    """Whether a column for that state says anything; held and unallocated always do."""
    rows = statements[0]["estate"]["conservation"] if statements else []
    return state in ("held", "unallocated") or any(row[state] != "0" for row in rows)


def _largest_losses(statements: Sequence[Document]) -> list[Document]:
    """Of all teams: each document lists its own largest, so the largest of these are the estate's."""
    rows = [row for statement in statements for row in statement["waste"]["rows"]]
    return sorted(
        rows, key=lambda row: (-Fraction(row["gpu_seconds"]), row["team"], row["workload_name"], row["kind"])
    )[:WASTE_ROWS]


def _by_centre(statements: Sequence[Document]) -> dict[str, str]:
    """Team -> its cost centres with their amounts, as a line of text."""
    return {
        statement["team"]: ", ".join(
            f"{centre}: {grouped(amount)}"
            for centre, amount in sorted(statement["cost_centre_totals"].items())
            if centre
        )
        for statement in statements
    }
