"""holds of a Kubernetes cluster and day: which GPUs, slices or parts of them each pod had on its host, cut to the day.

Not here: how many a pod asks (kubernetes_asks.py), when it holds them (kubernetes_spans.py), which devices (bindings).
"""

from collections.abc import Mapping
from fractions import Fraction

import polars as pl

from chargeback.billing_period import Interval
from chargeback.contracts.holds import HOLDS
from chargeback.usage.accelerators import accelerator_of_product, slice_accelerator
from chargeback.usage.kubernetes_asks import ASKS, asks_of_pods
from chargeback.usage.kubernetes_claimed import pods_of_claims_alone
from chargeback.usage.sweep import levels_over_time

UNKNOWN_HOST = "unknown"
_DEVICE = ("claim", "claimed_device")


def kubernetes_holds_of_day(
    runs: pl.DataFrame,
    raw_pods: pl.DataFrame,
    raw_claims: pl.DataFrame,
    raw_slices: pl.DataFrame,
    raw_kubernetes_nodes: pl.DataFrame,
    *,
    cluster: str,
    day: str,
    interval: Interval,
    aliases: Mapping[str, str],
) -> pl.DataFrame:
    """Give every run with a known count its holds.

    Input:   contracts.runs and the raw tables of that cluster and day; `aliases` maps lower-cased products to
             accelerators; `interval` is the day.
    Output:  contracts.holds, sorted by key. The accelerator is the node's product, or the claimed device's. A device of
             a claim that several pods have at once is shared equally by those that have it, moment by moment. Parts of
             different size that a pod has of one accelerator are one row, each device the mean of them.
    Source:  design.md 2 "hold", "share"; 5.3.
    """
    held = runs.filter(pl.col("gpu_count") > 0).select(
        "run",
        "gpu_count",
        "gpu_count_basis",
        "is_running",
        host=pl.col("hosts").fill_null(UNKNOWN_HOST),
        held_from=pl.max_horizontal("bound", pl.lit(interval.start)),
        held_until=pl.min_horizontal("observed_until", pl.lit(interval.end)),
    )
    held = held.filter(pl.col("held_from") < pl.col("held_until"))
    alone = pods_of_claims_alone(raw_pods, raw_claims, raw_slices, day_start=interval.start)
    pods = pl.concat([raw_pods, alone])
    asks, counts = asks_of_pods(pods, raw_claims, raw_slices, raw_kubernetes_nodes)
    everything = pl.concat([_recorded(held, asks, counts), _approved(held, counts)])
    moments = _shared_claims(everything, interval)
    named = moments.join(_accelerators(moments, aliases), on=["product", "slice_profile"], nulls_equal=True)
    return (
        _one_row_each(named.with_columns(split=pl.lit("one host"), cluster=pl.lit(cluster), day=pl.lit(day)))
        .select(HOLDS.column_names)
        .sort(HOLDS.key)
    )


def _recorded(held: pl.DataFrame, asks: pl.DataFrame, counts: pl.DataFrame) -> pl.DataFrame:
    """What pods ask; devices of the kubelet are of the node's product."""
    of_node = counts.select("uid", "product_of_node")
    return (
        held.filter(pl.col("gpu_count_basis") == "recorded")
        .join(asks, left_on="run", right_on="uid", how="inner", validate="1:m")
        .join(of_node, left_on="run", right_on="uid", how="left", validate="m:1")
        .with_columns(product=pl.coalesce("product", "product_of_node"))
        .select(*held.columns, *_of_asks())
    )


def _approved(held: pl.DataFrame, counts: pl.DataFrame) -> pl.DataFrame:
    """Counts that somebody settled: whole GPUs of the node."""
    of_node = counts.select("uid", product="product_of_node")
    return (
        held.filter(pl.col("gpu_count_basis") == "approved")
        .join(of_node, left_on="run", right_on="uid", how="left", validate="1:1")
        .with_columns(
            **dict.fromkeys((*_DEVICE, "slice_profile"), pl.lit("")),
            sharing=pl.lit("whole"),
            share_units=pl.lit(1, pl.Int64),
            units_per_gpu=pl.lit(1, pl.Int64),
            device_count=pl.col("gpu_count"),
        )
        .select(*held.columns, *_of_asks())
    )


def _of_asks() -> list[str]:
    return [name for name in ASKS if name != "uid"]


def _shared_claims(held: pl.DataFrame, interval: Interval) -> pl.DataFrame:
    """The same, with devices of a claim that several pods have cut into moments in which as many have it.

    All that such a pod holds is cut at the same instants, so that of each kind it has one row a moment.
    """
    is_claimed = pl.col("claimed_device") != ""
    shared = held.filter(is_claimed & (pl.col("run").n_unique().over(_DEVICE) > 1))
    if shared.is_empty():
        return held
    holders = _holders(shared, interval)
    concerned = held.join(shared.select("run").unique(), on="run", how="semi").with_row_index("row")
    instants = concerned.join(holders, on=_DEVICE, how="left", validate="m:m").select("run", at="since")
    points = pl.concat([instants, concerned.select("run", at="held_from")]).drop_nulls().unique()
    cut = (
        concerned.join(points, on="run", how="inner", validate="m:m")
        .filter(pl.col("at") >= pl.col("held_from"), pl.col("at") < pl.col("held_until"))
        .sort("row", "at")
        .with_columns(
            held_from="at", held_until=pl.coalesce(pl.col("at").shift(-1).over("row"), "held_until"),
            is_running=pl.col("is_running") & (pl.col("at") == pl.col("at").max().over("row")),
        )
        .sort("held_from")
        .join_asof(holders, left_on="held_from", right_on="since", by=_DEVICE, check_sortedness=False)
    )  # fmt: skip
    together = pl.col("holders").fill_null(1)
    by_holder = cut.with_columns(
        sharing=pl.when(together > 1).then(pl.lit("time-slice")).otherwise("sharing"),
        units_per_gpu=pl.col("units_per_gpu") * together,
    ).select(held.columns)
    return pl.concat([held.join(concerned, on="run", how="anti"), by_holder])


def _holders(shared: pl.DataFrame, interval: Interval) -> pl.DataFrame:
    """claim, claimed_device, since when, and how many pods have it from then on; sorted by time."""
    spells = shared.select(
        *_DEVICE,
        (pl.col("held_from") - interval.start).dt.total_seconds().alias("from"),
        (pl.col("held_until") - interval.start).dt.total_seconds().alias("until"),
        holders=pl.lit(1, pl.Int64),
    )
    swept = levels_over_time(
        spells, keys=_DEVICE, levels=("holders",), day_seconds=interval.seconds, hour_seconds=interval.seconds
    )
    since = interval.start + pl.duration(seconds=pl.col("from"))
    return swept.select(*_DEVICE, "holders", since=since.dt.cast_time_unit("us")).sort("since")


def _accelerators(held: pl.DataFrame, aliases: Mapping[str, str]) -> pl.DataFrame:
    """product, slice_profile and accelerator of all that is held."""
    rows = [
        (product, profile, slice_accelerator(product, profile, aliases=aliases) if profile
         else accelerator_of_product(product, aliases=aliases)[0])
        for product, profile in held.select("product", "slice_profile").unique().rows()
    ]  # fmt: skip
    schema = {"product": pl.String(), "slice_profile": pl.String(), "accelerator": pl.String()}
    return pl.DataFrame(rows, schema=schema, orient="row")


def _one_row_each(held: pl.DataFrame) -> pl.DataFrame:
    """Add up devices of one hold; those of different shares become as many devices of their mean share.

    3 devices of 1/4, 1/4 and 1/2 are 3 x 4/12: exact, and no row says that there were more or fewer devices.
    """
    key = [*HOLDS.key, "held_until", "split", "is_running"]
    alike = held.group_by(*key, "share_units", "units_per_gpu").agg(
        pl.col("device_count").sum(), pl.col("slice_profile").min()
    )
    is_single = alike.select(key).is_unique()
    mixed = alike.filter(~is_single)
    if mixed.is_empty():
        return alike
    spelled = pl.format("{}*{}/{}", "device_count", "share_units", "units_per_gpu").sort().str.join(" ")
    means = mixed.group_by(key).agg(pl.col("device_count").sum(), pl.col("slice_profile").min(), parts=spelled)
    rows = [(parts, *_mean_share(parts)) for parts in means["parts"].unique()]
    schema = {"parts": pl.String(), "share_units": pl.Int64(), "units_per_gpu": pl.Int64()}
    shares = pl.DataFrame(rows, schema=schema, orient="row")
    mean = means.join(shares, on="parts", how="left", validate="m:1").select(alike.columns)
    return pl.concat([alike.filter(is_single), mean])


def _mean_share(parts: str) -> tuple[int, int]:
    """`1*1/4 2*1/2`: the mean of one device of 1/4 and two of 1/2."""
    counted = [(int(count), Fraction(share)) for count, share in (part.split("*") for part in parts.split(" "))]
    total = sum((count * share for count, share in counted), Fraction())
    return (total / sum(count for count, _ in counted)).as_integer_ratio()
