"""Which owners bear a run's day: account first, then user; a WCKey only where the settings say so.

A WCKey is a label that users write themselves, so by default it decides nothing; where `precedence` lists it, only
the ownership table gives it a meaning, and only for keys of a higher rank that nobody owns. The default and root
accounts count as unknown. What nobody owns, wholly or in part, belongs to the team `unattributed`. Not here: reading
the table.
"""

from collections import defaultdict
from collections.abc import Collection, Sequence
from datetime import date, timedelta
from fractions import Fraction

import polars as pl

from chargeback.contracts.names import UNATTRIBUTED

DEFAULT_PRECEDENCE = ("account", "user")
_OWNER = ("team", "cost_centre", "project", "company")
_NOBODY = (UNATTRIBUTED, "", "", "")
_PART_SCHEMA = {
    "cluster": pl.String(),
    "day": pl.String(),
    "owner_kind": pl.String(),
    "owner_key": pl.String(),
    **dict.fromkeys(_OWNER, pl.String()),
    "part_numerator": pl.Int64(),
    "part_denominator": pl.Int64(),
}


def with_owners(
    usage: pl.DataFrame,
    ownership: pl.DataFrame,
    *,
    unknown_accounts: Collection[str],
    precedence: Sequence[str] = DEFAULT_PRECEDENCE,
) -> pl.DataFrame:
    """Each row of usage once per owner, with the part that this owner bears.

    Input:   usage with cluster, day, account, user, wckey; contracts.ownership of one month.
    Output:  the same columns plus team, cost_centre, project, company, part_numerator, part_denominator; the parts of
             one input row add up to 1, what nobody owns being `unattributed`.
    Source:  design.md 2 "ownership", "unattributed"; 7, last rule but one.
    """
    parts = _parts_by_day(ownership)
    known = parts.select("cluster", "day", "owner_kind", "owner_key").unique()
    found = usage.with_columns(
        _account=pl.when(pl.col("account").is_in(list(unknown_accounts))).then(None).otherwise(pl.col("account")),
        owner_kind=pl.lit(None, pl.String()),
        owner_key=pl.lit(None, pl.String()),
    )
    for kind in precedence:
        found = _found_by(found, known.filter(pl.col("owner_kind") == kind), kind=kind)
    nobody = dict(zip(_OWNER, _NOBODY, strict=True))
    return (
        found.join(parts, on=["cluster", "day", "owner_kind", "owner_key"], how="left", validate="m:m")
        .with_columns(
            *(pl.col(column).fill_null(value) for column, value in nobody.items()),
            pl.col("part_numerator", "part_denominator").fill_null(1),
        )
        .drop("_account", "owner_kind", "owner_key")
    )


def _found_by(usage: pl.DataFrame, known: pl.DataFrame, *, kind: str) -> pl.DataFrame:
    column = "_account" if kind == "account" else kind
    hits = known.select("cluster", "day", _hit="owner_key")
    is_new = pl.col("owner_key").is_null() & pl.col("_hit").is_not_null()
    return (
        usage.join(
            hits,
            left_on=["cluster", "day", column],
            right_on=["cluster", "day", "_hit"],
            how="left",
            validate="m:1",
            coalesce=False,
            suffix="_known",
        )
        .with_columns(
            owner_kind=pl.when(is_new).then(pl.lit(kind)).otherwise("owner_kind"),
            owner_key=pl.when(is_new).then("_hit").otherwise("owner_key"),
        )
        .drop("_hit", "cluster_known", "day_known")
    )


def _parts_by_day(ownership: pl.DataFrame) -> pl.DataFrame:
    """One row per key, day and owner, the unowned rest of a key included; parts of a key and day add up to 1."""
    owners: dict[tuple[str, str, str, str], dict[tuple[str, ...], Fraction]] = defaultdict(dict)
    for row in ownership.iter_rows(named=True):
        part = Fraction(row["percent_numerator"], row["percent_denominator"])
        owner = tuple(row[column] for column in _OWNER)
        day = date.fromisoformat(row["valid_from"])
        while day < date.fromisoformat(row["valid_until"]):
            shares = owners[(row["cluster"], day.isoformat(), row["kind"], row["key"])]
            shares[owner] = shares.get(owner, Fraction(0)) + part
            day += timedelta(days=1)
    rows = []
    for key, shares in owners.items():
        rest = 1 - sum(shares.values(), Fraction(0))
        if rest > 0:
            shares[_NOBODY] = rest
        rows += [(*key, *owner, part.numerator, part.denominator) for owner, part in shares.items()]
    return pl.DataFrame(rows, schema=_PART_SCHEMA, orient="row")
