"""The worked month's holds, written by hand, as the attribution and runs that the usage stage makes of them.

Ownership, prices and expected lines are read in place from the public folder.
"""

import csv
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from types import MappingProxyType
from zoneinfo import ZoneInfo

import polars as pl

from chargeback.billing_period import BillingPeriod, day_interval
from chargeback.contracts.attribution import ATTRIBUTION
from chargeback.contracts.runs import RUNS
from chargeback.ledger.charges import charge_lines
from chargeback.money import Currency
from chargeback.pricing.credits import NO_CREDITS, CreditPolicies
from chargeback.pricing.ownership import ownership_of_month, read_ownership
from chargeback.pricing.prices_of_month import prices_of_month
from chargeback.pricing.rate_card import RateCard, read_rate_card
from chargeback.pricing.rating import rate_usage
from tests.tables import instant, shared_file

AMSTERDAM = ZoneInfo("Europe/Amsterdam")
MARCH = BillingPeriod("2026-03", AMSTERDAM)
EUR = Currency("EUR")
H100, A100, SLICE = "h100-sxm5-80gb", "a100-sxm4-80gb", "a100-sxm4-80gb:3g.40gb"

HOLDS = """
    101  vision-lab  u1  standard     gpu01  h100-sxm5-80gb          8  1/1  2026-02-28T20:00:00Z  2026-03-01T05:00:00Z
    102  nlp-lab     u2  preemptible  gpu02  h100-sxm5-80gb          4  1/1  2026-03-05T10:00:00Z  2026-03-05T12:30:00Z
    102  nlp-lab     u2  preemptible  gpu02  h100-sxm5-80gb          4  1/1  2026-03-05T13:00:00Z  2026-03-05T18:00:00Z
    103  nlp-lab     u2  standard     gpu01  h100-sxm5-80gb          8  1/1  2026-03-12T00:00:00Z  2026-03-13T06:00:00Z
    103  nlp-lab     u2  standard     gpu02  h100-sxm5-80gb          8  1/1  2026-03-12T00:00:00Z  2026-03-13T06:00:00Z
    104  vision-lab  u1  standard     gpu03  a100-sxm4-80gb          8  1/1  2026-03-15T08:00:00Z  2026-03-15T20:00:00Z
    105  robotics    u3  standard     gpu03  a100-sxm4-80gb          2  1/1  2026-03-28T22:00:00Z  2026-03-29T04:00:00Z
    106  robotics    u3  standard     gpu04  a100-sxm4-80gb:3g.40gb  1  3/7  2026-03-20T00:00:00Z  2026-03-21T00:00:00Z
    107  shared-lab  u4  standard     gpu01  h100-sxm5-80gb          1  1/1  2026-03-07T08:00:00Z  2026-03-07T09:00:01Z
    108  misc        u5  standard     gpu03  a100-sxm4-80gb          1  1/1  2026-03-08T08:00:00Z  2026-03-08T10:00:00Z
    110  vision-lab  u1  standard     gpu02  h100-sxm5-80gb          4  1/1  2026-03-31T20:00:00Z  2026-04-01T02:00:00Z
    112  robotics    u3  standard     gpu03  a100-sxm4-80gb          2  1/1  2026-03-25T08:00:00Z  2026-03-25T18:00:00Z
    113  robotics    u3  standard     gpu01  h100-sxm5-80gb          1  1/1  2026-03-09T08:00:00Z  2026-03-09T09:00:00Z
"""

CARD = b"""\
version: "2026.1"
effective_from: 2026-01
currency: EUR
prepared_by: platform lead
accelerators:
  h100-sxm5-80gb:
    standard: {price: 2.385, unit: GPU-hour}
    preemptible: {price: 1.68, unit: GPU-hour}
  a100-sxm4-80gb:
    standard: {price: 1.10, unit: GPU-hour}
    slices:
      3g.40gb:
        standard: {price: 0.60, unit: slice-hour}
"""


NOTHING_SEEN = {
    "after_end_seconds": 0, "idle_milliseconds": 0, "starved_milliseconds": 0, "busy_milliseconds": 0,
    "observed_milliseconds": 0, "active_milliseconds": 0, "consumed_ppm_milliseconds": 0,
}  # fmt: skip
"""What attribution says without telemetry, beside `unmeasured`."""


def usage_of(
    holds: str,
    *,
    period: BillingPeriod = MARCH,
    running: tuple[str, ...] = (),
    ended: Mapping[str, str] = MappingProxyType({}),
    suspended: Mapping[str, int] = MappingProxyType({}),
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Hourly attribution and daily runs of holds written as a table; jobs in `running` go on after their hold.

    `ended`: job -> end cause; `suspended`: job -> seconds of its hold in which it was suspended.
    """
    hours: list[dict[str, object]] = []
    runs: dict[tuple[str, str], dict[str, object]] = {}
    for line in holds.strip().splitlines():
        job, account, user, tier, host, accelerator, devices, share, held_from, held_until = line.split()
        start, end = instant(held_from), instant(held_until)
        run = f"{job}@{start:%Y-%m-%dT%H:%M:%SZ}"
        units, per_gpu = (int(part) for part in share.split("/"))
        sharing = "mig" if per_gpu == 7 else "shard" if per_gpu > 1 else "whole"
        for day in period.days:
            for hour in day_interval(day, period.zone).hours():
                seconds = int((min(end, hour.end) - max(start, hour.start)) / timedelta(seconds=1))
                if seconds <= 0:
                    continue
                held = seconds * int(devices)
                hours.append(
                    {
                        "cluster": "slurm-a", "day": day, "hour_start": hour.start, "run": run, "host": host,
                        "accelerator": accelerator, "sharing": sharing, "gpu": "", "share_units": units,
                        "units_per_gpu": per_gpu, "held_seconds": held, "unmeasured_milliseconds": held * 1000,
                        "is_estimate": False, **NOTHING_SEEN,
                    }
                )  # fmt: skip
                runs[(day, run)] = {
                    "cluster": "slurm-a", "day": day, "run": run, "scheduler": "slurm", "job_id": job,
                    "job_id_raw": job, "job_name": f"job{job}", "user": user, "account": account, "tier": tier,
                    "workload_class": "batch", "state": "COMPLETED", "is_running": job in running, "started": start,
                    "observed_until": end, "gpu_count": int(devices), "gpu_count_basis": "recorded",
                    "host_count": 1, "is_exclusive": False, "object": "o", "line": 1, "end_cause": ended.get(job),
                    "elapsed_seconds": int((end - start).total_seconds()) - suspended.get(job, 0),
                    "suspended_seconds": suspended.get(job, 0), "extracted_at": datetime(2026, 4, 2, tzinfo=UTC),
                }  # fmt: skip
    return _frame(hours, ATTRIBUTION.schema), _frame(list(runs.values()), RUNS.schema)


def _frame(rows: list[dict[str, object]], schema: dict[str, pl.DataType]) -> pl.DataFrame:
    return pl.DataFrame({name: [row.get(name) for row in rows] for name in schema}, schema=schema)


def the_card(content: bytes = CARD) -> RateCard:
    card = read_rate_card(content, object_key="rate-cards/2026.1.yaml")
    assert isinstance(card, RateCard), card
    return card


def the_ownership(period: BillingPeriod = MARCH) -> pl.DataFrame:
    content = shared_file("worked-month", "ownership.csv").read_bytes()
    rows, refusals = read_ownership(content, object_key="ownership/o.csv")
    assert refusals == []
    return ownership_of_month(rows, period=period)


WHY = MappingProxyType({"102": "preempted", "104": "platform fault", "108": "timeout"})
"""Job -> end cause, of the worked month's runs that did not complete (102 was preempted once)."""

SUSPENDED = MappingProxyType({"112": 14_400})


def rated_usage(
    holds: str = HOLDS,
    *,
    card: bytes = CARD,
    running: tuple[str, ...] = (),
    ended: Mapping[str, str] = WHY,
    suspended: Mapping[str, int] = SUSPENDED,
    credit_policies: CreditPolicies = NO_CREDITS,
) -> pl.DataFrame:
    attribution, runs = usage_of(holds, running=running, ended=ended, suspended=suspended)
    return rate_usage(
        attribution.lazy(),
        runs.lazy(),
        the_ownership(),
        prices_of_month(the_card(card), period=MARCH),
        period=MARCH,
        currency="EUR",
        unknown_accounts=("root", "default"),
        credit_policies=credit_policies,
    )


def worked_lines() -> pl.DataFrame:
    return charge_lines(rated_usage(), currency=EUR)


def expected_lines() -> list[tuple[str, ...]]:
    """Rows of expected-lines.csv with prices and amounts as decimals spelled without trailing zeros."""
    with shared_file("worked-month", "expected-lines.csv").open() as file:
        return [tuple(row) for row in csv.reader(file)][1:]


def lines_as_text(lines: pl.DataFrame) -> list[tuple[str, ...]]:
    """Lines in the form of expected-lines.csv, sorted as it is."""
    columns = ("team", "cost_centre", "project", "accelerator", "tier", "kind", "quantity")
    return sorted(
        (*(str(line[column]) for column in columns), _plain(line["price"]), f"{line['amount']:.2f}")
        for line in lines.iter_rows(named=True)
    )


def _plain(price: Decimal) -> str:
    text = f"{price:f}".rstrip("0").rstrip(".")
    return f"{price:.2f}" if len(text.partition(".")[2]) < 2 else text
