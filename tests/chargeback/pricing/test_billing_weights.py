"""Billing weights: what is proposed, and what the slices of one GPU come to together."""

from fractions import Fraction

import polars as pl
import pytest

from chargeback.contracts.attribution import ATTRIBUTION
from chargeback.contracts.rate_card import RATE_CARD
from chargeback.pricing.billing_weights import (
    Geometry,
    above_one_gpu,
    below_one_gpu,
    charged_beyond_gpu,
    proposed_weight,
    sum_of,
)
from tests.tables import a_table_of

WEIGHTS = {"a100:4g.40gb": Fraction(4, 7), "a100:3g.40gb": Fraction(1, 2), "a100:1g.10gb": Fraction(1, 7)}
MIXED = Geometry("a100", "mixed", (("4g.40gb", 1), ("3g.40gb", 1)))
SEVENTHS = Geometry("a100", "sevenths", (("1g.10gb", 7),))
THREE = Geometry("a100", "three", (("3g.40gb", 1), ("1g.10gb", 3)))


@pytest.mark.parametrize(
    ("compute", "memory", "weight"),
    [
        (1, 1, Fraction(1, 7)),
        (1, 2, Fraction(1, 4)),
        (2, 2, Fraction(2, 7)),
        (3, 4, Fraction(1, 2)),
        (7, 8, Fraction(1)),
    ],
)
def test_the_larger_of_compute_and_memory_share_is_proposed(compute: int, memory: int, weight: Fraction) -> None:
    assert proposed_weight(compute=compute, of_compute=7, memory=memory, of_memory=8) == weight


def test_a_full_split_into_sevenths_recovers_the_whole_gpu() -> None:
    assert sum_of(SEVENTHS, WEIGHTS) == 1
    assert below_one_gpu([SEVENTHS], WEIGHTS) == above_one_gpu([SEVENTHS], WEIGHTS) == []


def test_a_geometry_above_one_gpu_is_told_with_how_much_it_is_too_much() -> None:
    ((geometry, what),) = above_one_gpu([MIXED, SEVENTHS], WEIGHTS)

    assert geometry is MIXED
    assert "is charged as 15/14 GPUs, 1/14 too much" in what


def test_a_full_split_that_recovers_less_than_the_gpu_is_reported() -> None:
    (told,) = below_one_gpu([THREE], WEIGHTS)

    assert told == (
        "a100, geometry three (1 x 3g.40gb + 3 x 1g.10gb): fully held, it recovers 13/14 of the GPU; 1/14 of it nobody "
        "pays for"
    )


def test_a_geometry_with_a_slice_that_has_a_price_of_its_own_is_finances_to_judge() -> None:
    assert sum_of(Geometry("a100", "g", (("2g.20gb", 1),)), WEIGHTS) is None


def prices_of(weights: dict[str, str]) -> pl.DataFrame:
    rows = "\n".join(
        f"{name}  standard  {weight.replace('/', '  ')}" for name, weight in weights.items()
    )  # fmt: skip
    return a_table_of(
        RATE_CARD,
        f"accelerator  tier  billing_weight_numerator  billing_weight_denominator\n{rows}",
        month="2026-03", card_version="1", price="1.10", price_unit="GPU-hour", stated_price="1.10",
        stated_unit="GPU-hour", currency="EUR", is_signed=False, card_sha256="s", object="o",
    )  # fmt: skip


def held(rows: str) -> pl.LazyFrame:
    return a_table_of(
        ATTRIBUTION,
        f"hour_start run accelerator sharing gpu held_seconds\n{rows.strip()}".replace(" ", "  "),
        cluster="slurm-a", day="2026-03-30", host="gpu01", share_units=1, units_per_gpu=7,
    ).lazy()  # fmt: skip


def test_a_gpu_whose_slices_are_charged_as_more_than_the_gpu_is_found_hour_by_hour() -> None:
    prices = prices_of({"a100:4g.40gb": "4/7", "a100:3g.40gb": "1/2"})
    hours = held(
        """
2026-03-30T08:00Z r1 a100:4g.40gb mig GPU-1/1 3600
2026-03-30T08:00Z r2 a100:3g.40gb mig GPU-1/2 3600
2026-03-30T09:00Z r1 a100:4g.40gb mig GPU-1/1 3600
2026-03-30T09:00Z r2 a100:3g.40gb mig GPU-1/2 1800
2026-03-30T09:00Z r3 a100:3g.40gb mig GPU-2/2 3600
"""
    )

    found = charged_beyond_gpu(hours, prices)

    assert found.select("gpu", "slices", "excess_numerator", "weight_denominator").rows() == [
        ("GPU-1", "a100:3g.40gb, a100:4g.40gb", 3600, 14)
    ]


def test_slices_one_after_the_other_are_one_gpu_together() -> None:
    prices = prices_of({"a100:4g.40gb": "4/7", "a100:3g.40gb": "1/2"})
    hours = held(
        """
2026-03-30T08:00Z r1 a100:4g.40gb mig GPU-1/1 1800
2026-03-30T08:00Z r2 a100:3g.40gb mig GPU-1/2 1800
"""
    )

    assert charged_beyond_gpu(hours, prices).is_empty()


def test_a_card_without_weights_has_nothing_to_find() -> None:
    assert charged_beyond_gpu(held(""), RATE_CARD.empty()).is_empty()
