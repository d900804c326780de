"""One job as texts, every run of it: the terminal, JSON and CSV print nothing but this.

Not here: which runs are meant (job_match.py), the sums (job_usage.py), advice (job_notes.py).
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from fractions import Fraction

import polars as pl

from chargeback.contracts.names import ALLOCATION
from chargeback.ledger.credit_parts import kind_name
from chargeback.ledger.csv_text import render_csv
from chargeback.ledger.job_match import Meant
from chargeback.ledger.job_notes import job_notes
from chargeback.ledger.job_usage import Device, Did, RunCost, costs_of, devices_of
from chargeback.ledger.plain_numbers import decimal_text, hours_text, plain_price
from chargeback.ledger.statement_document import Document, accelerator_name, statement_id_of
from chargeback.ledger.statement_parts import COST_DECIMALS, texts
from chargeback.ledger.utilisation import per_cent
from chargeback.money import Currency

STATES = ("active", "starved", "idle", "unmeasured")
MICROJOULES_PER_KWH = 3_600_000 * 10**6
CSV_HEADER = (
    "cluster", "job_id", "run", "job_name", "user", "account", "teams", "cost_centres", "projects", "tier", "submitted",
    "started", "ended", "end_cause", "gpus_requested", "gpus_granted", "held_gpu_hours",
    *(f"{state}_gpu_hours" for state in STATES), "energy_kwh", "currency", "cost", "credits", "lines",
)  # fmt: skip
_INSTANTS = ("submitted", "started", "ended", "observed_until")
_FACTS = (
    "scheduler", "job_id", "job_id_raw", "job_name", "user", "account", "queue", "qos", "tier", "workload",
    "workload_class", "reservation", "state", "end_cause", "pending_reason", "hosts", "gpu_count_basis",
)  # fmt: skip
_COUNTS = ("declared_gpus", "gpu_count", "limit_seconds", "elapsed_seconds", "suspended_seconds")


@dataclass(frozen=True, slots=True)
class JobRecords:
    """What stands in the lake of one job: contracts.runs (one row a day), attribution and rated_usage of its runs.

    `line_ids` are those of team_charges; `unrated`: months of its days that were not rated.
    """

    runs: pl.DataFrame
    attribution: pl.DataFrame
    rated: pl.DataFrame
    line_ids: Collection[str]
    unrated: Sequence[str]


def job_document(meant: Meant, records: JobRecords, *, currency: Currency) -> Document:
    """The document. Runs in order of their beginning; what a run costs is unrounded, since lines round."""
    newest = records.runs.sort("day").unique("run", keep="last", maintain_order=True)
    began = pl.coalesce("started", "bound", "submitted")
    devices = devices_of(records.attribution)
    runs = []
    for facts in newest.sort(began, "run", nulls_last=True).iter_rows(named=True):
        own = [device for device in devices if device.run == facts["run"]]
        costs = costs_of(records.rated.filter(pl.col("run") == facts["run"]), records.line_ids)
        runs.append(_run(facts, own, costs, records.rated, currency))
    everything = sum((device.did for device in devices), Did())
    cost = sum((Fraction(run["exact_cost"]) for run in runs), Fraction(0))
    return {
        "job": meant.asked,
        "cluster": meant.cluster,
        "name": meant.name,
        "currency": currency.code,
        "runs": runs,
        "did": _did(everything),
        "cost": decimal_text(cost, decimals=COST_DECIMALS),
        "exact_cost": str(cost),
        "unrated_months": list(records.unrated),
        "notes": job_notes(devices, records.rated, set(newest["gpu_count_basis"])),
    }


def render_job_csv(document: Document) -> bytes:
    """One row per run; hours and money are numbers, credits are part of the cost."""
    rows = [[_cell(name, run, document) for name in CSV_HEADER] for run in document["runs"]]
    return render_csv(CSV_HEADER, rows)


def _cell(name: str, run: Document, document: Document) -> str | Decimal:
    if name in ("cluster", "currency"):
        return str(document[name])
    if name in ("teams", "cost_centres", "projects", "lines"):
        return " ".join(run[name]) if name != "lines" else " ".join(cost["line_id"] for cost in run["costs"])
    if name.endswith("_gpu_hours"):
        return Decimal(run["did"][f"{name.removesuffix('_gpu_hours')}_hours"])
    if name in ("energy_kwh", "gpus_requested", "gpus_granted", "cost", "credits"):
        text = run["did"][name] if name == "energy_kwh" else run[name]
        return Decimal(text) if text else ""
    return str(run[name])


def _run(
    facts: Mapping[str, object], devices: list[Device], costs: list[RunCost], rated: pl.DataFrame, currency: Currency
) -> Document:
    own = rated.filter(pl.col("run") == facts["run"])
    cost = sum((each.exact for each in costs), Fraction(0))
    credited = sum((each.exact for each in costs if each.is_credit), Fraction(0))
    return {
        "run": facts["run"],
        **{name: str(facts[name] or "") for name in _FACTS},
        **{name: _instant(facts[name]) for name in _INSTANTS},
        **{name: "" if facts[name] is None else str(facts[name]) for name in _COUNTS},
        "is_running": facts["is_running"],
        "gpus_requested": "" if facts["declared_gpus"] is None else str(facts["declared_gpus"]),
        "gpus_granted": "" if facts["gpu_count"] is None else str(facts["gpu_count"]),
        **{f"{name}s": texts(own[name]) for name in ("team", "cost_centre", "project", "company")},
        "did": _did(sum((device.did for device in devices), Did())),
        "accelerators": [accelerator_name(name) for name in texts(device.accelerator for device in devices)],
        "devices": [
            {
                "host": device.host, "gpu": device.gpu, "accelerator": device.accelerator, "sharing": device.sharing,
                "name": accelerator_name(device.accelerator), **_did(device.did),
            }
            for device in devices
        ],
        "costs": [_cost(each, currency) for each in costs],
        "cost": decimal_text(cost, decimals=COST_DECIMALS) if costs else "",
        "credits": decimal_text(credited, decimals=COST_DECIMALS) if costs else "",
        "exact_cost": str(cost),
    }  # fmt: skip


def _cost(cost: RunCost, currency: Currency) -> Document:
    key = cost.key
    return {
        **key,
        "name": f"{accelerator_name(key['accelerator'])} · {key['tier']}",
        "kind_name": kind_name(key["kind"]),
        "is_allocation": key["kind"] == ALLOCATION,
        "line_id": cost.line_id,
        "statement_id": statement_id_of(key["month"], key["team"]),
        "on_statement": cost.on_statement,
        "hours": hours_text(cost.quantity),
        "quantity": str(cost.quantity),
        "quantity_unit": cost.quantity_unit,
        "price": plain_price(cost.price) if cost.price is not None else "",
        "card_version": cost.card_version,
        "currency": currency.code,
        "cost": decimal_text(cost.exact, decimals=COST_DECIMALS),
        "exact_cost": str(cost.exact),
    }


def _did(did: Did) -> Document:
    energy = did.energy_microjoules
    return {
        "gpu_seconds": str(did.held),
        "held_hours": hours_text(did.held),
        **{f"{state}_hours": hours_text(getattr(did, state)) for state in (*STATES, "busy")},
        **{f"{state}_per_cent": per_cent(getattr(did, state), of=did.held) for state in (*STATES, "busy")},
        "has_telemetry": did.observed > 0,
        "energy_kwh": "" if energy is None else decimal_text(Fraction(energy, MICROJOULES_PER_KWH), decimals=3),
    }


def _instant(value: object) -> str:
    return f"{value:%Y-%m-%dT%H:%M:%SZ}" if isinstance(value, datetime) else ""
