"""`chargeback rerate`: what billed months would cost at a candidate card, and the runs of those that it changes.

Not here: the figures (chargeback/ledger/rerating.py), what is printed (rerate_command.py).
"""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import polars as pl

from assets.materialisation import Month, month_called
from chargeback.billing_period import month_of
from chargeback.contracts.partition import Partition
from chargeback.contracts.rate_card import RATE_CARD
from chargeback.contracts.rated_usage import RATED_USAGE
from chargeback.ledger.charges import charge_lines
from chargeback.ledger.rerating import RatedMonth, rerating
from chargeback.ledger.statement_document import Document
from chargeback.ledger.usage_of_lines import usage_of_lines
from chargeback.pricing.prices_of_month import card_in_force, prices_of_month
from chargeback.pricing.rate_card import CardRefused, RateCard
from chargeback.pricing.repricing import reprice
from orchestration.asked_month import asked_month
from orchestration.backfill_figures import closed_among
from orchestration.bill import MOST_WORKERS, Pool, refusals_of
from orchestration.month_run import run_month
from orchestration.progress import Progress
from orchestration.touched_months import differs_from_standing
from orchestration.workers import RunOutcome, worker_pool
from orchestration.workspace import Workspace
from resources.people_objects import PeopleRefused
from resources.setting_kinds import SettingsRefused


@dataclass(frozen=True, slots=True)
class Candidate:
    """What a candidate card does: the document, and the open months whose tables another card would change."""

    document: Document
    open_months: tuple[Month, ...]


@dataclass(frozen=True, slots=True)
class RerateOutcome:
    """What became of the runs: the gate's reasons, and runs that stopped for another one."""

    runs: tuple[RunOutcome, ...]
    refused: tuple[str, ...]
    failures: tuple[str, ...]


def candidate(month: str | None, card: RateCard | None, *, workspace: Workspace, now: datetime) -> Candidate:
    """Price every billed month, or one, at the cards that landed and `card` beside them. Nothing is written.

    Raises SettingsRefused for a month that was not billed and for a card that is in force in none, PeopleRefused for an
    unreadable file and for months without a card.
    """
    months = _billed(month, workspace, now)
    landed = workspace.people.rate_cards()
    cards = [*landed, card] if card is not None and card.sha256 not in {each.sha256 for each in landed} else landed
    chosen = {each.period.month: _in_force(cards, each, workspace) for each in months}
    if card is not None and all(each.sha256 != card.sha256 for each in chosen.values()):
        first, counting = next(iter(chosen.items()))
        raise SettingsRefused(
            f"rate card {card.version} ({card.object_key}) counts in no billed month: in {first} it is "
            f"{counting.version}. Give it a higher version, or months that it covers"
        )
    closed = closed_among(workspace.lake, months)
    states = workspace.lake.states(RATE_CARD, [each.partition for each in months])
    rated, other, concerned = [], [], []
    for each in months:
        new_prices = prices_of_month(chosen[each.period.month], period=each.period)
        if not differs_from_standing(new_prices, RATE_CARD, each.period.month, states, workspace):
            continue
        concerned.append(each)
        priced = _at_both(each, new_prices, workspace, is_closed=each.period.month in closed)
        rated += [priced] if priced.rates_change else []
        other += [] if priced.rates_change else [each.period.month]
    counting_cards = {chosen[each.period.month].version: chosen[each.period.month] for each in concerned}
    document = rerating(
        rated,
        cards=list(counting_cards) or sorted({each.version for each in chosen.values()}),
        unsigned=[
            f"Rate card {version}: {each.signature}" for version, each in counting_cards.items() if not each.is_signed
        ],
        other_card_only=other,
        currency=workspace.settings.currency,
    )
    return Candidate(document, tuple(each for each in concerned if each.period.month not in closed))


def rerate(
    months: Sequence[Month],
    *,
    workspace: Workspace,
    settings_file: Path | None,
    progress: Progress,
    workers: int | None = None,
    pool_of: Pool = worker_pool,
) -> RerateOutcome:
    """Compute the tables of open months again, from the days that stand there: like a bill without its days."""
    count = max(1, min(workers or os.cpu_count() or 1, MOST_WORKERS))
    runs: list[RunOutcome] = []
    refused: list[str] = []
    with pool_of(settings_file, count) as pool:
        for month in months:
            run = run_month(pool, month, workspace.lake, progress)
            refused += refusals_of(month, run, [run], workspace)
            runs.append(run)
    failures = tuple(f"{run.partition}: {fault}" for run in runs for fault in run.faults)
    return RerateOutcome(tuple(runs), tuple(dict.fromkeys(refused)), failures)


def _billed(month: str | None, workspace: Workspace, now: datetime) -> list[Month]:
    settings = workspace.settings
    if month is not None:
        asked_month(month, settings, now)
    names = (
        [month] if month is not None else _months_until(month_of(now, settings.zone), settings.first_day.isoformat())
    )
    billed = workspace.lake.states(RATED_USAGE, [Partition.of_month(name) for name in names])
    if not billed:
        raise SettingsRefused(
            f"{month or 'no month'} was {'not ' if month else ''}billed yet: chargeback bill {names[0]}"
        )
    return [month_called(name, settings) for name in sorted(billed)]


def _months_until(last: str, first_day: str) -> list[str]:
    months = [first_day[:7]]
    while months[-1] < last:
        year, number = int(months[-1][:4]), int(months[-1][5:])
        months.append(f"{year + number // 12}-{number % 12 + 1:02d}")
    return months


def _in_force(cards: Sequence[RateCard], month: Month, workspace: Workspace) -> RateCard:
    found = card_in_force(cards, period=month.period, currency=workspace.settings.currency_code)
    if isinstance(found, CardRefused):
        raise PeopleRefused(found.reasons)
    return workspace.people.signed_or_not(found, month.period)[0]


def _at_both(month: Month, new_prices: pl.DataFrame, workspace: Workspace, *, is_closed: bool) -> RatedMonth:
    """The month's lines as its rated usage makes them, and as the new prices would."""
    currency = workspace.settings.currency
    usage = usage_of_lines(workspace.lake.scan(RATED_USAGE, [month.partition]).frame, month=month.period.month)
    prices = workspace.lake.scan(RATE_CARD, [month.partition]).frame.collect()
    lines, new_lines = (
        charge_lines(reprice(usage, prices, at), currency=currency) for at in (prices, new_prices)
    )  # fmt: skip
    return RatedMonth(month.period.month, is_closed, lines, new_lines, prices, new_prices)
