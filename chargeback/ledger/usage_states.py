"""What held time did, in exact sums of rated usage by any grouping: states, activity, waste, node-hours.

The owner's part of each row counts, as it does in the charge. Each held second is in one state, and is lost in at most
one way (`LOSSES`). Nothing here moves a charge. Not here: which workload lost most (waste.py), texts (utilisation.py).
"""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from fractions import Fraction
from operator import attrgetter

import polars as pl

from chargeback.ledger.team_usage import summed

MILLISECONDS = 1000
PPM = 10**6

LOSSES = ("after_end", "never_ran", "idle", "starved")
"""Ways in which held time is lost, in the order in which a second that fits several is counted."""


@dataclass(frozen=True, slots=True)
class UsageStates:
    """Physical GPU-seconds; the last two are node-seconds, `unsized` being held where no node record says the size."""

    held: Fraction = Fraction(0)
    idle: Fraction = Fraction(0)
    starved: Fraction = Fraction(0)
    busy: Fraction = Fraction(0)
    unmeasured: Fraction = Fraction(0)
    active: Fraction = Fraction(0)
    consumed: Fraction = Fraction(0)
    estimated: Fraction = Fraction(0)
    lost_after_end: Fraction = Fraction(0)
    lost_never_ran: Fraction = Fraction(0)
    lost_idle: Fraction = Fraction(0)
    lost_starved: Fraction = Fraction(0)
    unsized: Fraction = Fraction(0)
    node_held: Fraction = Fraction(0)
    node_active: Fraction = Fraction(0)

    def __add__(self, other: "UsageStates") -> "UsageStates":
        return UsageStates(*(mine + theirs for mine, theirs in zip(_SUMS_OF(self), _SUMS_OF(other), strict=True)))

    @property
    def lost(self) -> Fraction:
        """Held and not computing, of which somebody could do something; unmeasured time is no part of it."""
        return self.lost_after_end + self.lost_never_ran + self.lost_idle + self.lost_starved

    @property
    def observed(self) -> Fraction:
        """Held time that telemetry saw."""
        return self.idle + self.starved + self.busy


_SUMS_OF = attrgetter(*(each.name for each in fields(UsageStates)))
StateSums = dict[tuple[str, ...], UsageStates]

_IN_MILLISECONDS = ("idle", "starved", "busy", "unmeasured", "active", *(f"lost_{loss}" for loss in LOSSES))
_SCALE = ("part_numerator", "part_denominator", "units_per_gpu")
_HELD = "gpu_seconds_denominator"
_NODE = ("node_gpus_numerator", "node_gpus_denominator")


def states_by(rated: pl.DataFrame | pl.LazyFrame, *columns: str) -> StateSums:
    """Sum rated usage by text columns (null reads as empty), in order of the keys. Meant for groups that fit a page.

    Input: contracts.rated_usage; with the columns of node_sizes.with_node_sizes there are node-hours too.
    """
    rows = rated.lazy()
    unsized = set(_NODE) - set(rows.collect_schema())
    sized = rows.with_columns(pl.lit(None, pl.Int64).alias(name) for name in unsized) if unsized else rows
    measured = (*_IN_MILLISECONDS, "consumed")
    added = summed(
        with_losses(sized)
        .with_columns(
            **{name: pl.col(f"{name}_unit_milliseconds").cast(pl.Int128) for name in _IN_MILLISECONDS},
            consumed=pl.col("consumed_unit_ppm_milliseconds").cast(pl.Int128),
            held=pl.col("gpu_seconds_numerator").cast(pl.Int128),
        )
        .group_by(*(pl.col(column).fill_null("") for column in columns), *_SCALE, _HELD, *_NODE, "is_estimate")
        .agg(pl.col("held", *measured).sum()),
        rated,
    )
    sums: StateSums = {}
    for row in added.iter_rows(named=True):
        key = tuple(row[column] for column in columns)
        sums[key] = sums.get(key, UsageStates()) + _states(row)
    return {key: sums[key] for key in sorted(sums)}


def all_states(sums: StateSums) -> UsageStates:
    """The sum over all groups."""
    return sum(sums.values(), UsageStates())


def with_losses(rated: pl.LazyFrame) -> pl.LazyFrame:
    """Rated usage with lost_<loss>_unit_milliseconds (128 bits) for each of `LOSSES`, no millisecond in two of them.

    A run that never ran lost all that it held. Time after the end of its workload is taken to be idle first, then
    starved, then unmeasured, then busy, since the row says how much there was and not which; only what is left of idle
    and starved time is lost in those ways.
    """
    held = pl.sum_horizontal(_wide(f"{state}_unit_milliseconds") for state in ("idle", "starved", "busy", "unmeasured"))
    after_end = pl.min_horizontal(_wide("after_end_unit_seconds") * MILLISECONDS, held)
    idle, starved = _wide("idle_unit_milliseconds"), _wide("starved_unit_milliseconds")
    idle_after = pl.min_horizontal(after_end, idle)
    starved_after = pl.min_horizontal(after_end - idle_after, starved)
    return rated.with_columns(
        lost_after_end_unit_milliseconds=after_end,
        lost_never_ran_unit_milliseconds=pl.when("has_started").then(0).otherwise(held - after_end),
        lost_idle_unit_milliseconds=pl.when("has_started").then(idle - idle_after).otherwise(0),
        lost_starved_unit_milliseconds=pl.when("has_started").then(starved - starved_after).otherwise(0),
    )


def by_loss(sums: StateSums) -> list[tuple[tuple[str, ...], UsageStates]]:
    """Groups by lost GPU-seconds, most first; then by held ones, then by key. Never by a percentage."""
    return sorted(sums.items(), key=lambda item: (-item[1].lost, -item[1].held, item[0]))


def observed_share(parts: Sequence[UsageStates]) -> Fraction | None:
    """Which part of the held time telemetry saw; None where nothing was held."""
    held = sum((part.held for part in parts), Fraction(0))
    return sum((part.observed for part in parts), Fraction(0)) / held if held else None


def _states(row: dict[str, int]) -> UsageStates:
    scale = Fraction(row["part_numerator"], row["part_denominator"] * row["units_per_gpu"] * MILLISECONDS)
    sums = {name: row[name] * scale for name in _IN_MILLISECONDS}
    held = Fraction(row["held"], row[_HELD])
    gpus = Fraction(row[_NODE[0]], row[_NODE[1]]) if row[_NODE[0]] else None
    return UsageStates(
        **sums,
        held=held,
        consumed=row["consumed"] * scale / PPM,
        estimated=held if row["is_estimate"] else Fraction(0),
        unsized=held if gpus is None else Fraction(0),
        node_held=held / gpus if gpus else Fraction(0),
        node_active=sums["active"] / gpus if gpus else Fraction(0),
    )


def _wide(name: str) -> pl.Expr:
    return pl.col(name).cast(pl.Int128)
