"""Checks of bindings."""

import polars as pl

from assets.bindings import EVIDENCE_TABLES
from assets.inventories import INVENTORY_TABLES, inventory_of_tables
from chargeback.contracts.bindings import BINDINGS
from chargeback.contracts.holds import HOLDS
from chargeback.contracts.raw_bindings import RAW_BINDINGS
from chargeback.contracts.raw_device_maps import RAW_DEVICE_MAPS
from chargeback.contracts.raw_devices import RAW_DEVICES
from chargeback.contracts.runs import RUNS
from chargeback.usage.binding_conflicts import doubly_bound
from chargeback.usage.bindings import contested_devices
from chargeback.usage.label_agreement import indices_without_table, labels_against_holds
from checks.gate import Check, Outcome, Reading


def bindings_beyond_holds(reading: Reading) -> Outcome:
    """Bindings that are not as long as their hold, or that give a hold more devices than it has."""
    bindings, holds = reading.table(BINDINGS).collect(), reading.table(HOLDS).collect()
    key = ["run", "host", "accelerator", "sharing", "held_from", "held_until"]
    of_hold = holds.select(*key, "device_count", units_of_device="share_units")
    devices = pl.col("share_units") // pl.col("units_of_device")
    bound = bindings.join(of_hold, on=key, how="left", validate="m:1").group_by(key).agg(
        has=pl.col("device_count").first().fill_null(0), bound=devices.sum(), rows=pl.len()
    )  # fmt: skip
    findings = bound.filter((pl.col("has") == 0) | (pl.col("bound") > pl.col("has"))).select(
        key=pl.format("{} on {} {} .. {}", "run", "host", "held_from", "held_until"),
        expected=pl.format("at most the devices of a hold of that length: {}", "has"),
        observed=pl.format("{} bindings", "rows"),
    )
    return Outcome(findings.sort("key"), {"bindings": len(bindings), "holds": len(holds)})


def devices_of_two(reading: Reading) -> Outcome:
    """Devices that two holds have, or claim by equally good evidence, at one time, and that cannot be shared."""
    bindings, holds, runs = (reading.table(contract).collect() for contract in (BINDINGS, HOLDS, RUNS))
    evidence = [reading.table(contract).collect() for contract in EVIDENCE_TABLES]
    inventory = inventory_of_tables((reading.table(contract) for contract in INVENTORY_TABLES), reading.settings)
    doubled = doubly_bound(bindings).join(bindings.with_row_index("hold"), on=["hold", "gpu"]).select(
        key=pl.format("{} {}", "host", "gpu"),
        expected=pl.lit("one hold at a time"),
        observed=pl.format("bound to {} {} .. {} and another", "run", "held_from", "held_until"),
    )  # fmt: skip
    contested = contested_devices(holds, runs, *evidence, inventory, aliases=reading.settings.accelerators)
    return Outcome(pl.concat([doubled, contested]), {"bindings": len(bindings), "contested": len(contested)})


def labels_that_disagree(reading: Reading) -> Outcome:
    """Labels that stand on devices which their workload does not hold, and indices that no table translates."""
    assert reading.day is not None  # noqa: S101  (bindings are partitioned by day)
    bindings, holds, runs, devices, granted, maps = (
        reading.table(contract).collect()
        for contract in (BINDINGS, HOLDS, RUNS, RAW_DEVICES, RAW_BINDINGS, RAW_DEVICE_MAPS)
    )
    tolerance = reading.settings.staleness_seconds(reading.day.cluster)
    stale = labels_against_holds(devices, runs, bindings, tolerance_seconds=tolerance)
    refused = indices_without_table(
        holds, runs, bindings, granted, maps, devices, aliases=reading.settings.accelerators
    )
    return Outcome(pl.concat([stale, refused]), {"labels": len(stale), "indices_refused": len(refused)})


CHECKS = (
    Check("bindings_within_holds", BINDINGS, "Every binding is as long as its hold and within its count.",
          bindings_beyond_holds, stops="run"),
    Check("bindings_exclusive", BINDINGS, "No GPU is claimed by two holds at once; one that is stays unbound and "
          "unmeasured, its charge stands.", devices_of_two, stops="nothing"),
    Check("labels_agree", BINDINGS, "Labels and indices on devices agree with the scheduler; where they do not, the "
          "scheduler's interval counts.", labels_that_disagree, stops="nothing"),
)  # fmt: skip
