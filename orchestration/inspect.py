"""`chargeback inspect`: what a file is, what it would bill, what is wrong with it; for people, or JSON for scripts."""

import json
import sys
from fractions import Fraction
from pathlib import Path
from zoneinfo import ZoneInfo, available_timezones

from rich.console import Console
from rich.table import Table

from chargeback.usage.inspection import Inspection, inspect_extract
from resources.decompression import decompressed
from resources.landing import LARGEST_READ_BYTES
from resources.setting_kinds import SettingsRefused

SHOWN = 10


def inspect_file(
    file: Path,
    *,
    cluster: str,
    zone: str | None,
    billing_zone: str,
    fields: str | None,
    nodes: Path | None,
    as_json: bool,
) -> None:
    """Print the inspection of a file. Exits 2 if it cannot be read at all; raises SettingsRefused for a bad request."""
    for path in (file, nodes):
        if path is not None and not path.is_file():
            raise SettingsRefused(f"no such file: {path}")
    inspection = inspect_extract(
        decompressed(file.read_bytes(), name=file.name, largest_bytes=LARGEST_READ_BYTES),
        name=file.name,
        cluster=cluster,
        zone=_zone(zone, "--zone") if zone else None,
        billing_zone=_zone(billing_zone, "--billing-zone"),
        fields=[name.strip() for name in fields.split(",")] if fields else None,
        nodes=nodes.read_bytes() if nodes else None,
    )
    if as_json:
        sys.stdout.write(json.dumps(inspection.as_json(), ensure_ascii=False, indent=1) + "\n")
    else:
        _print(inspection, Console(soft_wrap=True, highlight=False))
    if inspection.problem:
        sys.exit(2)


def _zone(name: str, option: str) -> ZoneInfo:
    if name not in available_timezones():
        raise SettingsRefused(f"{option} {name!r} is no IANA zone; write it as Europe/Amsterdam or UTC")
    return ZoneInfo(name)


def _print(seen: Inspection, console: Console) -> None:
    console.print(f"{seen.name}: {seen.source}, {seen.records:,} records", markup=False, style="bold")
    if seen.problem:
        console.print(f"  {seen.problem}", style="red", markup=False)
        return
    console.print(
        f"  {seen.holds:,} hold GPUs: {_hours(seen.gpu_seconds)} GPU-hours ({seen.gpu_seconds} GPU-seconds)",
        markup=False,
    )
    for reason, count in seen.ignored.items():
        console.print(f"  {count:,} ignored: {reason}", markup=False)
    _places(f"{len(seen.quarantined)} quarantined", [f"line {q.line}: {q.reason}" for q in seen.quarantined], console)
    unknown = sum(seconds for _, seconds in seen.unknown_gpu_count)
    _places(
        f"{len(seen.unknown_gpu_count)} with an unknown GPU count, {unknown:,} s in all: never zero, they block",
        [f"job {job}: {seconds:,} s" for job, seconds in seen.unknown_gpu_count],
        console,
    )
    _places(
        f"{len(seen.running)} still running: counted to their last observation",
        [f"job {job}: {seconds:,} s so far" for job, seconds in seen.running],
        console,
    )
    for title, sums in (
        ("accelerator", seen.by_accelerator),
        ("account", seen.by_account),
        ("cluster", seen.by_cluster),
        ("month", seen.by_month),
    ):
        if sums:
            table = Table(box=None, pad_edge=True)
            table.add_column(f"by {title}", min_width=28)
            table.add_column("GPU-hours", justify="right")
            for name, seconds in sums.items():
                table.add_row(name, _hours(seconds))
            console.print(table)


def _places(title: str, places: list[str], console: Console) -> None:
    if not places:
        return
    console.print(f"  {title}", style="yellow", markup=False)
    for place in places[:SHOWN]:
        console.print(f"    {place}", markup=False)
    if len(places) > SHOWN:
        console.print(f"    ... and {len(places) - SHOWN} more; all of them with --json")


def _hours(seconds: Fraction) -> str:
    return f"{float(seconds / 3600):,.2f}"
