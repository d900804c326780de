"""Checks of rated_usage: that the month is whole, that everything has a price, that no second was lost or made."""

from datetime import datetime
from fractions import Fraction

import polars as pl

from chargeback.billing_period import day_interval
from chargeback.contracts.attribution import ATTRIBUTION
from chargeback.contracts.capacity import CAPACITY
from chargeback.contracts.landed_objects import LANDED_OBJECTS
from chargeback.contracts.names import RESERVED_UNUSED
from chargeback.contracts.rate_card import RATE_CARD
from chargeback.contracts.rated_usage import RATED_USAGE
from chargeback.contracts.raw_pods import RAW_PODS
from chargeback.contracts.raw_sacct import RAW_SACCT
from chargeback.ledger.credit_findings import credit_findings
from chargeback.pricing.billing_weights import charged_beyond_gpu
from chargeback.pricing.missing_prices import missing_price_findings
from chargeback.pricing.policies_in_force import policies_in_force, stated_policies
from chargeback.pricing.rating import unpriced_usage
from checks.gate import Check, Outcome, Reading, findings_of

USUAL_DAY_AT_LEAST = 20
"""A cluster whose usual day has fewer records than this is too small for a day's count to mean anything."""

RECORDS = {"slurm": (RAW_SACCT, "slurm/sacct", "sacct"), "kubernetes": (RAW_PODS, "kubernetes/pods", "pod")}
"""Of each scheduler the table whose rows a day is judged by, the source that they come from, and what they are."""


def gaps(reading: Reading) -> Outcome:
    """Days that were never billed, have far fewer records than usual, or were extracted before they were over.

    An empty input passes every other check, so emptiness itself is a finding (case P10).
    """
    assert reading.month is not None  # noqa: S101  (rated_usage is partitioned by month)
    counts, told = _records_by_day(reading)
    extracted = _last_extraction(reading)
    for cluster in sorted(reading.settings.clusters):
        _, source, records = RECORDS[reading.month.schedulers[cluster]]
        days = [partition for partition in reading.month.days if partition.key.startswith(f"{cluster}|")]
        recorded = sorted(counts.get(partition.key, 0) for partition in days)
        usual = recorded[len(recorded) // 2] if recorded else 0
        least = max(1, usual * reading.settings.policies.empty_day_share_percent // 100)
        for partition in days:
            count = counts.get(partition.key, 0)
            if usual >= USUAL_DAY_AT_LEAST and count < least:
                told.append((partition.key, f"about {usual} {records} records, at least {least}", f"{count} records"))
        last = extracted.get((cluster, source))
        told.extend(_unfinished(cluster, days[-1].key.partition("|")[2], records, last, reading))
    return Outcome(findings_of(told), {"partitions": len(reading.month.days)})


def usage_without_a_price(reading: Reading) -> Outcome:
    """Accelerators and tiers that were held and that the card does not price, with how their entry is begun."""
    rated, prices = reading.table(RATED_USAGE).collect(), reading.table(RATE_CARD).collect()
    return Outcome(findings_of(missing_price_findings(unpriced_usage(rated), rated, prices)))


def gpus_charged_beyond_themselves(reading: Reading) -> Outcome:
    """GPUs whose slices were held together and are charged as more than the GPU, an hour a finding."""
    beyond = charged_beyond_gpu(reading.table(ATTRIBUTION), reading.table(RATE_CARD).collect())
    told = []
    for row in beyond.iter_rows(named=True):
        excess = Fraction(row["excess_numerator"], row["weight_denominator"])
        charged = f"{row['slices']} are charged as {excess} GPU-seconds too much: lower a billing_weight in a new card"
        key = f"{row['cluster']} {row['gpu']} {row['hour_start'].isoformat()}"
        told.append((key, "slices of one GPU that are charged as one GPU at most", charged))
    return Outcome(findings_of(told), {"gpu_hours": len(told)})


def seconds_lost_or_made(reading: Reading) -> Outcome:
    """Accelerators whose rated physical GPU-seconds are not those attributed."""
    rated = reading.table(RATED_USAGE).group_by("accelerator", denominator="gpu_seconds_denominator").agg(
        numerator=pl.col("gpu_seconds_numerator").cast(pl.Int128).sum()
    )  # fmt: skip
    held = reading.table(ATTRIBUTION).group_by("accelerator", denominator="units_per_gpu").agg(
        numerator=(pl.col("held_seconds").cast(pl.Int128) * pl.col("share_units")).sum()
    )  # fmt: skip
    before, after = _sums(held.collect()), _sums(rated.collect())
    told = [
        (accelerator, f"{before.get(accelerator, 0)} GPU-seconds", f"{after.get(accelerator, 0)} GPU-seconds")
        for accelerator in sorted({*before, *after})
        if before.get(accelerator, 0) != after.get(accelerator, 0)
    ]
    return Outcome(findings_of(told), {"accelerators": len(before)})


def credits_beyond_usage(reading: Reading) -> Outcome:
    """Credits that forgive more than was charged, at another price, or that are no credits by their sign."""
    counted = (*RATED_USAGE.key, "quantity_numerator", "quantity_denominator", "price")
    return Outcome(findings_of(credit_findings(reading.table(RATED_USAGE).select(counted).collect())))


def reserved_otherwise(reading: Reading) -> Outcome:
    """Accelerators of which another time is charged as reserved and unused than capacity says, or any though it is not.

    Slices of a GPU count as the GPU, by their part of it.
    """
    stated = stated_policies(reading.table(RATE_CARD).collect())
    is_charged = policies_in_force(reading.settings.policies.money, stated).charges_reserved_unused
    whole = pl.col("accelerator").str.replace(":.*", "")
    unused = reading.table(CAPACITY).group_by(whole, denominator="units_per_gpu").agg(
        numerator=pl.col("reserved_unused_unit_seconds").cast(pl.Int128).sum()
    )  # fmt: skip
    rated = reading.table(RATED_USAGE).filter(pl.col("kind") == RESERVED_UNUSED)
    charged = _sums(rated.group_by("accelerator", denominator="quantity_denominator").agg(
        numerator=pl.col("quantity_numerator").cast(pl.Int128).sum()
    ).collect())  # fmt: skip
    wanted = _sums(unused.collect()) if is_charged else {}
    told = [
        (accelerator, f"{wanted.get(accelerator, 0)} GPU-seconds", f"{charged.get(accelerator, 0)} GPU-seconds charged")
        for accelerator in sorted({*wanted, *charged})
        if wanted.get(accelerator, 0) != charged.get(accelerator, 0)
    ]
    return Outcome(findings_of(told), {"accelerators": len(wanted)})


def _records_by_day(reading: Reading) -> tuple[dict[str, int], list[tuple[str, str, str]]]:
    """Records of each (cluster, day) by its scheduler's table, and the days that were never materialised."""
    assert reading.month is not None  # noqa: S101  (rated_usage is partitioned by month)
    counts: dict[str, int] = {}
    missing: list[str] = []
    for scheduler in sorted(set(reading.month.schedulers.values())):
        scanned = reading.scan(RECORDS[scheduler][0])
        rows = scanned.frame.group_by("cluster", "day").len().collect().rows()
        counts |= {f"{cluster}|{day}": count for cluster, day, count in rows}
        missing += scanned.missing
    return counts, [(key, "billed", "never materialised") for key in missing]


def _last_extraction(reading: Reading) -> dict[tuple[str, str], datetime]:
    """(cluster, source) -> when it was last extracted."""
    rows = reading.table(LANDED_OBJECTS).group_by("cluster", "source").agg(pl.col("extracted_at").max()).collect()
    return {(cluster, source): extracted_at for cluster, source, extracted_at in rows.rows()}


def _unfinished(
    cluster: str, last_day: str, records: str, extracted: datetime | None, reading: Reading
) -> list[tuple[str, str, str]]:
    over = day_interval(last_day, reading.settings.zone).end
    if extracted is not None and extracted >= over:
        return []
    wanted = f"a {records} extract taken after {over.isoformat()}"
    return [(cluster, wanted, extracted.isoformat() if extracted else "none")]


def _sums(rows: pl.DataFrame) -> dict[str, Fraction]:
    sums: dict[str, Fraction] = {}
    for accelerator, denominator, numerator in rows.select("accelerator", "denominator", "numerator").iter_rows():
        sums[accelerator] = sums.get(accelerator, Fraction(0)) + Fraction(int(numerator), denominator)
    return sums


CHECKS = (
    Check("month_complete", RATED_USAGE, "Every day of every cluster is there, as full as usual, and over.", gaps,
          stops="certificate"),
    Check("usage_rated", RATED_USAGE, "Everything that was held has a price.", usage_without_a_price,
          stops="certificate"),
    Check("slices_within_gpu", RATED_USAGE, "Slices that were held together on one GPU are charged as one GPU at most.",
          gpus_charged_beyond_themselves, stops="certificate"),
    Check("rated_usage_conserves_attribution", RATED_USAGE, "No GPU-second is lost or made between attribution and "
          "rating.", seconds_lost_or_made, stops="run"),
    Check("credits_within_usage", RATED_USAGE, "No credit forgives more than was charged, nor at another price.",
          credits_beyond_usage, stops="run"),
    Check("reserved_unused_charged", RATED_USAGE, "What was reserved and unused is charged once, if it is charged.",
          reserved_otherwise, stops="run"),
)  # fmt: skip
