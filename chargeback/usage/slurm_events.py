"""Node events of Slurm (`sacctmgr -P show event`): when a host was drained, down or in maintenance, and why.

Not here: what an event does to capacity (circumstances.py).
"""

from zoneinfo import ZoneInfo

import polars as pl

from chargeback.billing_period import Interval
from chargeback.contracts.contract import INSTANT
from chargeback.contracts.raw_events import RAW_EVENTS
from chargeback.usage.extract import ParsedExtract
from chargeback.usage.observations import fold_observations
from chargeback.usage.sacctmgr_text import of_other_clusters, read_table, split_faulty, with_instants

EVENT_COLUMNS = {
    "NodeName": pl.String(),
    "TimeStart": INSTANT,
    "TimeEnd": INSTANT,
    "State": pl.String(),
    "Reason": pl.String(),
    "line": pl.Int64(),
    "overlaps_from": INSTANT,
    "overlaps_until": INSTANT,
}

KEY = ("NodeName", "TimeStart", "State")


def parse_events(content: bytes, *, cluster: str, zone: ZoneInfo | None = None) -> ParsedExtract:
    """Read one extract of node events.

    Output:  source columns of contracts.raw_events and `line`. State is upper case without suffix characters (`DOWN*`).
             An event that goes on has no TimeEnd and no `overlaps_until`: it speaks of the time until its extraction.
             Rows without a node (`Cluster Registered TRES`) are no node events: they count as `steps_ignored`.
    Raises:  UnreadableExtract without a header that names NodeName, TimeStart, TimeEnd and State.
    """
    table = read_table(content, what="event", wanted=("nodename", "timestart", "timeend", "state"))
    of_nodes = table.frame.filter(pl.col("nodename").str.strip_chars() != "")
    timed = with_instants(of_nodes, ("timestart", "timeend"), zone=zone, what=f"event of {cluster}")
    elsewhere = of_other_clusters(timed, cluster=cluster, what="event")
    no_start = pl.when(pl.col("timestart").is_null()).then(pl.lit("event without a start"))
    backwards = pl.when(pl.col("timeend") < pl.col("timestart")).then(pl.lit("event that ends before it starts"))
    good, faulty = split_faulty(
        timed.with_columns(fault=pl.coalesce(elsewhere, "fault", no_start, backwards)), instant="timestart"
    )
    reason = pl.col("reason") if "reason" in good.columns else pl.lit(None, pl.String)
    frame = good.select(
        pl.col("nodename").str.strip_chars().alias("NodeName"),
        pl.col("timestart").alias("TimeStart"),
        pl.col("timeend").alias("TimeEnd"),
        pl.col("state").str.to_uppercase().str.replace_all(r"[^A-Z_+]", "").alias("State"),
        reason.alias("Reason"),
        "line",
        pl.col("timestart").alias("overlaps_from"),
        pl.col("timeend").alias("overlaps_until"),
    )
    quarantined = (*table.quarantined, *faulty)
    ignored = len(table.frame) - len(of_nodes)
    return ParsedExtract(frame, len(frame) + ignored + len(quarantined), ignored, quarantined)


def raw_events_of_day(observations: pl.DataFrame, *, cluster: str, day: str, interval: Interval) -> pl.DataFrame:
    """Node events that overlap a day, each as known when that day's facts last changed.

    Input:   frames of parse_events with `object` and `extracted_at`, concatenated.
    Output:  contracts.raw_events, sorted by key. A later extract that ends an event outranks one in which it went on;
             an event of no length is kept on its day.
    """
    end_of_day = pl.min_horizontal(pl.col("TimeEnd").fill_null(interval.end), pl.lit(interval.end))
    counted = fold_observations(
        observations.with_columns(ends_on_day=end_of_day, overlaps=_overlaps(interval)),
        key=KEY,
        facts=("ends_on_day", "overlaps", "Reason"),
        final=pl.col("TimeEnd").is_not_null(),
    )
    return (
        counted.filter(pl.col("overlaps"))
        .with_columns(cluster=pl.lit(cluster), day=pl.lit(day))
        .select(RAW_EVENTS.column_names)
        .sort(RAW_EVENTS.key)
    )


def _overlaps(interval: Interval) -> pl.Expr:
    """Whether the event, as far as its observation knows, touches the interval."""
    until = pl.coalesce("TimeEnd", pl.max_horizontal("TimeStart", "extracted_at"))
    inside = (pl.col("TimeStart") >= interval.start) & (pl.col("TimeStart") < interval.end)
    return inside | ((pl.col("TimeStart") < interval.start) & (until > interval.start))
