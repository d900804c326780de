"""What the platform itself runs, burn-in and health checks: shown to the estate, charged to nobody, on no statement.

It is known by an account (or namespace), or by a QOS (or priority class), that the settings name, or by an account
that the ownership file gives to a team called platform-operations. A user's own label decides nothing.
Not here: how it is shown (ledger/estate_operations.py).
"""

from collections.abc import Collection, Sequence
from functools import partial

import polars as pl

from chargeback.contracts.names import PLATFORM_OPERATIONS, slug_of
from chargeback.pricing.owners import with_owners

NAMED_BY = {"account": "account", "qos": "qos"}
"""What a setting may name it by -> the column of contracts.runs that holds it."""


def operations_named(settings: Collection[str]) -> pl.Expr:
    """Whether a run is the platform's own by the settings, `account:burnin` or `qos:health-check`."""
    named = [each.partition(":") for each in settings]
    is_named = [
        pl.col(column).is_in([name for kind, _, name in named if kind == by]) for by, column in NAMED_BY.items()
    ]
    return pl.any_horizontal(is_named).fill_null(False)


def with_owners_or_platform(
    usage: pl.DataFrame,
    ownership: pl.DataFrame,
    *,
    unknown_accounts: Collection[str],
    precedence: Sequence[str],
    platform_operations: Collection[str],
) -> pl.DataFrame:
    """owners.with_owners, where what the settings name as the platform's own has the team platform-operations whole.

    Input: as with_owners, and qos where `platform_operations` names any.
    """
    find = partial(with_owners, unknown_accounts=unknown_accounts, precedence=precedence)
    if not platform_operations:
        return find(usage, ownership)
    is_own = operations_named(platform_operations)
    own = find(usage.filter(is_own), ownership.clear()).with_columns(team=pl.lit(PLATFORM_OPERATIONS))
    return pl.concat([find(usage.filter(~is_own), ownership), own])


def is_operations(teams: Collection[str]) -> pl.Expr:
    """Whether a row's team is the platform's own operations, however the ownership file writes it."""
    return pl.col("team").is_in([team for team in teams if slug_of(team) == PLATFORM_OPERATIONS])
