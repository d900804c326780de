"""Which GPUs a hold has and what they did while it had them: one row per hold, bound GPU and stretch.

Not here: the running sums (samples_over_time.py), and what says which GPU it was (bindings).
"""

import polars as pl

from chargeback.attribution.samples_over_time import Sampling, measure

HOLD = ("run", "host", "accelerator", "sharing", "held_from")
SHARE = ("share_units", "units_per_gpu")

EXCLUSIVE = ("whole", "mig")
"""Kinds of sharing under which one hold has the device to itself."""


def parts_of_holds(holds: pl.DataFrame, bindings: pl.DataFrame) -> pl.DataFrame:
    """Every hold as the GPUs that it is bound to, and what is left of it as one unbound part.

    Input:   contracts.holds and contracts.bindings of the same (cluster, day).
    Output:  the hold's key and share, held_until, and `gpu` (empty: unbound), `device` (null: telemetry never saw it)
             and `devices`: how many of the hold's devices these are, 1 or the shards or replicas on that GPU. They add
             up to the hold's device_count. Bindings without their hold are left out (checks/bindings.py finds them).
    """
    bound = holds.join(
        bindings.select(*HOLD, "gpu", "device", bound_units=pl.col("share_units")), on=HOLD, how="inner", validate="1:m"
    ).with_columns(devices=pl.col("bound_units") // pl.col("share_units"))
    counted = bound.group_by(HOLD).agg(bound_devices=pl.col("devices").sum())
    rest = (
        holds.join(counted, on=HOLD, how="left", validate="1:1")
        .with_columns(
            devices=pl.col("device_count") - pl.col("bound_devices").fill_null(0),
            gpu=pl.lit(""),
            device=pl.lit(None, pl.Int32),
        )
        .filter(pl.col("devices") > 0)
    )
    columns = (*HOLD, "held_until", *SHARE, "gpu", "device", "devices")
    return pl.concat([bound.select(columns), rest.select(columns)])


def with_activity(stretches: pl.DataFrame, raw_samples: pl.DataFrame, *, sampling: Sampling) -> pl.DataFrame:
    """What every stretch of a part did, in device-milliseconds: those of its GPU, times its devices.

    Input:   `device`, `devices`, and `from` and `until` in seconds of the day.
    Output:  the same rows with MEASURED and the state of held time: idle; busy, which is active; starved, the rest of
             what was observed; unmeasured, the rest of what was held. The greatest frame buffer is the GPU's.
    Source:  docs/glossary.md, "idle, starved, busy, unmeasured".
    """
    in_milliseconds = stretches.select(pl.col("device").fill_null(-1), pl.col("from") * 1000, pl.col("until") * 1000)
    seen = measure(in_milliseconds, raw_samples, sampling=sampling).drop("device", "from", "until")
    times_devices = [pl.col(name) * pl.col("devices") for name in seen.columns if name != "fb_max_mebibytes"]
    held = pl.col("devices") * (pl.col("until") - pl.col("from")) * 1000
    observed, idle, busy = (pl.col(f"{name}_milliseconds") for name in ("observed", "idle", "active"))
    return (
        pl.concat([stretches, seen], how="horizontal")
        .with_columns(times_devices)
        .with_columns(
            busy_milliseconds=busy,
            starved_milliseconds=observed - idle - busy,
            unmeasured_milliseconds=held - observed,
        )
    )
