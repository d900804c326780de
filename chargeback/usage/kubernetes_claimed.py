"""Devices that pods have by DRA claims: which, of what product, and what part of it; and pods that only claims name.

Not here: resources that the kubelet counts (kubernetes_requests.py), claims that several pods have at once
(kubernetes_holds.py).
"""

from datetime import datetime
from fractions import Fraction

import polars as pl

from chargeback.contracts.raw_pods import RAW_PODS
from chargeback.usage.accelerators import mig_profile, slug_of_product
from chargeback.usage.json_texts import object_of
from chargeback.usage.kubernetes_requests import in_parts
from chargeback.usage.mig import parse_slice
from chargeback.usage.quantities import quantity_of

DEVICE = ("driver", "pool", "device")

CLAIMED = {
    "uid": pl.String(),
    "claim": pl.String(),
    "claimed_device": pl.String(),
    "product": pl.String(),
    "slice_profile": pl.String(),
    "sharing": pl.String(),
    "share_units": pl.Int64(),
    "units_per_gpu": pl.Int64(),
}
"""One row per pod and GPU that a claim gives it. `share_units` is null where the part of the GPU cannot be known."""


def granted_claims(raw_claims: pl.DataFrame) -> pl.DataFrame:
    """The rows of raw_claims that give a GPU to a pod; admin access gives none (design.md 5.3)."""
    return raw_claims.filter(
        pl.col("kind") == "ResourceClaim",
        pl.col("podName") != "",
        ~pl.col("adminAccess"),
        pl.col("driver").str.contains("gpu"),
    )


def claimed_devices(pods: pl.DataFrame, raw_claims: pl.DataFrame, raw_slices: pl.DataFrame) -> pl.DataFrame:
    """CLAIMED of every pod.

    Input:   contracts.raw_pods, raw_claims and raw_slices of one (cluster, day). A driver is one of GPUs if its name
             says so. A claim names its pod by uid, else by name.
    Output:  a MIG device is its compute slices of its GPU; a device of which a claim consumes capacity is the part of
             its memory that it consumes; any other is whole, whatever its product is (GRID A100-10C is one of those).
    Source:  field-map, "DRA ResourceClaims"; case K17.
    """
    granted = granted_claims(raw_claims)
    by_uid = granted.filter(pl.col("podUid") != "").with_columns(uid=pl.col("podUid"))
    by_name = granted.filter(pl.col("podUid") == "").join(
        pods.select("uid", "namespace", podName="name"), on=["namespace", "podName"], how="inner", validate="m:m"
    )
    devices = pl.concat([by_uid, by_name.select(by_uid.columns)]).join(
        raw_slices.select(*DEVICE, "type", "productName", "profile", "memory"), on=DEVICE, how="left", validate="m:1"
    )
    kinds = devices.select("productName", "profile", "consumedCapacity", "memory").unique()
    parts = pl.DataFrame(
        [(*row, *_part(*row)) for row in kinds.rows()],
        schema={**kinds.schema, **{name: CLAIMED[name] for name in ("sharing", "share_units", "units_per_gpu")}},
        orient="row",
    )
    profiles = {text: mig_profile(text) for text in kinds["profile"].drop_nulls()}
    return (
        devices.join(parts, on=kinds.columns, how="left", validate="m:1", nulls_equal=True)
        .with_columns(
            claim=pl.concat_str("namespace", "name", separator="/"),
            claimed_device=pl.concat_str(DEVICE, separator="/"),
            product=pl.col("productName"),
            slice_profile=pl.col("profile").replace_strict(profiles, default="", return_dtype=pl.String),
        )
        .select(CLAIMED.keys())
        .unique()
    )


def pods_of_claims_alone(
    raw_pods: pl.DataFrame, raw_claims: pl.DataFrame, raw_slices: pl.DataFrame, *, day_start: datetime
) -> pl.DataFrame:
    """contracts.raw_pods rows of the pods that hold claims and that no pod record names.

    They are bound where their devices are, from the allocation of the first claim until it is gone; nothing else is
    known of them. Where pods are on record at all, one that is not had its end before the day, whatever its claims say,
    unless they were allocated on the day itself. Source: case K17.
    """
    begins = pl.coalesce("allocated", "creationTimestamp")
    unseen = granted_claims(raw_claims).filter(
        pl.col("podUid") != "", pl.lit(raw_pods.is_empty()) | (begins >= pl.lit(day_start)).fill_null(False)
    ).join(raw_pods.select(podUid="uid"), on="podUid", how="anti")  # fmt: skip
    hosts = raw_slices.select(*DEVICE, "nodeName")
    alone = (
        unseen.join(hosts, on=DEVICE, how="left", validate="m:1")
        .sort("podUid", "allocated", "object", "line", nulls_last=True)
        .group_by("podUid", maintain_order=True)
        .agg(
            pl.col("cluster", "day", "namespace", "podName", "nodeName", "object", "line", "extracted_at").first(),
            scheduled=begins.min(),
            lastSeen=pl.col("lastSeen").max(),
            missingFrom=pl.when(pl.col("missingFrom").is_not_null().all()).then(pl.col("missingFrom").max()),
        )
    )
    known = {
        "uid": pl.col("podUid"),
        "name": pl.col("podName"),
        "creationTimestamp": pl.col("scheduled"),
        "containers": pl.lit("[]"),
        **dict.fromkeys(("labels", "annotations", "resourceClaims"), pl.lit("{}")),
        "tty": pl.lit(False),
    }
    given = set(alone.columns) | set(known)
    missing = {name: pl.lit(None, dtype) for name, dtype in RAW_PODS.schema.items() if name not in given}
    return alone.with_columns(**known, **missing).select(RAW_PODS.column_names)


def _part(
    product: str | None, profile: str | None, consumed: str | None, memory: str | None
) -> tuple[str, int | None, int | None]:
    """sharing, share_units and units_per_gpu of a claimed device; the units are null where nobody can know them."""
    if profile:
        named = mig_profile(profile)
        cut = parse_slice(f"{slug_of_product(product)}_{named}" if product else named)
        return ("mig", cut.compute_slices, cut.geometry.compute_slices) if cut else ("mig", None, None)
    if consumed is None:
        return "whole", 1, 1
    of, total = quantity_of(object_of(consumed).get("memory")), quantity_of(memory)
    share = in_parts(Fraction(of, total)) if of and total else None
    if share is None or not 0 < share <= 1:
        return "fraction", None, None
    return "fraction", share.numerator, share.denominator
