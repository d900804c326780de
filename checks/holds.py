"""Checks of holds."""

import polars as pl

from chargeback.contracts.holds import HOLDS
from checks.gate import Check, Outcome, Reading


def holds_outside_day(reading: Reading) -> Outcome:
    """Holds that reach beyond the day or have no length."""
    assert reading.day is not None  # noqa: S101  (holds are partitioned by day)
    rows = reading.table(HOLDS).collect()
    inside = (
        (pl.col("held_from") >= reading.day.interval.start)
        & (pl.col("held_until") <= reading.day.interval.end)
        & (pl.col("held_from") < pl.col("held_until"))
    )
    findings = rows.filter(~inside).select(
        key=pl.format("{} on {}", "run", "host"),
        expected=pl.lit(f"inside {reading.day.interval.start} .. {reading.day.interval.end}"),
        observed=pl.format("{} .. {}", "held_from", "held_until"),
    )
    return Outcome(findings, {"holds": len(rows)})


def untyped_holds(reading: Reading) -> Outcome:
    """Holds whose accelerator no record names: they can be charged only if the card or an alias says what they are."""
    rows = reading.table(HOLDS).filter(pl.col("accelerator") == "untyped").collect()
    findings = rows.select(
        key=pl.format("{} on {}", "run", "host"),
        expected=pl.lit("a gres type or product, a node record with one, or an alias for `untyped` in [accelerators]"),
        observed=pl.lit("untyped"),
    )
    return Outcome(findings)


CHECKS = (
    Check("holds_inside_day", HOLDS, "Every hold lies inside its day, with a length.", holds_outside_day, stops="run"),
    Check("holds_mapped", HOLDS, "The accelerator of every hold is named.", untyped_holds, stops="nothing"),
)  # fmt: skip
