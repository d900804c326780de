"""Nothing is lost and nothing is counted twice: findings about attribution and capacity, for the gate to judge.

Every function returns the findings as a frame (`key`, `expected`, `observed`, all text), empty when all is well.
Not here: which finding blocks publication (checks/).
"""

import polars as pl

from chargeback.contracts.capacity import STATES

FINDINGS = {"key": pl.String(), "expected": pl.String(), "observed": pl.String()}
HOLD_KEY = ("run", "host", "accelerator", "sharing", "share_units", "units_per_gpu")
STATES_OF_HELD_TIME = ("idle_seconds", "starved_seconds", "busy_seconds", "unmeasured_seconds")


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
    """In every row idle, starved, busy and unmeasured seconds add up to the held ones. Source: design.md 2."""
    sums = attribution.with_columns(expected=pl.col("held_seconds"), observed=pl.sum_horizontal(STATES_OF_HELD_TIME))
    return _findings(sums, key=("hour_start", "run", "host", "accelerator", "sharing", "gpu"), unit="device-seconds")


def capacity_states_add_up(capacity: pl.DataFrame) -> pl.DataFrame:
    """In every row of contracts.capacity the states add up to the capacity. Source: design.md 5.4."""
    states = [f"{state}_unit_seconds" for state in STATES]
    sums = capacity.with_columns(expected=pl.col("capacity_unit_seconds"), observed=pl.sum_horizontal(states))
    return _findings(sums, key=("hour_start", "host", "accelerator", "units_per_gpu"), unit="unit-seconds")


def overcommitted(capacity: pl.DataFrame) -> pl.DataFrame:
    """Hosts and hours in which more was held than there is: two runs say that they had the same GPU.

    Source: design.md 5.4, "any other overlap is a finding".
    """
    held = pl.col("held_unit_seconds") + pl.col("overcommitted_unit_seconds")
    sums = capacity.with_columns(expected=pl.col("held_unit_seconds"), observed=held)
    return _findings(sums, key=("hour_start", "host", "accelerator", "units_per_gpu"), unit="unit-seconds")


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
