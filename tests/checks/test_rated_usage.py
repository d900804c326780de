"""Checks of rated_usage: each passes on what was billed, and fails on what it is there for."""

import polars as pl
import pytest

from chargeback.contracts.attribution import ATTRIBUTION
from chargeback.contracts.landed_objects import LANDED_OBJECTS
from chargeback.contracts.partition import Partition
from chargeback.contracts.rate_card import RATE_CARD
from chargeback.contracts.rated_usage import RATED_USAGE
from chargeback.contracts.raw_pods import RAW_PODS
from chargeback.contracts.raw_sacct import RAW_SACCT
from tests.checks.judging import BAD_WRITER, change_first, judged, put, rows_of
from tests.estates import Estate
from tests.tables import a_table_of


def test_month_complete_passes_when_every_day_is_there_and_over(billed_estate: Estate) -> None:
    assert judged("month_complete", billed_estate).is_pass


def test_month_complete_fails_for_a_day_that_was_never_billed(estate: Estate) -> None:
    settings = estate.config.read_text()
    estate.config.write_text(settings.replace("first_day = 2026-03-30", "first_day = 2026-03-29"))

    judgement = judged("month_complete", estate)

    assert judgement.is_failure
    assert judgement.told == "slurm-a|2026-03-29 | billed | never materialised"


def test_month_complete_fails_for_an_empty_day_beside_a_busy_one(estate: Estate) -> None:
    one = rows_of(estate, RAW_SACCT).head(1)
    thirty = pl.concat(one.with_columns(JobIDRaw=pl.lit(f"{number}")) for number in range(1000, 1030))
    put(estate, RAW_SACCT, thirty)

    judgement = judged("month_complete", estate)

    assert judgement.is_failure
    assert judgement.told == "slurm-a|2026-03-30 | about 30 sacct records, at least 3 | 2 records"


def test_month_complete_fails_for_a_month_last_extracted_before_it_was_over(estate: Estate) -> None:
    lake = estate.workspace.lake
    for partition in (Partition.of_day("slurm-a", day) for day in ("2026-03-30", "2026-03-31")):
        rows = lake.scan(LANDED_OBJECTS, [partition]).frame.collect()
        early = rows.with_columns(pl.col("extracted_at") - pl.duration(days=2))
        lake.replace(LANDED_OBJECTS, partition, early, BAD_WRITER)

    judgement = judged("month_complete", estate)

    assert judgement.is_failure
    assert judgement.told == (
        "slurm-a | a sacct extract taken after 2026-03-31T22:00:00+00:00 | 2026-03-31T02:00:00+00:00"
    )


def test_month_complete_fails_for_a_kubernetes_cluster_of_which_no_pods_were_listed(estate: Estate) -> None:
    settings = estate.config.read_text()
    estate.config.write_text(settings + '\n[clusters.k8s-b]\nscheduler = "kubernetes"\n')

    judgement = judged("month_complete", estate)

    assert judgement.is_failure
    assert sorted(judgement.told.splitlines()) == [
        "k8s-b | a pod extract taken after 2026-03-31T22:00:00+00:00 | none",
        "k8s-b|2026-03-30 | billed | never materialised",
        "k8s-b|2026-03-31 | billed | never materialised",
    ]


def test_month_complete_fails_for_a_day_of_few_pods_and_counts_no_sacct_records_in_their_place(estate: Estate) -> None:
    settings = estate.config.read_text()
    estate.config.write_text(settings + '\n[clusters.k8s-b]\nscheduler = "kubernetes"\n')
    lake = estate.workspace.lake
    for day, pods in (("2026-03-30", 2), ("2026-03-31", 30)):
        uids = "\n".join(["uid", *(f"u{number}" for number in range(pods))])
        rows = a_table_of(RAW_PODS, uids, cluster="k8s-b", day=day)
        lake.replace(RAW_PODS, Partition.of_day("k8s-b", day), rows, BAD_WRITER)

    judgement = judged("month_complete", estate)

    assert "k8s-b|2026-03-30 | about 30 pod records, at least 3 | 2 records" in judgement.told
    assert "slurm-a" not in judgement.told


def test_usage_rated_passes_when_everything_held_has_a_price(billed_estate: Estate) -> None:
    assert judged("usage_rated", billed_estate).is_pass


def test_usage_rated_fails_for_an_accelerator_that_the_card_does_not_price(estate: Estate) -> None:
    change_first(estate, RATED_USAGE, price=pl.lit(None))

    judgement = judged("usage_rated", estate)

    assert judgement.is_failure
    assert judgement.told.startswith("h100-sxm5-80gb standard | a price in the rate card in force")


def test_usage_rated_fails_for_a_new_generation_with_the_command_that_starts_its_entry(estate: Estate) -> None:
    change_first(estate, RATED_USAGE, price=pl.lit(None), accelerator=pl.lit("b200-sxm-180gb"))

    key, expected, observed = judged("usage_rated", estate).told.split(" | ")

    assert key == "b200-sxm-180gb standard"
    assert "`chargeback rate-card new CARD.yaml --accelerator b200-sxm-180gb` starts its entry" in expected
    assert "telemetry verified, slice table, inventory, price, first billing day" in expected
    assert "first on 2026-03-30, telemetry saw 0 of its GPUs" in observed


def test_usage_rated_fails_for_a_tier_that_the_card_leaves_out(estate: Estate) -> None:
    change_first(estate, RATED_USAGE, price=pl.lit(None), tier=pl.lit("reserved"))

    told = judged("usage_rated", estate).told

    assert "it prices h100-sxm5-80gb as preemptible, standard: add reserved to it" in told


def test_usage_rated_fails_for_a_slice_that_the_card_leaves_out(estate: Estate) -> None:
    change_first(estate, RATED_USAGE, price=pl.lit(None), accelerator=pl.lit("h100-sxm5-80gb:1g.10gb"))

    told = judged("usage_rated", estate).told

    assert "it prices h100-sxm5-80gb without this slice: add 1g.10gb under its `slices`" in told


def test_slices_within_gpu_passes_for_whole_gpus(billed_estate: Estate) -> None:
    assert judged("slices_within_gpu", billed_estate).is_pass


def test_slices_within_gpu_fails_for_a_gpu_whose_slices_are_charged_as_more_than_the_gpu(estate: Estate) -> None:
    weighed = {"billing_weight_numerator": pl.lit(3, pl.Int64), "billing_weight_denominator": pl.lit(4, pl.Int64)}
    put(estate, RATE_CARD, rows_of(estate, RATE_CARD).with_columns(**weighed))
    hours = """
        hour_start         run  accelerator     sharing  gpu      held_seconds
        2026-03-31T08:00Z  r1   h100-sxm5-80gb  mig      GPU-1/1  3600
        2026-03-31T08:00Z  r2   h100-sxm5-80gb  mig      GPU-1/2  3600
        """
    held = a_table_of(
        ATTRIBUTION, hours, cluster="slurm-a", day="2026-03-31", host="gpu01", share_units=4, units_per_gpu=8
    )
    put(estate, ATTRIBUTION, held)

    judgement = judged("slices_within_gpu", estate)

    assert judgement.is_failure
    assert judgement.told.startswith("slurm-a GPU-1 2026-03-31T08:00:00+00:00 | slices of one GPU")
    assert "h100-sxm5-80gb are charged as 1800 GPU-seconds too much" in judgement.told


def test_rated_usage_conserves_attribution_passes_to_the_second(billed_estate: Estate) -> None:
    assert judged("rated_usage_conserves_attribution", billed_estate).is_pass


def test_rated_usage_conserves_attribution_fails_for_a_row_that_was_lost(estate: Estate) -> None:
    put(estate, RATED_USAGE, rows_of(estate, RATED_USAGE)[1:])

    judgement = judged("rated_usage_conserves_attribution", estate)

    assert judgement.is_failure
    assert judgement.told.startswith("h100-sxm5-80gb")


def test_credits_within_usage_passes_where_nothing_is_forgiven(billed_estate: Estate) -> None:
    assert judged("credits_within_usage", billed_estate).is_pass


def test_credits_within_usage_fails_for_a_negative_quantity_that_is_no_credit(estate: Estate) -> None:
    change_first(estate, RATED_USAGE, quantity_numerator=-pl.col("quantity_numerator"))

    judgement = judged("credits_within_usage", estate)

    assert judgement.is_failure
    assert "below zero on a credit, nowhere else | allocation of -" in judgement.told


@pytest.mark.parametrize(
    ("beyond", "dearer", "told"), [(1, 0, "36001 forgiven, at 2.385"), (0, 1, "36000 forgiven, at 3.385")]
)
def test_credits_within_usage_fails_for_a_credit_of_more_than_was_charged_or_at_another_price(
    estate: Estate, beyond: int, dearer: int, told: str
) -> None:
    first = rows_of(estate, RATED_USAGE).head(1)
    credit = first.with_columns(
        kind=pl.lit("credit-preempted"),
        quantity_numerator=-pl.col("quantity_numerator") - beyond,
        price=(pl.col("price") + dearer).cast(RATED_USAGE.schema["price"]),
    )
    put(estate, RATED_USAGE, pl.concat([first, credit]))

    judgement = judged("credits_within_usage", estate)

    assert judgement.is_failure
    assert f"at most 36000 forgiven, at 2.385 | {told}" in judgement.told


def test_reserved_unused_charged_passes_where_nothing_is_reserved(billed_estate: Estate) -> None:
    assert judged("reserved_unused_charged", billed_estate).is_pass


def test_reserved_unused_charged_fails_for_what_capacity_does_not_know_and_for_another_time(estate: Estate) -> None:
    kept = rows_of(estate, RATED_USAGE).head(1).with_columns(
        kind=pl.lit("reserved-unused"),
        quantity_numerator=pl.lit(3600, pl.Int64),
        quantity_denominator=pl.lit(1, pl.Int64),
    )  # fmt: skip
    put(estate, RATED_USAGE, kept)

    judgement = judged("reserved_unused_charged", estate)

    assert judgement.is_failure
    assert judgement.told == "h100-sxm5-80gb | 0 GPU-seconds | 3600 GPU-seconds charged"
