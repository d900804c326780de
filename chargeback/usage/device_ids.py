"""Names of devices: UUIDs and slices as drivers, plugins and prologs spell them, and lists of minor numbers.

Everywhere else a GPU is its UUID and a slice `UUID/instance id`. Not here: which hold has the device.
"""

import polars as pl

from chargeback.contracts.raw_devices import RAW_DEVICES

DEVICES = {
    "device": pl.Int32(),
    "host": pl.String(),
    "gpu": pl.String(),
    "slice_profile": pl.String(),
    "seen_from": RAW_DEVICES.schema["seen_from"],
    "seen_until": RAW_DEVICES.schema["seen_until"],
}
"""What telemetry knows: one row per device and stretch, `gpu` in our spelling."""

_REPLICA = r"::.*$"
_MIG_INSTANCE_OF_HAMI = r"\[.*\]$"
_LEGACY_SLICE = r"^MIG-(GPU-[^/]+)/(\d+)/\d+$"
_SPAN = r"^\s*(\d+)(?:-(\d+))?(?:\((\d+)/\d+\))?\s*$"


def gpu_or_slice() -> pl.Expr:
    """The identity of a row of contracts.raw_devices: `UUID`, or `UUID/instance id` of a slice."""
    is_slice = pl.col("gpu_instance") != ""
    return pl.when(is_slice).then(pl.concat_str("gpu", "gpu_instance", separator="/")).otherwise("gpu").alias("gpu")


def named_gpu(device_id: pl.Expr) -> pl.Expr:
    """A device id as our identity: `GPU-1::3` is a replica of GPU-1, `MIG-GPU-1/7/0` the slice GPU-1/7.

    `MIG-<uuid>` says neither the GPU nor the instance, and is left as it is.
    """
    plain = device_id.str.strip_chars().str.replace(_REPLICA, "").str.replace(_MIG_INSTANCE_OF_HAMI, "")
    return plain.str.replace(_LEGACY_SLICE, "${1}/${2}")


def uuid_of_gpu(gpu: pl.Expr) -> pl.Expr:
    """The UUID of the GPU that a GPU or slice is, or is cut from."""
    return gpu.str.split("/").list.first()


def known_devices(raw_devices: pl.DataFrame) -> pl.DataFrame:
    """DEVICES, out of contracts.raw_devices."""
    return raw_devices.select("device", "host", gpu_or_slice(), "slice_profile", "seen_from", "seen_until")


def with_minors(rows: pl.DataFrame, indices: str) -> pl.DataFrame:
    """One row for each minor number that the column names (`0-3,6`; shards `0(40/80)`), numbers of no device left out.

    Output:  the rows with `minor` and `parts`: how many shards of it, null where the text says no parts.
    """
    span = pl.col(indices).str.extract_groups(_SPAN)
    first, last, parts = (span.struct.field(str(group)).cast(pl.Int64) for group in (1, 2, 3))
    return (
        rows.with_columns(pl.col(indices).str.split(","))
        .explode(indices)
        .with_columns(first=first, last=last, parts=parts)
        .filter(pl.col("first").is_not_null(), pl.col("parts").fill_null(1) > 0)
        .with_columns(minor=pl.int_ranges("first", pl.coalesce("last", "first") + 1))
        .drop("first", "last", indices)
        .explode("minor")
    )
