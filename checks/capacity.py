"""Checks of capacity."""

import polars as pl

from chargeback.attribution.conservation import capacity_states_add_up, double_booked
from chargeback.contracts.capacity import CAPACITY
from chargeback.contracts.holds import HOLDS
from checks.gate import Check, Outcome, Reading


def unconserved(reading: Reading) -> Outcome:
    """Hours whose states do not add up to capacity (design.md 5.4)."""
    rows = reading.table(CAPACITY).collect()
    return Outcome(capacity_states_add_up(rows), {"host_hours": len(rows)})


def held_twice(reading: Reading) -> Outcome:
    """Hours in which more was held than there is, by holds that cannot have a GPU in common (design.md 5.4).

    Replicas, vGPUs and fractions may be promised beyond the GPUs that share them: that is counted, and no finding.
    """
    rows = reading.table(CAPACITY).collect()
    promised = (pl.col("overcommitted_unit_seconds") - pl.col("double_booked_unit_seconds")).sum()
    found = double_booked(rows, reading.table(HOLDS).collect())
    return Outcome(found, {"promised_beyond_capacity_unit_seconds": rows.select(promised).item()})


def held_beyond_inventory(reading: Reading) -> Outcome:
    """Hosts and accelerators that were held and that no node record knows: capacity is taken to be what was held."""
    rows = reading.table(CAPACITY).filter((pl.col("inventory") == "none") & (pl.col("held_unit_seconds") > 0)).collect()
    hosts = rows.group_by("host", "accelerator").agg(pl.len().alias("hours")).sort("host", "accelerator")
    findings = hosts.select(
        key=pl.format("{} {}", "host", "accelerator"),
        expected=pl.lit("a node record that has this accelerator: land node records, or mend its alias"),
        observed=pl.format("none, held in {} hours", "hours"),
    )
    return Outcome(findings)


CHECKS = (
    Check("capacity_conserved", CAPACITY, "Each second of each GPU is in exactly one state.", unconserved, stops="run"),
    Check("capacity_not_overcommitted", CAPACITY, "Nobody holds more than there is, but by sharing that permits it.",
          held_twice, stops="certificate"),
    Check("capacity_inventoried", CAPACITY, "Everything that was held stands in the inventory.", held_beyond_inventory,
          stops="nothing"),
)  # fmt: skip
