"""`chargeback explain`: one statement line, its arithmetic again, and the raw records that it follows from.

The amount is computed here once more from rated usage, and each record is shown as it stands in landing/, with its
object and line: an auditor needs nothing else. Not here: how lines are made (chargeback/ledger/charges.py).
"""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import polars as pl
from rich.console import Console

from assets.materialisation import month_called
from chargeback.contracts.names import ALLOCATION, RESERVED_UNUSED
from chargeback.contracts.partition import Partition
from chargeback.contracts.rated_usage import RATED_USAGE
from chargeback.contracts.raw_reservations import RAW_RESERVATIONS
from chargeback.contracts.runs import RUNS
from chargeback.contracts.team_charges import TEAM_CHARGES
from chargeback.ledger.charges import CREDITED, charge_lines
from chargeback.ledger.credit_parts import kind_name, why
from chargeback.money import SECONDS_PER_HOUR, Currency
from orchestration.workspace import Workspace, open_workspace
from resources.setting_kinds import SettingsRefused
from resources.settings import load_settings

LINE_ID = re.compile(r"GPU-(?P<month>\d{4}-\d{2})-.+-[0-9a-f]{8}")


@dataclass(frozen=True, slots=True)
class Explanation:
    """A line, the usage that it sums, the amount recomputed from it, and the records behind it."""

    line: dict[str, object]
    usage: list[dict[str, object]]
    quantity: Fraction
    recomputed: str
    records: list[dict[str, object]]

    @property
    def agrees(self) -> bool:
        """Whether the line is what its usage makes it."""
        return self.recomputed == str(self.line["amount"]) and str(self.quantity) == self.line["quantity"]


def explain_line(line_id: str, *, limit: int, as_json: bool, config: Path | None) -> None:
    """Print the explanation of a line. Raises SettingsRefused if there is no such line."""
    workspace = open_workspace(load_settings(config), to_read=True)
    explanation = explanation_of(line_id, workspace)
    console = Console(soft_wrap=True, highlight=False)
    if as_json:
        shown = {
            "line": explanation.line,
            "recomputed_amount": explanation.recomputed,
            "agrees": explanation.agrees,
            "usage": explanation.usage,
            "records": explanation.records,
        }
        console.print(json.dumps(shown, default=str, ensure_ascii=False, indent=1), markup=False)
    else:
        _print(explanation, limit, console)


def explanation_of(line_id: str, workspace: Workspace) -> Explanation:
    """Follow a line down. Raises SettingsRefused if there is no such line in the lake."""
    match = LINE_ID.fullmatch(line_id)
    if match is None:
        raise SettingsRefused(f"{line_id!r} is no line id; they look like GPU-2026-10-vision-7f3a9c12")
    partition = Partition.of_month(match["month"])
    lines = workspace.lake.scan(TEAM_CHARGES, [partition]).frame.filter(pl.col("line_id") == line_id).collect()
    if lines.is_empty():
        raise SettingsRefused(f"no line {line_id} in {match['month']}; list them with: chargeback statement TEAM MONTH")
    line = lines.row(0, named=True)
    same_charge = pl.all_horizontal(pl.col(column) == line[column] for column in CREDITED)
    together = (
        workspace.lake.scan(RATED_USAGE, [partition])
        .frame.filter(same_charge)
        .sort("cluster", "day", "run", "host")
        .collect()
    )
    usage = together.filter(pl.col("kind") == line["kind"])
    sums = usage.group_by("quantity_denominator").agg(pl.col("quantity_numerator").sum())
    quantity = sum((Fraction(int(n), int(d)) for d, n in sums.iter_rows()), Fraction(0))
    return Explanation(
        line, usage.to_dicts(), quantity, _amount_again(line, together), _records(usage, match["month"], workspace)
    )


def _amount_again(line: dict[str, Any], together: pl.DataFrame) -> str:
    """The line's amount from its usage; a credit beside the charge that it forgives, to which it is held."""
    again = charge_lines(together, currency=Currency(line["currency"])).filter(pl.col("kind") == line["kind"])
    amount: Decimal = again["amount"][0] if len(again) else Decimal(0)
    return str(amount.quantize(line["amount"]))


def _records(usage: pl.DataFrame, month: str, workspace: Workspace) -> list[dict[str, object]]:
    """One row per run: its newest record of the month, with the text that stands in landing/."""
    days = month_called(month, workspace.settings).days
    if not usage.is_empty() and usage["kind"][0] == RESERVED_UNUSED:
        return _reservations(usage, days, workspace)
    runs = workspace.lake.scan(RUNS, days).frame.select(
        "cluster", "day", "run", "job_id", "user", "account", "state", "hosts", "alloc_tres", "started",
        "observed_until", "object", "line", "extracted_at",
    )  # fmt: skip
    wanted = usage.lazy().select("cluster", "run", "day").unique()
    found = (
        runs.join(wanted, on=["cluster", "run", "day"], how="semi")
        .sort("day")
        .unique(["cluster", "run", "object", "line"], keep="last", maintain_order=True)
        .sort("cluster", "started", "run", "object", "line")
        .collect()
    )
    texts = _RawText(workspace)
    return [{**row, "raw": texts.of(str(row["object"]), int(row["line"]))} for row in found.to_dicts()]


def _reservations(usage: pl.DataFrame, days: Sequence[Partition], workspace: Workspace) -> list[dict[str, object]]:
    """One row per reservation: its newest record of the days on which something of it was unused."""
    slurm = [day for day in days if workspace.settings.cluster(dict(day.values)["cluster"]).scheduler == "slurm"]
    named = usage.select("cluster", "day", Name=pl.col("run").str.strip_prefix("reservation/")).unique()
    found = (
        workspace.lake.scan(RAW_RESERVATIONS, slurm)
        .frame.join(named.lazy(), on=["cluster", "day", "Name"], how="semi")
        .sort("day")
        .unique(["cluster", "Name", "object", "line"], keep="last", maintain_order=True)
        .sort("cluster", "Name", "TimeStart", "object", "line")
        .select(
            "cluster", "day", "object", "line", "extracted_at", run=pl.concat_str(pl.lit("reservation/"), "Name"),
            job_id=pl.concat_str(pl.lit("reservation "), "Name"), user=pl.lit(None, pl.String), account="Accounts",
            state=pl.lit("reserved"), hosts="NodeNames", alloc_tres="TRES", started="TimeStart",
            observed_until="TimeEnd",
        )
        .collect()
    )  # fmt: skip
    texts = _RawText(workspace)
    return [{**row, "raw": texts.of(str(row["object"]), int(row["line"]))} for row in found.to_dicts()]


class _RawText:
    """The text of a record in its landing object, each object read once."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._lines: dict[str, list[str]] = {}

    def of(self, key: str, line: int) -> str:
        if key not in self._lines:
            self._lines[key] = self._read(key)
        lines = self._lines[key]
        return lines[line - 1] if 0 < line <= len(lines) else ""

    def _read(self, key: str) -> list[str]:
        source, _, below = key.removeprefix("landing/").partition("/cluster=")
        landed = next(
            each for each in self._workspace.landing.objects(source, below.partition("/")[0]) if each.key == key
        )
        text = self._workspace.landing.read(landed).decode("utf-8", errors="replace")
        if landed.extension == "json":
            return [json.dumps(job, ensure_ascii=False) for job in json.loads(text).get("jobs", [])]
        return text.split("\n")


def _print(explanation: Explanation, limit: int, console: Console) -> None:
    line = explanation.line
    hours = explanation.quantity / SECONDS_PER_HOUR
    shown_hours = f"{float(hours):,.4f}" if hours.denominator not in (1, 2, 4, 5, 10, 20, 25) else f"{float(hours):,g}"
    said = "agrees with the line" if explanation.agrees else f"DOES NOT AGREE with the line's {line['amount']}"
    owner = f"team {line['team']} · cost centre {line['cost_centre'] or '-'} · project {line['project'] or '-'}"
    rows = [
        f"{line['line_id']}",
        f"  {owner} · {line['cluster']} · {line['accelerator']} · {line['tier']} · {line['kind']}",
        *(
            []
            if line["kind"] == ALLOCATION
            else [f"  kind      {kind_name(str(line['kind']))}: {why(str(line['kind']))}"]
        ),
        f"  quantity  {line['quantity']} {line['quantity_unit']}s = {shown_hours} hours, over {line['run_count']} runs",
        f"  price     {_plain(line['price'])} {line['currency']} an hour, card {line['card_version']}",
        f"  amount    {line['exact_amount']} {line['currency']} exactly, rounded once to {_plain(line['amount'])}",
        f"  again     recomputed from rated usage: {_plain(explanation.recomputed)}: {said}",
        "",
        f"{len(explanation.records)} raw records:",
    ]
    console.print("\n".join(rows), markup=False)
    for record in explanation.records[: limit or None]:
        console.print(_shown(record), markup=False)
    if limit and len(explanation.records) > limit:
        console.print(f"  ... and {len(explanation.records) - limit} more; all of them with --limit 0 or --json")


def _shown(record: dict[str, object]) -> str:
    who = f"{record['job_id']} {record['user'] or ''} {record['state']} on {record['hosts'] or 'unknown hosts'}"
    raw = "".join(character if character.isprintable() else " | " for character in str(record["raw"]))
    place = f"{record['object']} line {record['line']}"
    return f"  {who}, {record['started']} .. {record['observed_until']}\n    {place}\n    {raw}"


def _plain(number: object) -> str:
    text = f"{number}"
    whole, _, decimals = text.partition(".")
    return f"{whole}.{decimals.rstrip('0').ljust(2, '0')}" if decimals else text
