"""What was held and charged before some days were computed again, what stands now, and the exact difference.

Figures are sums of what stands in the tables; nothing is rounded here. Not here: how they are shown
(recomputation.py), which days are computed again.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

import polars as pl


@dataclass(frozen=True, slots=True)
class Figure:
    """GPU-seconds held and their amount; what is absent is both zero."""

    gpu_seconds: Fraction = Fraction(0)
    amount: Decimal = Decimal(0)

    def __add__(self, other: "Figure") -> "Figure":
        return Figure(self.gpu_seconds + other.gpu_seconds, self.amount + other.amount)

    def __sub__(self, other: "Figure") -> "Figure":
        return Figure(self.gpu_seconds - other.gpu_seconds, self.amount - other.amount)


Key = tuple[str, ...]
Figures = Mapping[Key, Figure]
"""(month, team, cluster, accelerator) -> what is charged; or (cluster, accelerator) -> what was held, without money."""


@dataclass(frozen=True, slots=True)
class Change:
    """One row of a comparison. `after` - `before` is `difference`, exactly."""

    key: Key
    before: Figure
    after: Figure

    @property
    def difference(self) -> Figure:
        """What it became more; negative where it became less."""
        return self.after - self.before


def charged_figures(lines: pl.DataFrame) -> dict[Key, Figure]:
    """(month, team, cluster, accelerator) -> hours and amount of contracts.team_charges."""
    sums: dict[Key, Figure] = {}
    columns = ("month", "team", "cluster", "accelerator", "gpu_seconds", "amount")
    for *key, gpu_seconds, amount in lines.select(columns).iter_rows():
        sums[tuple(key)] = sums.get(tuple(key), Figure()) + Figure(Fraction(gpu_seconds), amount)
    return sums


def held_figures(attribution: pl.LazyFrame) -> dict[Key, Figure]:
    """(cluster, accelerator) -> what was held of contracts.attribution; its amount is nobody's and zero."""
    rows = (
        attribution.group_by("cluster", "accelerator", "units_per_gpu")
        .agg(unit_seconds=(pl.col("held_seconds").cast(pl.Int128) * pl.col("share_units")).sum())
        .collect()
    )
    sums: dict[Key, Figure] = {}
    for cluster, accelerator, units, seconds in rows.iter_rows():
        key = (cluster, accelerator)
        sums[key] = sums.get(key, Figure()) + Figure(Fraction(int(seconds), units))
    return sums


def changes_by(before: Figures, after: Figures, places: Sequence[int]) -> list[Change]:
    """Both sides added up over all but some places of their keys, in order of the key; a side without it is zero."""
    then, now = _added(before, places), _added(after, places)
    return [Change(key, then.get(key, Figure()), now.get(key, Figure())) for key in sorted({*then, *now})]


def total_change(changes: Iterable[Change]) -> Change:
    """The sum of all rows, under an empty key."""
    before, after = Figure(), Figure()
    for change in changes:
        before, after = before + change.before, after + change.after
    return Change((), before, after)


def changed_partitions(before: Mapping[str, str], after: Mapping[str, str]) -> dict[str, int]:
    """Table -> how many of its partitions have another content than before, or had none; tables without one are absent.

    Both are `table|partition` -> content hash.
    """
    counts: dict[str, int] = {}
    for name in sorted({*before, *after}):
        if before.get(name) != after.get(name):
            table = name.partition("|")[0]
            counts[table] = counts.get(table, 0) + 1
    return counts


def figures_as_rows(figures: Figures) -> list[list[str]]:
    """The figures as text, exactly: the key, a reduced fraction, an amount."""
    return [[*key, str(figure.gpu_seconds), str(figure.amount)] for key, figure in sorted(figures.items())]


def figures_of_rows(rows: Iterable[Sequence[str]]) -> dict[Key, Figure]:
    """The figures that such rows say."""
    return {tuple(key): Figure(Fraction(seconds), Decimal(amount)) for *key, seconds, amount in rows}


def _added(figures: Figures, places: Sequence[int]) -> dict[Key, Figure]:
    sums: dict[Key, Figure] = {}
    for key, figure in figures.items():
        shorter = tuple(key[place] for place in places)
        sums[shorter] = sums.get(shorter, Figure()) + figure
    return sums
