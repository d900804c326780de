"""What devices did in any stretch of time: running sums over their samples, and differences at the boundaries.

One pass over the samples makes running sums; a stretch is the sum at its end less the sum at its start, so stretches
that overlap or share a device cost nothing more, and no sample is ever copied for one. Integers throughout: the result
depends neither on the order of rows nor on where a stretch is cut. Not here: who held the device (held_activity.py).
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import polars as pl

PPM_PER_PERCENT = 10_000

READINGS = ("device", "at_milliseconds", "active_ppm", "running_ppm", "power_milliwatts", "fb_used_mebibytes")
"""What of contracts.raw_samples is looked at: numbers only, which a fleet's memory can hold."""

DEVICE_SPACE = 1 << 30
"""Milliseconds set apart for each device on one common axis of time: twelve days, so that no two devices meet."""

SAMPLES_AT_ONCE = 8_000_000
"""Whole devices are summed together up to about so many samples, which bounds the memory that it takes."""

MEASURED = {
    "observed_milliseconds": pl.Int64(),
    "active_milliseconds": pl.Int64(),
    "idle_milliseconds": pl.Int64(),
    "consumed_ppm_milliseconds": pl.Int64(),
    "power_observed_milliseconds": pl.Int64(),
    "energy_microjoules": pl.Int64(),
    "fb_observed_milliseconds": pl.Int64(),
    "fb_used_mebibyte_milliseconds": pl.Int64(),
    "fb_max_mebibytes": pl.Int64(),
}
"""What `measure` says of a stretch; all zero where there is no sample, the greatest frame buffer null."""


@dataclass(frozen=True, slots=True)
class Sampling:
    """How samples of a day are read: how long one can hold, and above what activity a device is active."""

    staleness_milliseconds: int
    active_above_ppm: int


def measure(
    stretches: pl.DataFrame, raw_samples: pl.DataFrame, *, sampling: Sampling, samples_at_once: int = SAMPLES_AT_ONCE
) -> pl.DataFrame:
    """Say what the device of each stretch did in it.

    Input:   stretches: `device`, and `from` and `until` in milliseconds of the day, 0 <= from <= until <= its length;
             READINGS of contracts.raw_samples of the day.
    Output:  the stretches in the same order with MEASURED, in milliseconds of the device. A sample holds from its
             instant until the device's next valid value of that quantity, at most for the staleness.
             Idle: activity 0 and, where it was sampled with it, nothing runs. Active: above the threshold.
    Source:  design.md 5.5; docs/glossary.md "idle, starved, busy, unmeasured".
    """
    numbered = stretches.with_row_index("stretch").sort("device", "from", maintain_order=True)
    kept = [
        _measured(numbered.filter(pl.col("device").is_between(first, last)), samples, sampling)
        for first, last, samples in _whole_devices(raw_samples, samples_at_once)
    ]
    found = pl.concat(kept) if kept else pl.DataFrame(schema={"stretch": pl.UInt32(), **MEASURED})
    return (
        stretches.with_row_index("stretch")
        .join(found, on="stretch", how="left", validate="1:1", maintain_order="left")
        .drop("stretch")
        .with_columns(pl.col(name).fill_null(0) for name in MEASURED if name != "fb_max_mebibytes")
    )


def _whole_devices(raw_samples: pl.DataFrame, samples_at_once: int) -> Iterator[tuple[int, int, pl.DataFrame]]:
    """First device, last device and samples of parts that hold whole devices each, in order of device and time.

    That order is one number, `at`: device x DEVICE_SPACE + instant.
    """
    readings = raw_samples.select(READINGS)
    in_order = readings if readings["device"].is_sorted() else readings.sort("device")
    counts = in_order.group_by("device").len().sort("device").with_columns(end=pl.col("len").cum_sum().cast(pl.Int64))
    part = (pl.col("end") - 1) // samples_at_once
    parts = counts.group_by(part.alias("part"), maintain_order=True).agg(
        first=pl.col("device").min(), last=pl.col("device").max(), count=pl.col("len").sum(), end=pl.col("end").max()
    )
    for first, last, count, end in parts.select("first", "last", "count", "end").iter_rows():
        samples = in_order.slice(end - count, count).with_columns(_on_axis("at_milliseconds").alias("at"))
        yield first, last, samples if samples["at"].is_sorted() else samples.sort("at")


def _on_axis(instant: str) -> pl.Expr:
    return pl.col("device").cast(pl.Int64) * DEVICE_SPACE + pl.col(instant)


def _measured(stretches: pl.DataFrame, samples: pl.DataFrame, sampling: Sampling) -> pl.DataFrame:
    """`stretch` and MEASURED of the stretches of some devices, which come sorted by device and start."""
    activity = {
        "observed_milliseconds": pl.lit(1),
        "active_milliseconds": pl.col("active_ppm") > sampling.active_above_ppm,
        "idle_milliseconds": (pl.col("active_ppm") == 0) & (pl.col("running_ppm").fill_null(0) == 0),
        "consumed_ppm_milliseconds": pl.col("active_ppm"),
    }
    power = {"power_observed_milliseconds": pl.lit(1), "energy_microjoules": pl.col("power_milliwatts")}
    fb = {"fb_observed_milliseconds": pl.lit(1), "fb_used_mebibyte_milliseconds": pl.col("fb_used_mebibytes")}
    every = _holding(samples, sampling)
    with_fb = _holding_with("fb_used_mebibytes", samples, every, sampling)
    return pl.concat(
        [
            stretches.select("stretch"),
            _differences(stretches, _holding_with("active_ppm", samples, every, sampling), activity),
            _differences(stretches, _holding_with("power_milliwatts", samples, every, sampling), power),
            _differences(stretches, with_fb, fb),
            _greatest(stretches, with_fb, "fb_used_mebibytes").to_frame("fb_max_mebibytes"),
        ],
        how="horizontal",
    )


def _holding(samples: pl.DataFrame, sampling: Sampling) -> pl.DataFrame:
    """The samples with the instant on the axis until which each holds, and for how long that is."""
    stale = pl.col("at") + sampling.staleness_milliseconds
    until = pl.min_horizontal(pl.col("at").shift(-1), stale)
    return samples.with_columns(until=until).with_columns(held=pl.col("until") - pl.col("at")).rechunk()


def _holding_with(value: str, samples: pl.DataFrame, every: pl.DataFrame, sampling: Sampling) -> pl.DataFrame:
    """The same of those samples only that have this value; a missing one ends nothing. Mostly it is all of them."""
    if samples[value].null_count() == 0:
        return every
    return _holding(samples.filter(pl.col(value).is_not_null()), sampling)


def _differences(stretches: pl.DataFrame, holding: pl.DataFrame, rates: Mapping[str, pl.Expr]) -> pl.DataFrame:
    """Rate x time of each stretch, for each rate: the running sum at its end less that at its start.

    On the common axis the last sample before a device's first one is another device's; it has ended by then, so what
    it adds up to is where this device's sums begin.
    """
    numbers = {name: rate.cast(pl.Int64) for name, rate in rates.items()}
    running = holding.select((rate * pl.col("held")).cum_sum().alias(name) for name, rate in numbers.items())
    sums = holding.hstack(running.rechunk())
    begun, ended = (_sums_at(stretches, sums, boundary, numbers) for boundary in ("from", "until"))
    return ended.select(pl.col(name) - begun[name] for name in rates)


def _sums_at(stretches: pl.DataFrame, sums: pl.DataFrame, boundary: str, rates: Mapping[str, pl.Expr]) -> pl.DataFrame:
    """The running sums at one boundary of every stretch, in the order of the stretches."""
    still_to_come = pl.col("until") - pl.min_horizontal("boundary", "until")
    at_boundary = [(pl.col(name) - rate * still_to_come).alias(name) for name, rate in rates.items()]
    return _before(stretches, sums, boundary).select(at_boundary).fill_null(0)


def _before(stretches: pl.DataFrame, held: pl.DataFrame, boundary: str) -> pl.DataFrame:
    """For one boundary of every stretch, in their order, the last sample before it (a null one if there is none)."""
    boundaries = stretches.select(_on_axis(boundary).alias("boundary")).with_row_index("place").sort("boundary")
    return boundaries.join_asof(
        held, left_on="boundary", right_on="at", allow_exact_matches=boundary == "from", check_sortedness=False,
        coalesce=False,
    ).sort("place")  # fmt: skip


def _greatest(stretches: pl.DataFrame, held: pl.DataFrame, value: str) -> pl.Series:
    """The greatest value that holds at some instant of each stretch; null where none does.

    Of a range of n samples it is the greater of two overlapping ranges as long as the greatest power of two up to n;
    maxima of such ranges are made by doubling, in as many passes as the longest stretch has binary digits.
    """
    numbered = held.select("at", "until", value).with_row_index("sample")
    begun, ended = (_before(stretches, numbered, boundary) for boundary in ("from", "until"))
    holds_still = begun["until"] > begun["boundary"]
    first = (begun["sample"].cast(pl.Int64) + 1 - holds_still.cast(pl.Int64)).fill_null(0)
    has_length = (ended["boundary"] > begun["boundary"]).cast(pl.Int64)
    count = ((ended["sample"].cast(pl.Int64) + 1).fill_null(0) - first) * has_length
    ranges = pl.DataFrame({"first": first, "count": count}).with_row_index("place")
    longest = ranges.select(pl.col("count").max()).item() or 0
    parts, width, maxima = [], 1, held[value]
    while width <= longest:
        fitting = ranges.filter(pl.col("count") >= width, pl.col("count") < 2 * width)
        left = maxima.gather(fitting["first"])
        right = maxima.gather(fitting["first"] + fitting["count"] - width)
        greatest = pl.select(pl.max_horizontal(left, right).cast(pl.Int64).alias("greatest")).to_series()
        parts.append(fitting.select("place").with_columns(greatest))
        maxima = pl.select(pl.max_horizontal(maxima, maxima.shift(-width))).to_series()
        width *= 2
    found = pl.concat(parts) if parts else pl.DataFrame(schema={"place": pl.UInt32(), "greatest": pl.Int64()})
    return ranges.join(found, on="place", how="left", validate="1:1", maintain_order="left")["greatest"]
