"""Which owners bear a run's day: by label, queue, namespace or account, then user, in the order that the settings say.

A label, like a WCKey, is what users write themselves: it decides only where finance wrote that very label for that very
namespace, and a WCKey only where `precedence` lists it. The default and root accounts count as unknown. What nobody
owns, wholly or in part, belongs to the team `unattributed`. Not here: reading the table (ownership.py).
"""

from collections import defaultdict
from collections.abc import Collection, Sequence
from datetime import date, timedelta
from fractions import Fraction

import orjson
import polars as pl

from chargeback.contracts.names import UNATTRIBUTED

DEFAULT_PRECEDENCE = ("label", "queue", "namespace", "account", "user")
"""The first kind of key that somebody owns decides; a key of a later kind is not asked any more."""

_OWNER = ("team", "cost_centre", "project", "company", "customer_class")
_NOBODY = (UNATTRIBUTED, "", "", "", "")
_OPTIONAL = ("queue", "labels", "scheduler")
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

    Input:   usage with cluster, day, account, user, wckey and, where they are known, scheduler, queue and labels (JSON)
             as in contracts.runs; contracts.ownership of one month.
    Output:  the same columns plus team, cost_centre, project, company, customer_class, owner_kind (the kind of key that
             is owned; null where none is) and part_numerator / part_denominator; the parts of one input row add up to
             1, what nobody owns being `unattributed`. The key of a queue is the Slurm partition or namespace/queue,
             that of a label namespace/label=value; of several labels that are owned the one that the ownership file
             names first decides.
    Source:  design.md 2 "ownership", "unattributed"; 7, last rule but one; case K19.
    """
    columns = usage.columns
    absent = {name: pl.lit(None, pl.String()) for name in _OPTIONAL if name not in columns}
    parts = _parts_by_day(ownership)
    known = parts.select("cluster", "day", "owner_kind", "owner_key").unique()
    found = usage.with_columns(**absent).with_columns(
        owner_kind=pl.lit(None, pl.String()), owner_key=pl.lit(None, pl.String())
    )
    for kind in precedence:
        asked = _with_label_key(found, ownership, known) if kind == "label" else found.with_columns(
            _key=_key(kind, unknown_accounts)
        )  # fmt: skip
        found = _found_by(asked, known.filter(pl.col("owner_kind") == kind), kind=kind)
    nobody = dict(zip(_OWNER, _NOBODY, strict=True))
    added = [name for name in parts.columns if name not in ("cluster", "day", "owner_key")]
    return (
        found.join(parts, on=["cluster", "day", "owner_kind", "owner_key"], how="left", validate="m:m")
        .with_columns(
            *(pl.col(column).fill_null(value) for column, value in nobody.items()),
            pl.col("part_numerator", "part_denominator").fill_null(1),
        )
        .select(*columns, *added)
    )


def _key(kind: str, unknown_accounts: Collection[str]) -> pl.Expr:
    """What a row of usage is called in the ownership file, by kind."""
    if kind in ("account", "namespace"):
        return pl.when(~pl.col("account").is_in(list(unknown_accounts))).then("account")
    if kind == "queue":
        of_namespace = pl.concat_str("account", "queue", separator="/")
        return pl.when(pl.col("scheduler") == "kubernetes").then(of_namespace).otherwise("queue")
    return pl.col(kind)


def _with_label_key(usage: pl.DataFrame, ownership: pl.DataFrame, known: pl.DataFrame) -> pl.DataFrame:
    """Add `_key`: of the pod's labels that finance named for its namespace on that day, the one named first."""
    by = ["cluster", "day", "account", "labels"]
    lines = ownership.filter(pl.col("kind") == "label").group_by("cluster", owner_key="key").agg(pl.col("line").min())
    owned = known.filter(pl.col("owner_kind") == "label").join(
        lines, on=["cluster", "owner_key"], how="left", validate="m:1"
    )
    names = {key.partition("/")[2].partition("=")[0] for key in owned["owner_key"].unique()}
    pairs = [(text, pair) for text in usage["labels"].drop_nulls().unique() for pair in _pairs(text, names)]
    asked = (
        usage.select(by)
        .unique()
        .join(pl.DataFrame(pairs, schema={"labels": pl.String, "pair": pl.String}, orient="row"), on="labels")
        .with_columns(owner_key=pl.concat_str("account", "pair", separator="/"))
        .join(owned, on=["cluster", "day", "owner_key"], how="inner", validate="m:1")
        .sort("line", "owner_key")
        .unique(by, keep="first")
        .select(*by, _key="owner_key")
    )
    return usage.join(asked, on=by, how="left", validate="m:1")


def _pairs(labels: str, names: Collection[str]) -> list[str]:
    """`label=value` of those labels that somebody owns a value of."""
    read = orjson.loads(labels)
    return [f"{name}={read[name]}" for name in names if name in read]


def _found_by(usage: pl.DataFrame, known: pl.DataFrame, *, kind: str) -> pl.DataFrame:
    """Set owner_kind and owner_key where nothing was found yet and `_key` is owned on that day."""
    hits = known.select("cluster", "day", _key="owner_key", _hit="owner_key")
    is_new = pl.col("owner_key").is_null() & pl.col("_hit").is_not_null()
    return (
        usage.join(hits, on=["cluster", "day", "_key"], how="left", validate="m:1")
        .with_columns(
            owner_kind=pl.when(is_new).then(pl.lit(kind)).otherwise("owner_kind"),
            owner_key=pl.when(is_new).then("_hit").otherwise("owner_key"),
        )
        .drop("_key", "_hit")
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
