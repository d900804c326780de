"""What befalls whole hosts during a day: out of service, reserved, held exclusively, held by a run of unknown count.

Not here: how many GPUs that concerns (capacity.py).
"""

from collections.abc import Sequence

import polars as pl

from chargeback.billing_period import Interval
from chargeback.usage.hostlist import expand_hosts

CIRCUMSTANCES = ("planned", "unplanned", "reserved", "exclusive", "unknown")

SPELLS = {"host": pl.String(), "circumstance": pl.String(), "from": pl.Int64(), "until": pl.Int64()}
"""Host, which of CIRCUMSTANCES, and from when until when in seconds of the day, half-open."""

_PLANNED = r"MAINT|PLANNED|REBOOT|POWER"
_IN_SERVICE = r"^(ALLOC|ALLOCATED|MIX|MIXED|IDLE|COMP|COMPLETING|\+)+$"
_IS_MAINTENANCE = pl.col("Flags").fill_null("").str.to_uppercase().str.contains(r"\bMAINT\b")


def circumstances_of_day(
    raw_events: pl.DataFrame, raw_reservations: pl.DataFrame, runs: pl.DataFrame, *, interval: Interval
) -> pl.DataFrame:
    """Spells of every circumstance, cut to the day.

    Input:   contracts.raw_events, raw_reservations and runs of one (cluster, day).
    Output:  SPELLS. Maintenance, planned, reboot and powered-down events and MAINT reservations are `planned`, other
             events `unplanned`; an event that lasts holds until the day's end. Reservations without a node list say
             nothing about hosts. `exclusive`: a run of known count that has the node to itself. `unknown`: a run whose
             GPU count nobody recorded.
    Source:  design.md 2 "out of service", "reserved unused", "blocked"; 5.2; 5.4.
    """
    return pl.concat(
        [
            cut_spells(_out_of_service(raw_events), interval),
            cut_spells(_reserved(raw_reservations), interval),
            cut_spells(spells_of_runs(runs), interval),
        ]
    )


def _out_of_service(raw_events: pl.DataFrame) -> pl.DataFrame:
    planned = pl.when(pl.col("State").str.contains(_PLANNED)).then(pl.lit("planned")).otherwise(pl.lit("unplanned"))
    return raw_events.filter(pl.col("State").str.contains(_IN_SERVICE).not_()).select(
        pl.col("NodeName").alias("host"),
        planned.alias("circumstance"),
        pl.col("TimeStart").alias("begins"),
        pl.col("TimeEnd").alias("ends"),
    )


def reservations_of_day(raw_reservations: pl.DataFrame) -> pl.DataFrame:
    """host, reservation, begins and ends of every reservation of hosts that is no maintenance.

    Input: contracts.raw_reservations.
    """
    return _on_each_host(
        raw_reservations.filter(~_IS_MAINTENANCE).select(
            pl.col("NodeNames").fill_null("").alias("hosts"),
            pl.col("Name").alias("reservation"),
            pl.col("TimeStart").alias("begins"),
            pl.col("TimeEnd").alias("ends"),
        )
    )


def _reserved(raw_reservations: pl.DataFrame) -> pl.DataFrame:
    return _on_each_host(
        raw_reservations.select(
            pl.col("NodeNames").fill_null("").alias("hosts"),
            pl.when(_IS_MAINTENANCE).then(pl.lit("planned")).otherwise(pl.lit("reserved")).alias("circumstance"),
            pl.col("TimeStart").alias("begins"),
            pl.col("TimeEnd").alias("ends"),
        )
    )


def spells_of_runs(runs: pl.DataFrame) -> pl.DataFrame:
    """host, circumstance, begins and ends of runs that have a node to themselves, or an unknown part of it.

    Input: contracts.runs; a Kubernetes run is on its host from when it was bound.
    """
    is_unknown = pl.col("gpu_count_basis") == "unknown"
    begins = pl.coalesce("bound", "started")
    return _on_each_host(
        runs.filter(begins.is_not_null(), is_unknown | pl.col("is_exclusive")).select(
            pl.col("hosts").fill_null(""),
            pl.when(is_unknown).then(pl.lit("unknown")).otherwise(pl.lit("exclusive")).alias("circumstance"),
            begins.alias("begins"),
            pl.col("observed_until").alias("ends"),
        )
    )


def _on_each_host(spells: pl.DataFrame) -> pl.DataFrame:
    """One row per host of the folded list `hosts`."""
    folded: Sequence[str] = spells["hosts"].unique().to_list()
    expanded = pl.DataFrame(
        {"hosts": folded, "host": [list(expand_hosts(hosts)) for hosts in folded]},
        schema={"hosts": pl.String(), "host": pl.List(pl.String())},
    )
    return (
        spells.join(expanded, on="hosts", how="left", validate="m:1")
        .explode("host")
        .filter(pl.col("host").is_not_null())
        .select("host", *(name for name in spells.columns if name != "hosts"))
    )


def cut_spells(open_spells: pl.DataFrame, interval: Interval) -> pl.DataFrame:
    """SPELLS of host, circumstance, begins and ends, cut to the day; what has no end lasts until the day's end."""
    begins = pl.max_horizontal("begins", pl.lit(interval.start))
    ends = pl.min_horizontal("ends", pl.lit(interval.end))
    return open_spells.select(
        "host",
        "circumstance",
        (begins - interval.start).dt.total_seconds().alias("from"),
        (ends - interval.start).dt.total_seconds().alias("until"),
    ).filter(pl.col("from") < pl.col("until"))
