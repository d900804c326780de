"""Lists of what lost most, by workload or any other grouping, as one document: the terminal, JSON and CSV print it.

Absolute GPU-hours rank, never a percentage. Not here: which rated usage is looked at (orchestration/top.py).
"""

from decimal import Decimal

import polars as pl

from chargeback.ledger.csv_text import render_csv
from chargeback.ledger.exceptions import exception_parts
from chargeback.ledger.statement_document import Document, accelerator_name
from chargeback.ledger.usage_states import all_states, by_loss, states_by
from chargeback.ledger.utilisation import state_texts
from chargeback.ledger.waste import waste_items
from chargeback.ledger.waste_parts import item_texts, waste_parts

GROUPED_BY = {
    "user": ("user", "account", "team"),
    "team": ("team",),
    "class": ("workload_class",),
    "accelerator": ("accelerator",),
    "cluster": ("cluster",),
}
"""What a group is called on the command line -> columns of rated usage."""

WORKLOADS, EXCEPTIONS = "workload", "exceptions"
BY = (WORKLOADS, *GROUPED_BY, EXCEPTIONS)

_WORKLOAD_COLUMNS = (
    "kind", "workload_name", "workload_class", "team", "user", "account", "cluster", "first_day", "last_day", "hours",
    "held_hours", "active_hours", "about", "run_count", "gpus_never_active", "gpus_measured", "is_estimate", "do_first",
)  # fmt: skip
_GROUP_COLUMNS = (
    "name", "hours", "node_hours", "active_hours", "consumed_hours", "busy_hours", "starved_hours", "idle_hours",
    "unmeasured_hours", "after_end_hours", "never_ran_hours", "lost_hours", "coverage_per_cent",
)  # fmt: skip
_EXCEPTION_COLUMNS = (
    "kind", "cluster", "where", "what", "name", "first_day", "last_day", "detail", "hours", "do_first",
)  # fmt: skip


def top_workloads(rated: pl.DataFrame, *, limit: int, cost_decimals: int) -> Document:
    """The workloads that lost most; what nobody measured and GPUs that never worked are lists of their own."""
    return {
        **_circumstances(rated),
        **waste_parts(rated, limit=limit, cost_decimals=cost_decimals),
        "rows": [item_texts(item, cost_decimals=cost_decimals) for item in waste_items(rated, limit=limit)],
    }


def top_groups(rated: pl.DataFrame, *, by: str, limit: int) -> Document:
    """Groups of `GROUPED_BY`, those that lost most first, with all others in `further`, so that the list adds up."""
    ranked = by_loss(states_by(rated, *GROUPED_BY[by]))
    rest = [states for _, states in ranked[limit:]]
    return {
        **_circumstances(rated),
        "rows": [{"name": _name(by, key), **state_texts(states)} for key, states in ranked[:limit]],
        "further_count": len(rest),
        "further": state_texts(all_states({(str(n),): states for n, states in enumerate(rest)})),
    }


def top_exceptions(unheld: pl.DataFrame, quota: pl.DataFrame, *, limit: int) -> Document:
    """What worked while nobody held it, then quota that no pod held: the largest `limit` of each."""
    parts = exception_parts(unheld, quota, limit=limit)
    return {**parts, "rows": [*parts["unheld"]["rows"], *parts["quota"]["rows"]]}


def render_top_csv(document: Document, *, by: str) -> bytes:
    """The rows of a list: numbers stay numbers, names cannot run as formulas."""
    columns = {WORKLOADS: _WORKLOAD_COLUMNS, EXCEPTIONS: _EXCEPTION_COLUMNS}.get(by, _GROUP_COLUMNS)
    return render_csv(columns, ([_cell(name, row[name]) for name in columns] for row in document["rows"]))


def _circumstances(rated: pl.DataFrame) -> Document:
    states = all_states(states_by(rated, "team"))
    return {"has_telemetry": states.observed > 0, "total": state_texts(states)}


def _name(by: str, key: tuple[str, ...]) -> str:
    if by == "accelerator":
        return accelerator_name(key[0])
    return " · ".join(part for part in key if part) or "–"


def _cell(name: str, value: str | int) -> str | int | Decimal:
    if isinstance(value, bool):
        return "yes" if value else "no"
    is_number = name == "about" or name.endswith(("_hours", "_per_cent")) or name == "hours"
    return Decimal(value) if is_number and value else value
