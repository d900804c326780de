"""`chargeback map list` and `explain`: maps, who signed them, and how many runs of a month bear each name.

Not here: signing (map_signing.py).
"""

import json
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

import polars as pl
from rich.console import Console
from rich.table import Table
from rich.text import Text

from assets.materialisation import Month, month_called
from chargeback.contracts.capacity import CAPACITY
from chargeback.contracts.runs import RUNS
from chargeback.ledger.csv_text import render_csv
from chargeback.signatures.maps import ACCELERATORS, TIERS, NamedMap
from orchestration.map_signing import map_called
from orchestration.top import latest_billed_month
from orchestration.workspace import Workspace, open_workspace
from resources.people_objects import PeopleRefused
from resources.setting_kinds import one_of
from resources.settings import load_settings

FORMATS = ("table", "json", "csv")
WEIGHTS = "billing weights"

Row = dict[str, str | int]


def show_maps(month: str | None, *, output: str, config: Path | None) -> None:
    """A row per map; billing weights stand in the card and are signed with it. Raises SettingsRefused."""
    one_of(output, FORMATS, "--format")
    workspace = open_workspace(load_settings(config), to_read=True)
    chosen = _month(month, workspace)
    rows, _ = workspace.people.maps(chosen.period, workspace.settings.maps)
    verdicts = {row["map"]: row for row in rows.iter_rows(named=True)}
    shown: list[Row] = [
        {
            "map": each.name,
            "entries": each.entry_count,
            "content": each.content_sha256[:12] if each.name in verdicts else "",
            "signature": verdicts[each.name]["signature"] if each.name in verdicts else "empty: nothing to sign",
        }
        for each in workspace.settings.maps
    ]
    _print([*shown, _weights(chosen, workspace)], output)


def explain_map(name: str, *, month: str | None, output: str, config: Path | None) -> None:
    """A row per name: what it maps to, and what of the month bears it. Raises SettingsRefused."""
    one_of(output, FORMATS, "--format")
    workspace = open_workspace(load_settings(config), to_read=True)
    of = map_called(name, workspace.settings)
    chosen = _month(month, workspace)
    if name == TIERS:
        rows = list(_tiers(of, chosen, workspace))
    elif name == ACCELERATORS:
        rows = list(_accelerators(of, chosen, workspace))
    else:
        rows = [{"name": key, "is": ", ".join(_texts(value))} for key, value in of.entries.items()]
    _print(rows, output)


def _tiers(of: NamedMap, month: Month, workspace: Workspace) -> Iterator[Row]:
    """By cluster: every name of the map, and every one by which a run of the month is priced that it lacks."""
    frame = workspace.lake.scan(RUNS, month.days_of(RUNS)).frame
    used = frame.select("cluster", "run", "scheduler", "account", "qos", "queue").unique(["cluster", "run"]).collect()
    for cluster in sorted({*of.entries, *used["cluster"]}):
        tiers = of.entries.get(cluster, {})
        mapped: Mapping[str, str] = tiers if isinstance(tiers, Mapping) else {}
        runs: Counter[str] = Counter()
        for run in used.filter(cluster=cluster).iter_rows(named=True):
            runs[_decides(run, mapped)] += 1
        for name in sorted({*mapped, *runs}):
            yield {
                "cluster": cluster,
                "name": name,
                "is": mapped.get(name, "standard: nobody mapped it"),
                "runs": runs[name],
            }


def _decides(run: Mapping[str, str | None], mapped: Mapping[str, str]) -> str:
    """The name by which a run has its tier, as chargeback/usage decides it: in Slurm QOS alone, no partition."""
    qos, queue = run["qos"] or "", run["queue"] or ""
    if run["scheduler"] == "slurm":
        return qos or "(no QOS)"
    names = [qos, *([f"{run['account']}/{queue}", queue] if queue else [])]
    return next((name for name in names if name in mapped), qos or queue or "(neither)")


def _accelerators(of: NamedMap, month: Month, workspace: Workspace) -> Iterator[Row]:
    """Every product of the map, and every accelerator in use that no product was mapped to."""
    used = workspace.lake.scan(CAPACITY, month.days_of(CAPACITY)).frame.select(pl.col("accelerator").unique()).collect()
    in_use = set(used["accelerator"])
    for product, accelerator in sorted((name, str(value)) for name, value in of.entries.items()):
        yield {"name": product, "is": accelerator, "in use": "yes" if accelerator in in_use else "no"}
    for accelerator in sorted(in_use - set(map(str, of.entries.values()))):
        yield {"name": accelerator, "is": "its own name: nobody mapped it", "in use": "yes"}


def _weights(month: Month, workspace: Workspace) -> Row:
    try:
        card, _ = workspace.people.rate_card(month.period, currency=workspace.settings.currency_code)
    except PeopleRefused as refusal:
        return {"map": WEIGHTS, "entries": 0, "content": "", "signature": f"unsigned: {refusal.reasons[0]}"}
    weighed = {price.accelerator for price in card.prices if price.billing_weight}
    said = f"in rate card {card.version}, {card.signature}"
    return {"map": WEIGHTS, "entries": len(weighed), "content": card.content_sha256[:12], "signature": said}


def _month(name: str | None, workspace: Workspace) -> Month:
    if name is None:
        return latest_billed_month(workspace, datetime.now(UTC))
    return month_called(name, workspace.settings)


def _texts(value: object) -> list[str]:
    return [str(each) for each in value] if isinstance(value, list | tuple) else [str(value)]


def _print(rows: Sequence[Row], output: str) -> None:
    columns = list(dict.fromkeys(name for row in rows for name in row))
    if output == "json":
        sys.stdout.write(json.dumps(list(rows), ensure_ascii=False) + "\n")
    elif output == "csv":
        sys.stdout.buffer.write(render_csv(columns, [[row[name] for name in columns] for row in rows]))
    else:
        table = Table(*columns, box=None, pad_edge=False)
        for row in rows:
            table.add_row(*(Text(str(row[name])) for name in columns))  # a name or reason with [...] is no markup
        Console(soft_wrap=True, highlight=False).print(table)
