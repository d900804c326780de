"""Rated usage team by team, so that a month of it is never in memory as a whole.

Not here: what is made of a team's rows (statements.py, focus_rows.py).
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from types import MappingProxyType

import polars as pl

ROWS_AT_ONCE = 250_000
"""Rows of rated usage that are read at once, or one team that has more: a few hundred bytes each."""


def usage_by_team(
    rated: pl.DataFrame | pl.LazyFrame, *, also: Collection[str] = (), rows_at_once: int = ROWS_AT_ONCE
) -> Iterator[tuple[str, pl.DataFrame]]:
    """Every team with its rows, in order of team; a team of `also` that has none comes with none.

    Input:   anything with the column `team`, contracts.rated_usage say, read as a stream once for each part.
    """
    for teams in parts_of_teams(rated, also=also, rows_at_once=rows_at_once):
        rows = rows_of(rated, teams)
        held = {str(team): own for (team,), own in rows.partition_by("team", as_dict=True).items()}
        for team in teams:
            yield team, held.get(team, rows.clear())


def parts_of_teams(
    rated: pl.DataFrame | pl.LazyFrame,
    *,
    also: Collection[str] = (),
    rows_at_once: int = ROWS_AT_ONCE,
    by: Mapping[str, str] = MappingProxyType({}),
) -> list[Sequence[str]]:
    """All teams in parts that have at most `rows_at_once` rows together, or one team that has more.

    In order of what `by` says of a team, of which it may say nothing, and then of team.
    """
    counts = rated.lazy().group_by("team").len().collect(engine="streaming")
    rows = {**dict.fromkeys(also, 0), **dict(counts.iter_rows())}
    parts: list[list[str]] = []
    counted = 0
    for team in sorted(rows, key=lambda team: (by.get(team, ""), team)):
        counted += rows[team]
        if not parts or counted > rows_at_once:
            parts.append([])
            counted = rows[team]
        parts[-1].append(team)
    return [*parts]


def rows_of(rated: pl.DataFrame | pl.LazyFrame, teams: Sequence[str]) -> pl.DataFrame:
    """The rows of some teams, in no order."""
    return rated.lazy().filter(pl.col("team").is_in(teams)).collect(engine="streaming")


def summed(sums: pl.LazyFrame, of: pl.DataFrame | pl.LazyFrame) -> pl.DataFrame:
    """`sums` in memory: as a stream where what they are of is one; a frame at hand is summed faster without."""
    return sums.collect(engine="streaming" if isinstance(of, pl.LazyFrame) else "in-memory")
