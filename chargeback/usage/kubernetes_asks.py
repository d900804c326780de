"""What every pod of a day asks, by resources, annotations and DRA claims, read once for each kind of pod and node.

Not here: reading one pod (kubernetes_requests.py), one claim (kubernetes_claimed.py), and what is held when.
"""

import polars as pl

from chargeback.usage.json_texts import object_of, picked
from chargeback.usage.kubernetes_claimed import CLAIMED, claimed_devices
from chargeback.usage.kubernetes_node_gpus import NodeGpus, nodes_with_gpus
from chargeback.usage.kubernetes_requests import ASKING_ANNOTATIONS, asked_by_pod

ASKS = {**CLAIMED, "device_count": pl.Int64()}
"""One row per pod and kind of device that it asks. `claim` and `claimed_device` are empty but for devices of DRA."""

COUNTS = {
    "uid": pl.String(),
    "asked_words": pl.String(),
    "is_readable": pl.Boolean(),
    "holds_nothing_itself": pl.Boolean(),
    "asked_gpus": pl.Int64(),
    "gpus_of_node": pl.Int64(),
    "product_of_node": pl.String(),
}
"""One row per pod: what it asks in its own words, whether that can be known, devices asked, GPUs of its node."""

RESERVATION_NAMESPACES = ("kai-resource-reservation", "runai-reservation")
RESERVATION_APPS = ("kai-resource-reservation", "runai-reservation", "runai-resource-reservation")


def asks_of_pods(
    pods: pl.DataFrame, raw_claims: pl.DataFrame, raw_slices: pl.DataFrame, raw_kubernetes_nodes: pl.DataFrame
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """ASKS and COUNTS of contracts.raw_pods.

    Pods of fractional schedulers that reserve a GPU for others hold nothing themselves, nor do pods whose only claims
    are for admin access. What a pod claims by name through DRA comes in the place of the extended resources that were
    turned into that claim. A claim that a bound pod names and no record shows makes its count unreadable.
    Source:  design.md 5.3.
    """
    nodes, kinds = nodes_with_gpus(raw_kubernetes_nodes)
    placed = _on_nodes(pods, nodes)
    asked, words = _asked(placed, kinds)
    names = _claim_names(pods)
    claimed = claimed_devices(pods, raw_claims, raw_slices)
    replaced = claimed.join(names.filter(pl.col("reference") == ""), on=["uid", "claim"], how="semi")
    everything = pl.concat(
        [
            asked.join(replaced, on="uid", how="anti").select(ASKS.keys()),
            claimed.with_columns(device_count=pl.lit(1, pl.Int64)).select(ASKS.keys()),
        ]
    ).join(pods.filter(_reserves_for_others()), on="uid", how="anti")
    unreadable = everything.filter(pl.col("share_units").is_null()).select("uid").unique()
    asks = everything.join(unreadable, on="uid", how="anti")
    return asks, _counts(placed, words, asks, unreadable, _claims_unseen(names, raw_claims), raw_claims, kinds)


def _on_nodes(pods: pl.DataFrame, nodes: pl.DataFrame) -> pl.DataFrame:
    """uid, containers, annotations of each pod and the number of what its node says when it was bound.

    A pod bound before the day takes what its node says first on that day, one bound in a gap what it said before.
    """
    stated = nodes.select("statedFrom", "node_gpus", nodeName="name").sort("statedFrom")
    first = stated.unique("nodeName", keep="first", maintain_order=True).select("nodeName", first="node_gpus")
    bound = pods.filter(pl.col("scheduled").is_not_null(), pl.col("nodeName").is_not_null()).sort("scheduled")
    at_bound = bound.select("uid", "nodeName", "scheduled").join_asof(
        stated, left_on="scheduled", right_on="statedFrom", by="nodeName", strategy="backward", check_sortedness=False
    )
    known = at_bound.join(first, on="nodeName", how="left", validate="m:1").select(
        "uid", node_gpus=pl.coalesce("node_gpus", "first", pl.lit(0, pl.Int64))
    )
    return (
        pods.select("uid", "containers", "annotations", "scheduled", is_reservation=_reserves_for_others())
        .join(known, on="uid", how="left", validate="1:1")
        .with_columns(pl.col("node_gpus").fill_null(0))
    )


def _asked(placed: pl.DataFrame, kinds: list[NodeGpus]) -> tuple[pl.DataFrame, pl.DataFrame]:
    """What resources and annotations ask: ASKS without claims, and uid, asked_words, asks_readably."""
    asking = picked(placed["annotations"], {name: [name] for name in ASKING_ANNOTATIONS})
    read = placed.join(asking, left_on="annotations", right_on="text", how="left", validate="m:1")
    by = ["containers", "node_gpus", *ASKING_ANNOTATIONS]
    distinct = read.select(by).unique(maintain_order=True).with_row_index("kind_of_pod")
    rows, words = [], []
    for number, containers, node, *annotations in distinct.rows():
        asked = asked_by_pod(containers, dict(zip(ASKING_ANNOTATIONS, annotations, strict=True)), kinds[node])
        words.append((number, asked.words, asked.is_readable))
        rows += [
            (number, kinds[node].product, ask.slice_profile, ask.sharing, *ask.share.as_integer_ratio(), ask.count)
            for ask in asked.asks
        ]
    of_kind = {name: ASKS[name] for name in ("product", "slice_profile", "sharing", "share_units", "units_per_gpu",
                                             "device_count")}  # fmt: skip
    asks = pl.DataFrame(rows, schema={"kind_of_pod": pl.UInt32, **of_kind}, orient="row")
    said = {"kind_of_pod": pl.UInt32, "asked_words": pl.String, "asks_readably": pl.Boolean}
    numbered = read.join(distinct, on=by, how="left", validate="m:1", nulls_equal=True).select("uid", "kind_of_pod")
    no_claim = {name: pl.lit("") for name in ("claim", "claimed_device")}
    return (
        numbered.join(asks, on="kind_of_pod", how="inner", validate="m:m").with_columns(**no_claim),
        numbered.join(pl.DataFrame(words, schema=said, orient="row"), on="kind_of_pod", how="left", validate="m:1"),
    )


def _claim_names(pods: pl.DataFrame) -> pl.DataFrame:
    """uid, reference (name in the pod; empty for extended resources), claim (namespace/name; null if not yet made)."""
    texts = [(text, object_of(text)) for text in pods["resourceClaims"].unique() if text != "{}"]
    rows = [(text, name, claim) for text, read in texts for name, claim in read.items()]
    schema = {"resourceClaims": pl.String, "reference": pl.String, "claim_name": pl.String}
    named = pl.DataFrame(rows, schema=schema, orient="row")
    claiming = pods.filter(pl.col("scheduled").is_not_null()).select("uid", "namespace", "resourceClaims")
    return claiming.join(named, on="resourceClaims", how="inner", validate="m:m").select(
        "uid", "reference", claim=pl.concat_str("namespace", "claim_name", separator="/")
    )


def _claims_unseen(names: pl.DataFrame, raw_claims: pl.DataFrame) -> pl.DataFrame:
    """uid of pods that name a claim which no record shows; of an extended resource its own count then stands."""
    seen = raw_claims.select(claim=pl.concat_str("namespace", "name", separator="/")).unique()
    return names.filter(pl.col("reference") != "").join(seen, on="claim", how="anti").select("uid").unique()


def _counts(
    placed: pl.DataFrame,
    words: pl.DataFrame,
    asks: pl.DataFrame,
    unreadable: pl.DataFrame,
    unseen: pl.DataFrame,
    raw_claims: pl.DataFrame,
    kinds: list[NodeGpus],
) -> pl.DataFrame:
    devices = asks.group_by("uid").agg(
        asked_gpus=pl.col("device_count").sum(),
        claimed_words=pl.col("claimed_device").filter(pl.col("claimed_device") != "").unique().sort().str.join(","),
    )
    nodes = {"gpus_of_node": [gpus.gpus for gpus in kinds], "product_of_node": [gpus.product for gpus in kinds]}
    of_node = pl.DataFrame(
        {"node_gpus": range(len(kinds)), **nodes}, schema={"node_gpus": pl.Int64, **{n: COUNTS[n] for n in nodes}}
    )
    admins = raw_claims.filter(pl.col("adminAccess")).select(uid="podUid").unique().with_columns(is_admin=pl.lit(True))
    doubtful = pl.concat([unreadable, unseen]).unique().with_columns(is_doubtful=pl.lit(True))
    return (
        placed.join(words, on="uid", how="left", validate="1:1")
        .join(devices, on="uid", how="left", validate="1:1")
        .join(of_node, on="node_gpus", how="left", validate="m:1")
        .join(admins, on="uid", how="left", validate="1:1")
        .join(doubtful, on="uid", how="left", validate="1:1")
        .with_columns(
            is_readable=pl.col("is_reservation") | (pl.col("asks_readably") & pl.col("is_doubtful").is_null()),
            holds_nothing_itself=pl.col("is_reservation")
            | (pl.col("is_admin").fill_null(False) & pl.col("asked_gpus").is_null()),
            asked_gpus=pl.col("asked_gpus").fill_null(0),
            asked_words=pl.concat_str(
                pl.col("asked_words").replace("", None), pl.col("claimed_words").replace("", None), separator=",",
                ignore_nulls=True,
            ),
        )
        .select(COUNTS.keys())
    )  # fmt: skip


def _reserves_for_others() -> pl.Expr:
    """A pod of KAI or Run:ai that keeps a GPU for the pods that share it.

    By its namespace; where that has another name, by its app label in a namespace for reservations: a label alone,
    which anybody can write, frees nobody of a charge.
    """
    by_label = pl.col("labels").str.json_path_match("$.app").is_in(RESERVATION_APPS).fill_null(False)
    return pl.col("namespace").is_in(RESERVATION_NAMESPACES) | (
        pl.col("namespace").str.ends_with("reservation") & by_label
    )
