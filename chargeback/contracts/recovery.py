"""Contract of recovery: what the GPUs of an accelerator cost in a month, and where that money went."""

import polars as pl

from chargeback.contracts.common_columns import CURRENCY, MONTH
from chargeback.contracts.contract import MONEY, Column, Contract


def _known(name: str, meaning: str) -> Column:
    return Column(name, MONEY, f"{meaning}; null without a build-up", "currency", nullable=True)


def _hours(stem: str, meaning: str) -> Column:
    return Column(f"{stem}_gpu_seconds", pl.String(), f"{meaning}, a reduced fraction", "GPU-seconds")


RECOVERY = Contract(
    table="recovery",
    grain="one row per accelerator, slices with their GPU",
    key=("month", "accelerator"),
    partitioned_by=("month",),
    stage="ledger",
    columns=(
        MONTH,
        Column("accelerator", pl.String(), "whole GPU: h100-sxm5-80gb"),
        CURRENCY,
        Column("plan", pl.String(), "where the plan comes from", values=("build-up", "none")),
        Column("actual", pl.String(), "where the actual cost comes from", values=("general ledger", "plan", "none")),
        _known("planned_pool", "what the card's rate is to bring in: a twelfth of a year's costs and carry-forward"),
        _known("pool", "what there was to recover: what was spent, and the carry-forward"),
        Column("recovered", MONEY, "charged to teams, payers and suspense, less credits: its lines", "currency"),
        _known("planned_idle", "planned idle capacity that hours not sold left unpaid, at cost"),
        _known("volume_variance", "hours that the card counted on and nobody was charged for, at cost"),
        _known("spending_variance", "spent above the plan"),
        _known("discounts", "standard price less the price charged"),
        Column("credits", MONEY, "what was forgiven, which the platform bears", "currency"),
        _known("rounding", "of the rate, the lines and this row, so that the row adds up"),
        Column("exact_rounding", pl.String(), "the same by itself, a reduced fraction; empty without a build-up"),
        Column("suspense", MONEY, "of recovered: charged to nobody known yet", "currency"),
        Column("sold_hours", pl.String(), "hours charged, in GPU-hours at the standard rate, a reduced fraction"),
        Column("billable_hours", pl.String(), "hours that the rate divides by; empty without a build-up"),
        _hours("available", "capacity in service"),
        _hours("held", "held of it"),
        _hours("unallocated", "nobody held it and somebody could have been given it"),
        _hours("blocked", "nobody could be given it"),
        _known("unallocated_cost", "unallocated x pool / available, never at the card's rate; in no line of this row"),
        _known("blocked_cost", "blocked x pool / available, likewise"),
        Column("components", pl.String(), "component -> planned and actual cost in currency, JSON"),
        Column("weeks", pl.String(), "ISO week -> available, held, rated, observed and active, JSON", "GPU-seconds"),
        Column("quarantined_rows", pl.Int64(), "rows of the general ledger that cannot be read", "rows", minimum=0),
    ),
    checks=("recovery_adds_up", "recovered_equals_journal", "general_ledger_read"),
)
