"""Why the lines of one state of charges differ from those of another: hours, rate, ownership, credits; exactly.

The two states may be one month at two times, or two months. Not here: which states there are, how they are shown.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

import polars as pl

from chargeback.contracts.names import ALLOCATION, CREDIT_KINDS, RESERVED_UNUSED
from chargeback.ledger.charges import LINE_KEY
from chargeback.money import SECONDS_PER_HOUR, Currency

CAUSES = HOURS, RATE, OWNERSHIP, CREDITS, OTHER = ("hours", "rate", "ownership", "credits", "other")
"""`other`: lines that are neither an allocation nor what is forgiven of one."""

_PRICED_KINDS = (ALLOCATION, RESERVED_UNUSED)
LINE = tuple(column for column in LINE_KEY if column != "month")
WITHIN_A_MONTH = ("cluster", "run", "accelerator", "tier")
BETWEEN_MONTHS = ("cluster", "account", "user", "accelerator", "tier")
"""Whose hours stay together whoever owns them. Runs are others in another month, accounts and users are not."""

_SUMMED = ("quantity", "gpu_seconds")
_DENOMINATORS = tuple(f"{stem}_denominator" for stem in _SUMMED)

USAGE = tuple(
    dict.fromkeys(
        (*WITHIN_A_MONTH, *BETWEEN_MONTHS, *LINE, "price", *_DENOMINATORS, *(f"{stem}_numerator" for stem in _SUMMED))
    )
)
"""The columns of contracts.rated_usage that are needed to say why."""

Key = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LineFigures:
    """A line as it stands in one state."""

    line_id: str
    quantity: Fraction
    quantity_unit: str
    price: Decimal
    amount: Decimal


@dataclass(frozen=True, slots=True)
class LineChange:
    """A line that differs; None where a state does not have it. `causes` add up to `difference`, in rounded money."""

    key: Key
    before: LineFigures | None
    after: LineFigures | None
    causes: Mapping[str, Decimal]

    @property
    def difference(self) -> Decimal:
        """What it costs more; negative where it costs less."""
        return _amount(self.after) - _amount(self.before)


@dataclass(slots=True)
class _Part:
    """What one line has of one source: physical GPU-seconds and their unrounded cost."""

    gpu_seconds: Fraction = Fraction(0)
    cost: Fraction = Fraction(0)


Parts = dict[Key, dict[Key, _Part]]
"""Source -> line -> part."""


def line_changes(
    before: tuple[pl.DataFrame, pl.DataFrame],
    after: tuple[pl.DataFrame, pl.DataFrame],
    *,
    source: Sequence[str],
    currency: Currency,
) -> list[LineChange]:
    """The lines that differ in amount, quantity or price, largest difference first, ties by key.

    Input:   contracts.team_charges, and USAGE of contracts.rated_usage, of each state; `source` is WITHIN_A_MONTH or
             BETWEEN_MONTHS.
    Output:  of every source, hours gained or lost are cut as they were owned before, at the price of before; what
             changed hands is ownership, at the price of before; what the hours of after cost more each is the rate.
             These three add up to the unrounded difference of an allocation line. They are rounded, and the largest of
             them bears the cents by which roundings differ. A credit line's difference is credits.
    """
    then, now = _figures(before[0]), _figures(after[0])
    effects = _effects(*_parts(before[1], after[1], source))
    changes = []
    for key in sorted({*then, *now}):
        old, new = then.get(key), now.get(key)
        if _said(old) != _said(new):
            difference = _amount(new) - _amount(old)
            causes = _causes(key[LINE.index("kind")], difference, effects.get(key, {}), currency)
            changes.append(LineChange(key, old, new, causes))
    return sorted(changes, key=lambda change: (-abs(change.difference), change.key))


def total_causes(changes: Iterable[LineChange]) -> dict[str, Decimal]:
    """Cause -> its sum over all lines; the causes add up to the difference of the totals."""
    totals = dict.fromkeys(CAUSES, Decimal(0))
    for change in changes:
        for cause, amount in change.causes.items():
            totals[cause] += amount
    return totals


def _causes(
    kind: str, difference: Decimal, effects: Mapping[str, Fraction], currency: Currency
) -> Mapping[str, Decimal]:
    if kind not in _PRICED_KINDS:
        return {CREDITS if kind in CREDIT_KINDS else OTHER: difference}
    rounded = {cause: currency.round(effect) for cause, effect in effects.items() if effect}
    largest = max(sorted(rounded), key=lambda cause: abs(effects[cause]), default=HOURS)
    left = difference - sum(rounded.values(), Decimal(0))
    return {**rounded, largest: rounded.get(largest, Decimal(0)) + left}


def _effects(then: Parts, now: Parts) -> dict[Key, dict[str, Fraction]]:
    """Line -> cause -> unrounded amount."""
    effects: dict[Key, dict[str, Fraction]] = {}
    for source in sorted({*then, *now}):
        old, new = then.get(source, {}), now.get(source, {})
        for key, causes in _effects_of_source(old, new).items():
            added = effects.setdefault(key, dict.fromkeys((HOURS, RATE, OWNERSHIP), Fraction(0)))
            for cause, amount in causes.items():
                added[cause] += amount
    return effects


def _effects_of_source(old: Mapping[Key, _Part], new: Mapping[Key, _Part]) -> dict[Key, dict[str, Fraction]]:
    held_then, held_now = _held(old), _held(new)
    effects = {}
    for key in {*old, *new}:
        mine_then, mine_now = old.get(key, _Part()), new.get(key, _Part())
        if not held_then or not held_now:
            effects[key] = {HOURS: mine_now.cost - mine_then.cost}
            continue
        price_then, price_now = _price(mine_then, old), _price(mine_now, new)
        share_then, share_now = mine_then.gpu_seconds / held_then, mine_now.gpu_seconds / held_now
        effects[key] = {
            HOURS: (held_now - held_then) * share_then * price_then,
            OWNERSHIP: held_now * (share_now - share_then) * price_then,
            RATE: mine_now.gpu_seconds * (price_now - price_then),
        }
    return effects


def _price(mine: _Part, everybody: Mapping[Key, _Part]) -> Fraction:
    """Cost of a GPU-second; where the line has none of the source, that of whoever has it."""
    if mine.gpu_seconds:
        return mine.cost / mine.gpu_seconds
    return sum((part.cost for part in everybody.values()), Fraction(0)) / _held(everybody)


def _held(parts: Mapping[Key, _Part]) -> Fraction:
    return sum((part.gpu_seconds for part in parts.values()), Fraction(0))


def _parts(before: pl.DataFrame, after: pl.DataFrame, source: Sequence[str]) -> tuple[Parts, Parts]:
    """Allocations of both states; sources that say the same in both are left out, so that a large month is no burden.

    Usage without a price is there at a cost of 0: when its price lands, its rate changed.
    """
    together = pl.concat([_sums(before, source).with_columns(at=0), _sums(after, source).with_columns(at=1)])
    same = pl.len().over(*(name for name in together.columns if name != "at")) == 2
    names = [f"source_{name}" for name in source]
    differs = together.with_columns(same=same).filter(~pl.col("same").all().over(*names))
    parts: tuple[Parts, Parts] = ({}, {})
    for row in differs.iter_rows(named=True):
        key = tuple(row[name] for name in LINE)
        part = parts[row["at"]].setdefault(tuple(row[name] for name in names), {}).setdefault(key, _Part())
        quantity = Fraction(row["quantity"], row["quantity_denominator"])
        part.gpu_seconds += Fraction(row["gpu_seconds"], row["gpu_seconds_denominator"])
        part.cost += quantity * Fraction(row["price"] or 0) / SECONDS_PER_HOUR
    return parts


def _sums(rated: pl.DataFrame, source: Sequence[str]) -> pl.DataFrame:
    named = rated.filter(pl.col("kind").is_in(_PRICED_KINDS)).with_columns(
        pl.col(name).fill_null("").alias(f"source_{name}") for name in source
    )
    return named.group_by(*(f"source_{name}" for name in source), *LINE, "price", *_DENOMINATORS).agg(
        pl.col(f"{stem}_numerator").cast(pl.Int128).sum().alias(stem) for stem in _SUMMED
    )


def _figures(lines: pl.DataFrame) -> dict[Key, LineFigures]:
    return {
        tuple(line[name] for name in LINE): LineFigures(
            line["line_id"], Fraction(line["quantity"]), line["quantity_unit"], line["price"], line["amount"]
        )
        for line in lines.iter_rows(named=True)
    }


def _said(line: LineFigures | None) -> tuple[Fraction, str, Decimal, Decimal] | None:
    """All of a line but its id, which names the month."""
    return (line.quantity, line.quantity_unit, line.price, line.amount) if line else None


def _amount(line: LineFigures | None) -> Decimal:
    return line.amount if line else Decimal(0)
