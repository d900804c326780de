"""The suspense as texts of a statement document: whose hours nobody knows, since when, who clears it, until when.

Age is counted to the end of the month, not to today, so that a document made again is the same document.
Not here: what becomes of it once it is due (pricing/credits.py), clearing it (pricing/ownership.py).
"""

from collections.abc import Mapping
from datetime import date, timedelta

import polars as pl

from chargeback.contracts.names import CREDIT_SUSPENSE, RESERVED_UNUSED
from chargeback.ledger.plain_numbers import decimal_text, hours_text
from chargeback.ledger.statement_document import Document
from chargeback.ledger.statement_parts import COST_DECIMALS, held_texts
from chargeback.ledger.unused_reservations import unused_reservations
from chargeback.ledger.usage_sums import held_by, largest_first, total

SUSPENSE_COLUMNS = (
    "team", "kind", "cluster", "run", "account", "user", "day", "price", "quantity_numerator", "quantity_denominator",
    "gpu_seconds_numerator", "gpu_seconds_denominator",
)  # fmt: skip
"""The columns of rated usage that are read."""

DUE_DAY = "suspense_due_day"
"""Of the policies as they are printed: the day itself, by the company's calendar."""


def suspense_parts(unattributed: pl.DataFrame, *, month: str, policies: Mapping[str, str], limit: int) -> Document:
    """How much nobody owns, on which accounts and reservations, and the first local day and age of each.

    Input:   contracts.rated_usage of the team `unattributed`; policies as they are printed.
    Output:  `due_day` is the first day on which the platform bears it, '' where it never does; `is_borne`: it does.
    """
    end = _first_day_after(month)
    held = unattributed.filter(~pl.col("kind").is_in([RESERVED_UNUSED, CREDIT_SUSPENSE]))
    accounts = largest_first(held_by(held, "cluster", "account"))
    users = held_by(held, "cluster", "account", "user")
    firsts = {(cluster, account): first for cluster, account, first in held.group_by(
        "cluster", pl.col("account").fill_null("")).agg(pl.col("day").min()).iter_rows()}  # fmt: skip
    return {
        **held_texts(total(dict(accounts))),
        "accounts": [
            {
                "cluster": cluster,
                "account": account or "(no account)",
                "users": sorted(user for at, name, user in users if (at, name) == (cluster, account)),
                **_age(firsts[cluster, account], end),
                **held_texts(amount),
            }
            for (cluster, account), amount in accounts[:limit]
        ],
        "account_count": len(accounts),
        "reservations": _reservations(unattributed, end)[:limit],
        "cleared_by": policies.get("suspense_cleared_by", ""),
        "due_day": policies.get(DUE_DAY, ""),
        "is_borne": CREDIT_SUSPENSE in unattributed["kind"],
    }


def _reservations(unattributed: pl.DataFrame, end: date) -> list[Document]:
    """Reservations of which nobody pays what was unused, by cluster and name."""
    return [
        {
            "cluster": cluster,
            "reservation": name,
            "hours": hours_text(unused.gpu_seconds),
            "cost": decimal_text(unused.cost, decimals=COST_DECIMALS),
            **_age(unused.first_day, end),
        }
        for (cluster, name), unused in unused_reservations(unattributed).items()
    ]


def _age(first_day: str, end: date) -> Document:
    return {"first_day": first_day, "age_days": (end - date.fromisoformat(first_day)).days}


def _first_day_after(month: str) -> date:
    first = date.fromisoformat(f"{month}-01")
    return (first + timedelta(days=31)).replace(day=1)
