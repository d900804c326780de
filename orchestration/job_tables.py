"""One job on a terminal, run by run. Not here: any figure (chargeback/ledger/job_document.py)."""

from rich.console import Console
from rich.text import Text

from chargeback.ledger.job_document import STATES
from chargeback.ledger.plain_numbers import grouped
from chargeback.ledger.statement_document import Document
from chargeback.ledger.statement_page import short

NARROWEST = 110
BAR_CELLS = 32
SHOWN_DEVICES = 16
SHOWN_RUNS = 10
BLOCKS = {"active": "█", "starved": "▒", "idle": "░", "unmeasured": "·"}
TOLD = {"unmeasured": "no data"}


def print_job(document: Document, console: Console) -> None:
    """Each run, the newest ones whole; then, of several, all together; then what to do."""
    console.width = max(console.width, NARROWEST)
    runs = document["runs"]
    if len(runs) > SHOWN_RUNS:
        console.print(f"{len(runs)} runs; the newest {SHOWN_RUNS} are shown, all of them with --format json or csv")
    for number, run in list(enumerate(runs, start=1))[-SHOWN_RUNS:]:
        _run(run, number, document, console)
    if len(runs) > 1:
        console.print(Text("all runs together", style="bold"))
        _did(document["did"], console)
        _row("cost", f"{short(document['cost'])} {document['currency']}, unrounded", console)
    for month in document["unrated_months"]:
        _row("not rated", f"{month} was not rated yet, so its cost is not known: chargeback bill {month}", console)
    for note in document["notes"]:
        _row("note", note, console)


def _run(run: Document, number: int, document: Document, console: Console) -> None:
    of_runs = f" · run {number} of {len(document['runs'])}" if len(document["runs"]) > 1 else ""
    name = f' "{run["job_name"]}"' if run["job_name"] else ""
    console.print(Text(f"{document['cluster']} · job {run['job_id']}{name}{of_runs}", style="bold"))
    whose = (
        run["user"], _named("account", run["account"]), *(_named("team", team) for team in run["teams"]),
        *(_named("cost centre", centre) for centre in run["cost_centres"]),
        *(_named("project", project) for project in run["projects"]),
    )  # fmt: skip
    _row("who", " · ".join(part for part in whose if part), console)
    _row("when", _when(run), console)
    _row("held", _held(run), console)
    if run.get("gpu_equivalents"):
        _row("blocks", _blocks(run), console)
    _did(run["did"], console)
    _devices(run["devices"], console)
    _costs(run["costs"], document["currency"], console)


def _named(name: str, value: str) -> str:
    return f"{name} {value}" if value else ""


def _when(run: Document) -> str:
    if not run["started"]:
        reason = f" ({run['pending_reason']})" if run["pending_reason"] else ""
        return f"submitted {_instant(run['submitted'])}, never started{reason} · {run['end_cause'] or run['state']}"
    if run["is_running"]:
        until = f"still running when last seen, {_instant(run['observed_until'])}"
    else:
        until = f"ended {_instant(run['ended'])}, {run['end_cause'] or run['state'].lower()}"
    return f"submitted {_instant(run['submitted'])} · started {_instant(run['started'])} · {until}"


def _instant(text: str) -> str:
    return f"{text[:10]} {text[11:16]} UTC" if text else "at an unknown time"


def _blocks(run: Document) -> str:
    what = f"as much {run['blocked_by']} of its host as belongs to {run['gpu_equivalents']} GPUs"
    return f"{what} · {grouped(run['blocked_hours'])} GPU-hours beyond what it held, not charged"


def _held(run: Document) -> str:
    asked = f"asked for {run['gpus_requested']}, " if run["gpus_requested"] else ""
    granted = f"was granted {run['gpus_granted'] or 'an unknown number'}"
    what = " and ".join(run["accelerators"]) or "no GPU"
    where = f" on {run['hosts']}" if run["hosts"] else ""
    hours = grouped(run["did"]["held_hours"])
    return f"{asked}{granted} · {what}{where} · {hours} GPU-hours · {run['tier']}"


def _did(did: Document, console: Console) -> None:
    if not did["has_telemetry"]:
        if did["held_hours"] != "0.00":
            _row("did", f"no data   {grouped(did['held_hours'])} GPU-h: nobody saw it, which is not idle", console)
        return
    first = "did"
    for state in STATES:
        if did[f"{state}_hours"] == "0.00":
            continue
        share = did[f"{state}_per_cent"]
        bar = BLOCKS[state] * round(float(share) * BAR_CELLS / 100)
        hours = f"{grouped(did[f'{state}_hours']):>12} GPU-h"
        _row(first, f"{TOLD.get(state, state):<9} {bar:<{BAR_CELLS}} {share:>5} %{hours}", console)
        first = ""
    if did["energy_kwh"]:
        _row("energy", f"{grouped(did['energy_kwh'])} kWh of the GPUs, where it was sampled", console)


def _devices(devices: list[Document], console: Console) -> None:
    if len(devices) < 2 and not any(device["gpu"] for device in devices):
        return
    for at, device in enumerate(devices[:SHOWN_DEVICES]):
        seen = f"active {device['active_per_cent']:>5} %" if device["has_telemetry"] else "no data"
        gpu = device["gpu"] or "not bound to a GPU"
        text = f"{device['host']:<12} {gpu:<44} {grouped(device['held_hours']):>10} GPU-h   {seen}"
        _row("on" if at == 0 else "", text, console)
    if len(devices) > SHOWN_DEVICES:
        _row("", f"... and {len(devices) - SHOWN_DEVICES} more, all of them with --format json", console)


def _costs(costs: list[Document], currency: str, console: Console) -> None:
    for at, cost in enumerate(costs):
        unit = "slice-h" if cost["quantity_unit"] == "slice-second" else "GPU-h"
        credit = "" if cost["is_allocation"] else f" · {cost['kind_name']}"
        if not cost["price"]:
            text = (
                f"{grouped(cost['hours'])} {unit}: the card has no price for {cost['name']}, so it is not charged yet"
            )
        else:
            line = f"line {cost['line_id']}" if cost["on_statement"] else "on no statement line yet"
            text = (
                f"{grouped(cost['hours'])} {unit} × {cost['price']} {currency} = {short(cost['cost'])} {currency}"
                f"{credit} · {cost['name']} · card {cost['card_version']} · {line}"
            )
        _row("costs" if at == 0 else "", text, console)
    if costs and costs[-1]["on_statement"]:
        _row("", f"how a line is made: chargeback explain {costs[-1]['line_id']}", console)


def _row(name: str, text: str, console: Console) -> None:
    console.print(f"  {name:<9} {text}", markup=False)
