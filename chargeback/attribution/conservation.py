"""Nothing is lost and nothing is counted twice: findings about attribution and capacity, for the gate to judge.

Every function returns the findings as a frame (`key`, `expected`, `observed`, all text), empty when all is well.
Not here: which finding blocks publication (checks/).
"""

import polars as pl

from chargeback.attribution.held_activity import EXCLUSIVE
from chargeback.billing_period import Interval
from chargeback.contracts.attribution import STATES_OF_HELD_TIME
from chargeback.contracts.capacity import STATES

FINDINGS = {"key": pl.String(), "expected": pl.String(), "observed": pl.String()}
NAMED_RUNS = 10
"""Runs that a finding names at most."""
HOLD_KEY = ("run", "host", "accelerator", "sharing", "share_units", "units_per_gpu")


def attribution_against_holds(attribution: pl.DataFrame, holds: pl.DataFrame) -> pl.DataFrame:
    """Device-seconds of every run, host, accelerator and share: in the attribution as in the holds, to the second.

    Input: contracts.attribution and contracts.holds of the same (cluster, day). Source: design.md 5.4.
    """
    length = (pl.col("held_until") - pl.col("held_from")).dt.total_seconds()
    held = holds.group_by(HOLD_KEY).agg(expected=(pl.col("device_count") * length).sum())
    attributed = attribution.group_by(HOLD_KEY).agg(observed=pl.col("held_seconds").sum())
    both = held.join(attributed, on=HOLD_KEY, how="full", coalesce=True, validate="1:1").fill_null(0)
    return _findings(both, key=HOLD_KEY, unit="device-seconds")


def states_add_up(attribution: pl.DataFrame) -> pl.DataFrame:
    """In every row idle, starved, busy and unmeasured time add up to what was held. Source: design.md 2."""
    held = pl.col("held_seconds") * 1000
    sums = attribution.with_columns(expected=held, observed=pl.sum_horizontal(STATES_OF_HELD_TIME))
    return _findings(sums, key=("hour_start", "run", "host", "accelerator", "sharing", "gpu"), unit="device-ms")


def capacity_states_add_up(capacity: pl.DataFrame) -> pl.DataFrame:
    """In every row of contracts.capacity the states add up to the capacity. Source: design.md 5.4."""
    states = [f"{state}_unit_seconds" for state in STATES]
    sums = capacity.with_columns(expected=pl.col("capacity_unit_seconds"), observed=pl.sum_horizontal(states))
    return _findings(sums, key=("hour_start", "host", "accelerator", "units_per_gpu"), unit="unit-seconds")


def attribution_against_bindings(attribution: pl.DataFrame, bindings: pl.DataFrame) -> pl.DataFrame:
    """Physical unit-seconds of every run on every GPU: in the attribution as the bindings last, to the second.

    Input: contracts.attribution and contracts.bindings of the same (cluster, day). Source: design.md 5.4.
    """
    key = ("run", "host", "accelerator", "sharing", "gpu", "units_per_gpu")
    length = (pl.col("held_until") - pl.col("held_from")).dt.total_seconds()
    bound = bindings.group_by(key).agg(expected=(pl.col("share_units") * length).sum())
    on_gpus = attribution.filter(pl.col("gpu") != "")
    attributed = on_gpus.group_by(key).agg(observed=(pl.col("share_units") * pl.col("held_seconds")).sum())
    both = bound.join(attributed, on=key, how="full", coalesce=True, validate="1:1").fill_null(0)
    return _findings(both, key=key, unit="unit-seconds")


def attribution_against_capacity(
    attribution: pl.DataFrame, capacity: pl.DataFrame, members: pl.DataFrame
) -> pl.DataFrame:
    """Physical unit-seconds of every host, accelerator and hour: attributed as capacity says that they were held.

    Input:   contracts.attribution and contracts.capacity of the same (cluster, day); `members` has one row (`host`,
             `member`) for each host of every set of hosts that stands in either in the place of one.
    Output:  findings. What was held beyond capacity (over-committed) counts as held: it stands in the attribution too.
    Source:  design.md 5.4.
    """
    place = ["hour_start", "host", "accelerator"]
    by_member = ["hour_start", "member", "accelerator"]
    places = _with_members(capacity, members).unique(by_member, keep="first", maintain_order=True)
    places = places.select(*by_member, place="host", units_of_place="units_per_gpu")
    in_units = pl.col("held_seconds") * pl.col("share_units") * (pl.col("units_of_place") // pl.col("units_per_gpu"))
    attributed = (
        _with_members(attribution, members.unique("host", keep="first", maintain_order=True))
        .join(places, on=by_member, how="left", validate="m:1")
        .with_columns(host=pl.coalesce("place", "host"), units_of_place=pl.coalesce("units_of_place", "units_per_gpu"))
        .group_by(place)
        .agg(observed=in_units.sum())
    )
    held = pl.col("held_unit_seconds") + pl.col("overcommitted_unit_seconds")
    expected = capacity.filter(held > 0).select(*place, expected=held)
    both = expected.join(attributed, on=place, how="full", coalesce=True, validate="1:1")
    return _findings(
        both.with_columns(pl.col("expected", "observed").fill_null(0)), key=tuple(place), unit="unit-seconds"
    )


def _with_members(rows: pl.DataFrame, members: pl.DataFrame) -> pl.DataFrame:
    """The rows, once for each `member` that their host stands for; a host that is no set stands for itself."""
    return rows.join(members, on="host", how="left", validate="m:m").with_columns(member=pl.coalesce("member", "host"))


def gpus_held_twice(attribution: pl.DataFrame, *, interval: Interval) -> pl.DataFrame:
    """GPUs and slices that whole-device holds have for longer than the hour lasts: two had it at once.

    Kinds of sharing that permit it (shards, replicas, fractions) are left out. Source: design.md 5.4.
    """
    left = (interval.end - pl.col("hour_start")).dt.total_seconds()
    exclusive = attribution.filter(pl.col("gpu") != "", pl.col("sharing").is_in(EXCLUSIVE))
    sums = exclusive.group_by("hour_start", "host", "gpu").agg(observed=pl.col("held_seconds").sum())
    beyond = sums.with_columns(expected=pl.min_horizontal(left, pl.lit(3600)))
    return _findings(
        beyond.filter(pl.col("observed") > pl.col("expected")), key=("hour_start", "host", "gpu"), unit="device-seconds"
    )


def double_booked(capacity: pl.DataFrame, holds: pl.DataFrame) -> pl.DataFrame:
    """Hosts and hours in which more was held than there is, with the runs that held there: two say they had one GPU.

    Input:  contracts.capacity and contracts.holds of the same (cluster, day). What kinds of sharing may promise beyond
            the GPUs that share it is marked in the table, and no finding.
    Source: design.md 5.4, "any other overlap is a finding".
    """
    held = pl.col("held_unit_seconds") + pl.col("double_booked_unit_seconds")
    sums = capacity.filter(pl.col("double_booked_unit_seconds") != 0).with_columns(
        expected=pl.col("held_unit_seconds"), observed=held
    )
    found = _findings(sums, key=("hour_start", "host", "accelerator", "units_per_gpu"), unit="unit-seconds")
    spelled = [_spelled(name, sums.schema[name]) for name in ("hour_start", "host", "accelerator", "units_per_gpu")]
    until = pl.col("hour_start") + pl.duration(hours=1)
    holders = (
        sums.select("hour_start", "host", key=pl.concat_str(spelled, separator=" "))
        .join(holds.select("host", "run", "held_from", "held_until"), on="host", how="inner")
        .filter((pl.col("held_from") < until) & (pl.col("held_until") > pl.col("hour_start")))
        .group_by("key")
        .agg(runs=pl.col("run").unique().sort().head(NAMED_RUNS).str.join(", "))
    )
    named = found.join(holders, on="key", how="left", validate="1:1", maintain_order="left")
    runs = pl.when(pl.col("runs").is_not_null()).then(pl.format(", held by {}", "runs")).otherwise(pl.lit(""))
    return named.select("key", "expected", observed=pl.col("observed") + runs)


def _findings(sums: pl.DataFrame, *, key: tuple[str, ...], unit: str) -> pl.DataFrame:
    """Rows whose `expected` and `observed` differ, as findings sorted by key."""
    spelled = [_spelled(name, sums.schema[name]) for name in key]
    return (
        sums.filter(pl.col("expected").ne_missing(pl.col("observed")))
        .select(
            key=pl.concat_str(spelled, separator=" "),
            expected=pl.format("{} {}", pl.col("expected"), pl.lit(unit)),
            observed=pl.format("{} {}", pl.col("observed"), pl.lit(unit)),
        )
        .sort("key")
    )


def _spelled(name: str, dtype: pl.DataType) -> pl.Expr:
    if isinstance(dtype, pl.Datetime):
        return pl.col(name).dt.strftime("%Y-%m-%dT%H:%M:%SZ")
    if dtype == pl.Int64:
        return pl.format("{}={}", pl.lit(name), pl.col(name))
    return pl.col(name)
