"""Hosts of telemetry under the names that the scheduler gives them: exporters often print a fully qualified name.

Not here: which label of the exporter is the host (dcgm_names.py).
"""

import polars as pl


def as_scheduled(raw_devices: pl.DataFrame, *hosts: pl.Series) -> pl.DataFrame:
    """contracts.raw_devices with each host called as the scheduler calls it.

    `hosts` are the scheduler's names. A name that is none of them, but is one up to its first dot, is that one.
    """
    known = pl.concat([each.cast(pl.String) for each in hosts]).unique().implode()
    short = pl.col("host").str.split(".").list.first()
    is_qualified = ~pl.col("host").is_in(known) & short.is_in(known)
    return raw_devices.with_columns(host=pl.when(is_qualified).then(short).otherwise("host"))
