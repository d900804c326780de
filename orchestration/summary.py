"""What a person sees at the end of a bill: who held and would pay what, what was not charged and why, that it adds up,
what the gate says, where the documents are. Not here: computing any of it but sums of what stands in the lake."""

import os
import sys
from decimal import Decimal
from fractions import Fraction

import polars as pl
from rich.console import Console
from rich.table import Table

from assets.enforcement import mode_of
from assets.materialisation import Month, month_called
from chargeback.contracts.capacity import CAPACITY, STATES
from chargeback.contracts.names import CREDIT_KINDS
from chargeback.contracts.published import PUBLISHED
from chargeback.contracts.quarantine import QUARANTINE
from chargeback.contracts.rated_usage import RATED_USAGE
from chargeback.contracts.runs import RUNS
from chargeback.contracts.team_charges import TEAM_CHARGES
from chargeback.ledger.credit_parts import kind_name
from chargeback.ledger.enforcement import PARALLEL
from chargeback.ledger.plain_numbers import grouped, hours_text
from chargeback.ledger.usage_states import UsageStates, all_states, states_by
from chargeback.ledger.utilisation import per_cent
from orchestration.bill import BillOutcome
from orchestration.ui_address import UI_PORT
from orchestration.workspace import Workspace

SHOWN_REASONS = 12


def print_summary(outcome: BillOutcome, workspace: Workspace, console: Console) -> None:
    """Print the summary of a bill."""
    month = month_called(outcome.month, workspace.settings)
    console.print()
    _teams(month, workspace, console)
    _not_charged(month, workspace, console)
    _conservation(month, workspace, console)
    _gate(outcome, workspace, console)
    _documents(month, workspace, console)
    _where_to_look(outcome, console)
    _what_changed(outcome, console)


def _teams(month: Month, workspace: Workspace, console: Console) -> None:
    lines = workspace.lake.scan(TEAM_CHARGES, [month.partition]).frame.collect()
    if lines.is_empty():
        return
    did = states_by(workspace.lake.scan(RATED_USAGE, [month.partition]).frame.collect(), "team")
    verb = "would be charged" if _mode(month, workspace) == PARALLEL else "is charged"
    table = Table(title=f"{month.period.month}: what each team held and {verb}", title_justify="left")
    columns = ("team", "GPU-hours held", *(("active", "lost") if all_states(did).observed else ()), "lines", "amount")
    for name in columns:
        table.add_column(name, justify="left" if name == "team" else "right")
    currency = workspace.settings.currency
    total_hours, total = Fraction(0), Decimal(0)
    for team in sorted(lines["team"].unique(), key=lambda name: (name == "unattributed", name)):
        own = lines.filter(pl.col("team") == team)
        hours = sum((Fraction(text) for text in own["gpu_seconds"]), Fraction(0)) / 3600
        amount = sum(own["amount"], Decimal(0))
        total_hours, total = total_hours + hours, total + amount
        used = _used(did.get((team,), UsageStates()), columns)
        table.add_row(team, f"{float(hours):,.2f}", *used, str(len(own)), currency.format(amount))
    table.add_section()
    used = _used(all_states(did), columns)
    table.add_row("total", f"{float(total_hours):,.2f}", *used, str(len(lines)), currency.format(total))
    console.print(table)
    _credits(lines, workspace, console)
    _telemetry(all_states(did), month, console)


def _mode(month: Month, workspace: Workspace) -> str:
    return mode_of(month, lake=workspace.lake, people=workspace.people, settings=workspace.settings)


def _credits(lines: pl.DataFrame, workspace: Workspace, console: Console) -> None:
    """What was forgiven, by kind; nothing is said where nothing was."""
    amounts: dict[str, Decimal] = {}
    for kind, amount in lines.filter(pl.col("kind").is_in(CREDIT_KINDS)).select("kind", "amount").iter_rows():
        amounts[kind] = amounts.get(kind, Decimal(0)) + amount
    if amounts:
        said = "; ".join(
            f"{kind_name(kind).removeprefix('credit, ')} {workspace.settings.currency.format(amounts[kind])}"
            for kind in CREDIT_KINDS
            if kind in amounts
        )
        console.print(f"credits        {said}: in the amounts above, borne by the platform", markup=False)


def _used(states: UsageStates, columns: tuple[str, ...]) -> list[str]:
    return [grouped(hours_text(states.active)), grouped(hours_text(states.lost))] if "lost" in columns else []


def _telemetry(states: UsageStates, month: Month, console: Console) -> None:
    """How much of the held time was seen; without any telemetry all of it is unmeasured, which is never idle."""
    if not states.observed:
        console.print(f"telemetry      none: {grouped(hours_text(states.unmeasured))} GPU-hours unmeasured, not idle")
        return
    seen = per_cent(states.observed, of=states.held)
    console.print(f"telemetry      saw {seen} % of the held hours; what was lost, and by whom: chargeback top "
                  f"{month.period.month}", markup=False)  # fmt: skip


def _not_charged(month: Month, workspace: Workspace, console: Console) -> None:
    runs = workspace.lake.scan(RUNS, month.days).frame
    latest = runs.sort("day").unique(["cluster", "run"], keep="last", maintain_order=True)
    counts = dict(latest.group_by("gpu_count_basis").len().collect().iter_rows())
    quarantined = workspace.lake.scan(QUARANTINE, month.days).frame.select(pl.len()).collect().item()
    reasons = {
        "never started": counts.get("never started", 0),
        "asked for and got no GPU": counts.get("no GPUs", 0),
        "GPU count unknown (blocks the certificate)": counts.get("unknown", 0),
        "unreadable, in quarantine": quarantined,
    }
    said = "; ".join(f"{count} {reason}" for reason, count in reasons.items() if count) or "nothing"
    console.print(f"not charged    {said}", markup=False)


def _conservation(month: Month, workspace: Workspace, console: Console) -> None:
    names = ("capacity", *STATES)
    sums = (
        workspace.lake.scan(CAPACITY, month.days)
        .frame.group_by("units_per_gpu")
        .agg(pl.col(f"{name}_unit_seconds").sum() for name in names)
        .collect()
    )
    hours = {
        name: sum(
            (
                Fraction(seconds, units)
                for units, seconds in sums.select("units_per_gpu", f"{name}_unit_seconds").rows()
            ),
            Fraction(0),
        )
        / 3600
        for name in names
    }
    difference = hours["capacity"] - sum((hours[state] for state in STATES), Fraction(0))
    parts = " + ".join(f"{state.replace('_', ' ')} {float(hours[state]):,.2f}" for state in STATES if hours[state])
    console.print(
        f"conservation   {parts or '0'} = capacity {float(hours['capacity']):,.2f} GPU-hours; difference "
        f"{difference * 3600} s",
        markup=False,
    )


def _gate(outcome: BillOutcome, workspace: Workspace, console: Console) -> None:
    if outcome.failures:
        console.print(f"stopped        {len(outcome.failures)} reasons", style="red")
        _listed(outcome.failures, console)
    if outcome.refused:
        console.print(f"gate           REFUSED, {len(outcome.refused)} reasons; nothing was published", style="red")
        _listed(outcome.refused, console)
    elif not outcome.failures:
        mode = " (parallel month: statements are watermarked, the journal is withheld)"
        is_parallel = _mode(month_called(outcome.month, workspace.settings), workspace) == PARALLEL
        console.print(f"gate           passed{mode if is_parallel else ''}", markup=False)


def _listed(reasons: tuple[str, ...], console: Console) -> None:
    for reason in reasons[:SHOWN_REASONS]:
        console.print(f"  - {reason}", markup=False)
    if len(reasons) > SHOWN_REASONS:
        console.print(f"  ... and {len(reasons) - SHOWN_REASONS} more; the UI shows each at its asset")


def _documents(month: Month, workspace: Workspace, console: Console) -> None:
    rows = workspace.lake.scan(PUBLISHED, [month.partition]).frame.collect()
    is_beside_its_page = pl.col("kind").is_in(["statement lines", "statement paper"])
    shown = rows.filter(~is_beside_its_page).sort(pl.col("kind") != "statement page", "kind", "team")
    for kind, team, key in shown.select("kind", "team", "object").iter_rows():
        console.print(f"{kind:<15}{team + ': ' if team else ''}{workspace.settings.location.child(key)}", markup=False)


def _where_to_look(outcome: BillOutcome, console: Console) -> None:
    """The command as it was typed, and the page of the very run, or of the month's charges where nothing ran."""
    command = os.path.relpath(sys.argv[0]) if os.path.isabs(sys.argv[0]) else sys.argv[0]
    page = f"assets/team_charges?partition={outcome.month}"
    if outcome.month_run and outcome.month_run.run_id:
        page = f"runs/{outcome.month_run.run_id}"
    console.print(f"look           {command} ui     then http://127.0.0.1:{UI_PORT}/{page}", markup=False)


def _what_changed(outcome: BillOutcome, console: Console) -> None:
    if not outcome.changed and not outcome.refused and not outcome.failures:
        console.print(f"nothing changed: {outcome.days_unchanged} days and the month stand as they were billed before")
        return
    runs = len(outcome.days_run) + (outcome.month_run is not None)
    console.print(f"{runs} runs; {outcome.days_unchanged} days stood as they were")
