"""From sacct's times and durations to the stretch of time that a run held its hosts.

Slurm itself computes Elapsed as End - Start - Suspended, so they agree on any record that nobody changed. Where
the cluster's clock changed during the run, ElapsedRaw + Suspended beats End minus Start (design.md 5.1). Without a
Suspended column, an Elapsed shorter than End - Start is a suspension that the extract does not show: the GPUs were kept
(design.md 5.12), so End - Start is held. Any other disagreement is quarantined: nobody can say which figure is right.
"""

from zoneinfo import ZoneInfo

import polars as pl

from chargeback.usage.durations import is_absent, limit_seconds_of, raw_seconds_of, seconds_of
from chargeback.usage.instants import read_instant
from chargeback.usage.states import FINAL, PENDING, RUNNING, STATES, phase_of

TOLERANCE_SECONDS = 1
LONGEST_CLOCK_CHANGE_SECONDS = 2 * 3600
LONGEST_RUN_SECONDS = 10 * 366 * 86_400
"""A longer run is a damaged figure, not a run."""

LONGEST_WAIT_DAYS = 31
"""A started record also speaks of the days that it waited, so that its pending observations are replaced there."""

TIMES = ("Submit", "Eligible", "Start", "End")


def with_times(jobs: pl.DataFrame, *, zone: ZoneInfo | None) -> pl.DataFrame:
    """Replace sacct's time texts by instants and seconds, and say in `_problem` what does not add up.

    Input:   text columns Submit, Eligible, Start, End, Elapsed, ElapsedRaw, Suspended, Timelimit, TimelimitRaw, base
             State, and `_problem` (a problem found before stays the first).
    Output:  the same names as instants and Int64 seconds; started_until, overlaps_from, overlaps_until.
    """
    for name in TIMES:
        read = read_instant(pl.col(name), zone)
        jobs = jobs.with_columns(
            read.earliest.alias(f"_{name}"),
            read.is_naive.alias(f"_{name}_is_naive"),
            read.is_absent.alias(f"_{name}_is_absent"),
        )
        if name in ("Start", "End"):
            jobs = jobs.with_columns(read.latest.alias(f"_{name}_latest"), read.offset_seconds.alias(f"_{name}_offset"))
    jobs = jobs.with_columns(
        _elapsed=_duration("ElapsedRaw"),
        _elapsed_text=_duration("Elapsed"),
        _suspended=_duration("Suspended"),
        _phase=phase_of(pl.col("State"), end_is_known=pl.col("_End").is_not_null()),
        TimelimitRaw=limit_seconds_of(pl.col("TimelimitRaw"), pl.col("Timelimit")),
    )
    jobs = jobs.with_columns(
        _problem=pl.coalesce(pl.col("_problem"), _text_problem(zone)),
        _elapsed=pl.coalesce("_elapsed", "_elapsed_text"),
        _clock_changed=_clock_changed(),
    )
    return _with_stretch(_with_ends(jobs))


def _duration(name: str) -> pl.Expr:
    seconds = pl.coalesce(raw_seconds_of(pl.col(name)), seconds_of(pl.col(name)))
    return pl.when(seconds <= LONGEST_RUN_SECONDS).then(seconds)


def _text_problem(zone: ZoneInfo | None) -> pl.Expr:
    """Why a time, a duration or the state of a record cannot be read; the first that holds."""
    elapsed, raw = pl.col("_elapsed_text"), pl.col("_elapsed")
    return pl.coalesce(
        pl.when(~pl.col("State").is_in(list(STATES)).fill_null(False)).then(_shown("unknown state {}", "State")),
        *(_time_problem(name, zone) for name in TIMES),
        _duration_problem("ElapsedRaw", raw),
        _duration_problem("Elapsed", elapsed),
        _duration_problem("Suspended", pl.col("_suspended")),
        pl.when((elapsed - raw).abs() > TOLERANCE_SECONDS).then(
            pl.format("Elapsed says {} s and ElapsedRaw {} s: one of them is wrong", elapsed, raw)
        ),
    )


def _time_problem(name: str, zone: ZoneInfo | None) -> pl.Expr:
    unread = pl.col(f"_{name}").is_null() & ~pl.col(f"_{name}_is_absent")
    if zone is None:
        naive = _shown(f"{name} {{}} has no UTC offset and the cluster has no zone: set it, nothing is guessed", name)
    else:
        naive = _shown(f"{name} {{}} does not exist in {zone.key}: is that the cluster's zone?", name)
    is_naive = pl.col(f"_{name}_is_naive")
    return pl.when(unread & is_naive).then(naive).when(unread).then(_shown(f"{name} {{}} is no time", name))


def _duration_problem(name: str, seconds: pl.Expr) -> pl.Expr:
    return pl.when(seconds.is_null() & ~is_absent(pl.col(name))).then(_shown(f"{name} {{}} is no duration", name))


def _shown(message: str, name: str) -> pl.Expr:
    return pl.format(message, pl.col(name).fill_null("").str.slice(0, 40))


def _clock_changed() -> pl.Expr:
    """Local times whose offset from UTC differs, or one that the clock showed twice."""
    return (
        (pl.col("_Start_offset") != pl.col("_End_offset"))
        | (pl.col("_Start") != pl.col("_Start_latest"))
        | (pl.col("_End") != pl.col("_End_latest"))
    ).fill_null(False)


def _with_ends(jobs: pl.DataFrame) -> pl.DataFrame:
    """Start, End and started_until: of a repeated local hour the reading that the record's length confirms."""
    held = pl.col("_elapsed") + pl.col("_suspended").fill_null(0)
    start, end, start_late, end_late = (pl.col(n) for n in ("_Start", "_End", "_Start_latest", "_End_latest"))
    never = (pl.col("_phase") == PENDING) | start.is_null()
    final = (pl.col("_phase") == FINAL) & start.is_not_null()
    chosen = pl.struct(s=start, e=end)
    for early, late in ((start_late, end_late), (start_late, end), (start, end_late), (start, end)):
        chosen = pl.when((late - early).dt.total_seconds() == held).then(pl.struct(s=early, e=late)).otherwise(chosen)
    jobs = jobs.with_columns(_held=held, _never=never, _final=final, _chosen=chosen)
    start, end = pl.col("_chosen").struct.field("s"), pl.col("_chosen").struct.field("e")
    off = (end - start).dt.total_seconds() - pl.col("_held")
    jobs = jobs.with_columns(
        _off=off, Start=pl.when(~never).then(start), End=pl.when(pl.col("_phase") == FINAL).then(end)
    )
    by_length = pl.col("Start") + pl.duration(seconds=pl.col("_held"))
    trusts_length = pl.col("_clock_changed") & (pl.col("_off").abs() <= LONGEST_CLOCK_CHANGE_SECONDS)
    until = pl.when(pl.col("_final") & ~trusts_length.fill_null(False)).then(pl.col("End")).otherwise(by_length)
    return jobs.with_columns(
        started_until=pl.when(~pl.col("_never")).then(until),
        _problem=pl.coalesce(pl.col("_problem"), _length_problem(trusts_length)),
    )


def _length_problem(trusts_length: pl.Expr) -> pl.Expr:
    """Why nobody can say how long a started run held its hosts."""
    started, final, off = ~pl.col("_never"), pl.col("_final"), pl.col("_off")
    unexplained = (off < -TOLERANCE_SECONDS) | ((off > TOLERANCE_SECONDS) & pl.col("_suspended").is_not_null())
    return (
        pl.when(started & (pl.col("_phase") == RUNNING) & pl.col("_elapsed").is_null())
        .then(pl.lit("running, but no Elapsed says for how long: extract Elapsed or ElapsedRaw"))
        .when(pl.col("_phase") == FINAL, pl.col("_Start").is_not_null(), pl.col("_End").is_null())
        .then(pl.format("state {} without an End: run `sacctmgr show runawayjobs`", "State"))
        .when(final & (pl.col("End") < pl.col("Start")))
        .then(pl.format("End is {} s before Start", (pl.col("Start") - pl.col("End")).dt.total_seconds()))
        .when(final & ((pl.col("End") - pl.col("Start")).dt.total_seconds() > LONGEST_RUN_SECONDS))
        .then(pl.lit("End is more than ten years after Start"))
        .when(final & unexplained & ~trusts_length.fill_null(False))
        .then(
            pl.format(
                "End - Start is {} s, Elapsed + Suspended {} s: they differ by {} s",
                off + pl.col("_held"),
                "_held",
                off,
            )
        )
        .when(pl.col("_never") & pl.col("_Submit").is_null() & pl.col("_End").is_null())
        .then(pl.lit("never started and without a Submit time: no day can be given"))
    )


def _with_stretch(jobs: pl.DataFrame) -> pl.DataFrame:
    waited = pl.col("Start") - pl.col("_Submit")
    looks_back = (waited >= pl.duration(seconds=0)) & (waited <= pl.duration(days=LONGEST_WAIT_DAYS))
    return jobs.with_columns(
        Submit=pl.col("_Submit"),
        Eligible=pl.col("_Eligible"),
        ElapsedRaw=pl.coalesce("_elapsed", (pl.col("started_until") - pl.col("Start")).dt.total_seconds()),
        Suspended=pl.col("_suspended"),
        overlaps_from=pl.when(looks_back).then(pl.col("_Submit")).otherwise(pl.coalesce("Start", "_Submit", "_End")),
        overlaps_until=pl.coalesce("started_until", "_Submit", "_End"),
    )
