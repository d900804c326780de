"""Billing weights: what a slice is charged as, in GPUs, and what the slices of one GPU come to together.

    geometries:                          # under an accelerator: how its GPUs are cut, a name each
      halves: 2 x 3g.40gb
      mixed: 1 x 4g.40gb + 1 x 3g.40gb

A card is refused under which a geometry in use sums above one GPU: the pool would be recovered twice. One that sums
below is reported: so much of the GPU nobody pays for. A weight never depends on neighbours. Source: design.md 2.
Not here: which geometries MIG permits (usage/mig.py), slices with a price of their own, which is finance's to say.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm

import polars as pl

from chargeback.pricing.card_fields import CardFields
from chargeback.pricing.yaml_tree import Branch

_PART = r"([1-9]\d?) ?x ?([0-9a-z.+]+)"
_GEOMETRY = re.compile(rf"{_PART}( \+ {_PART})*")


@dataclass(frozen=True, slots=True)
class Geometry:
    """One way in which GPUs of an accelerator are cut: profile and how many of it on one GPU."""

    accelerator: str
    name: str
    slices: tuple[tuple[str, int], ...]


def proposed_weight(*, compute: int, of_compute: int, memory: int, of_memory: int) -> Fraction:
    """The larger of compute and memory share: 3g.40gb of 7 and 8 slices is 4/8, since it blocks half the memory."""
    return max(Fraction(compute, of_compute), Fraction(memory, of_memory))


def sum_of(geometry: Geometry, weights: Mapping[str, Fraction]) -> Fraction | None:
    """What a geometry is charged as, in GPUs; None where a slice of it has no weight (`accelerator:profile`)."""
    charged = Fraction(0)
    for profile, count in geometry.slices:
        weight = weights.get(f"{geometry.accelerator}:{profile}")
        if weight is None:
            return None
        charged += weight * count
    return charged


def above_one_gpu(geometries: Sequence[Geometry], weights: Mapping[str, Fraction]) -> list[tuple[Geometry, str]]:
    """Geometries that charge more than the GPU, and what to do."""
    found = []
    for each in geometries:
        charged = sum_of(each, weights)
        if charged is not None and charged > 1:
            what = (
                f"{each.accelerator}, geometry {each.name} ({spelled(each)}) is charged as {charged} GPUs, "
                f"{charged - 1} too much: lower a billing_weight, so that it sums to at most 1"
            )
            found.append((each, what))
    return found


def below_one_gpu(geometries: Sequence[Geometry], weights: Mapping[str, Fraction]) -> list[str]:
    """Geometries of which a full GPU recovers less than the GPU: the platform's, and not refused."""
    return [
        f"{each.accelerator}, geometry {each.name} ({spelled(each)}): fully held, it recovers {charged} of the GPU; "
        f"{1 - charged} of it nobody pays for"
        for each in geometries
        if (charged := sum_of(each, weights)) is not None and charged < 1
    ]


def spelled(geometry: Geometry) -> str:
    """`1 x 4g.40gb + 1 x 3g.40gb`, as the card writes it."""
    return " + ".join(f"{count} x {profile}" for profile, count in geometry.slices)


def read_geometries(fields: CardFields, accelerator: str, entry: Branch) -> tuple[Geometry, ...]:
    """The section `geometries` of an accelerator."""
    found = []
    for name in entry.entries:
        text = fields.text(entry, name, _GEOMETRY, "slices of one GPU, 1 x 4g.40gb + 1 x 3g.40gb")
        slices = tuple((profile, int(count)) for count, profile in re.findall(_PART, text))
        found.append(Geometry(accelerator, name, slices))
    return tuple(found)


def charged_beyond_gpu(attribution: pl.LazyFrame, prices: pl.DataFrame) -> pl.DataFrame:
    """GPUs whose slices were held so that they are charged as more than the GPU: cluster, gpu, hour_start, slices,
    excess_numerator / weight_denominator in GPU-seconds; one row per GPU and hour, the first hour first.

    Input:  contracts.attribution (the bound holds of slices count) and contracts.rate_card of the month.
    """
    weighed = prices.filter(pl.col("billing_weight_numerator").is_not_null()).select(
        "accelerator", "billing_weight_numerator", "billing_weight_denominator"
    ).unique(subset="accelerator", keep="first", maintain_order=True)  # fmt: skip
    common = lcm(*weighed["billing_weight_denominator"])
    weights = weighed.select(
        "accelerator",
        weight=pl.col("billing_weight_numerator") * (common // pl.col("billing_weight_denominator")),
    )
    held = attribution.filter((pl.col("sharing") == "mig") & (pl.col("gpu") != "")).select(
        "cluster", "hour_start", "accelerator", "held_seconds", gpu=pl.col("gpu").str.split("/").list.first()
    )
    charged = held.join(weights.lazy(), on="accelerator", how="inner").group_by("cluster", "gpu", "hour_start").agg(
        weight_seconds=(pl.col("held_seconds") * pl.col("weight")).sum(),
        slices=pl.col("accelerator").unique().sort().str.join(", "),
    )  # fmt: skip
    beyond = charged.with_columns(
        excess_numerator=pl.col("weight_seconds") - 3600 * common, weight_denominator=pl.lit(common)
    ).filter(pl.col("excess_numerator") > 0)
    return beyond.drop("weight_seconds").sort("cluster", "hour_start", "gpu").collect()
