"""`chargeback inspect`: what a file is, what it would bill, what is wrong with it; for people, or JSON for scripts."""

import json
import sys
from fractions import Fraction
from pathlib import Path
from zoneinfo import ZoneInfo, available_timezones

from rich.console import Console
from rich.table import Table

from chargeback.usage.extract_kinds import PODS
from chargeback.usage.inspect_extract import inspect_extract
from chargeback.usage.inspection import Inspection, Telemetry
from chargeback.usage.people_kinds import is_general_ledger
from orchestration.inspect_ledger import inspect_ledger
from orchestration.land import given_instant
from resources.decompression import decompressed
from resources.landing import LARGEST_READ_BYTES
from resources.setting_kinds import SettingsRefused

SHOWN = 10
FAULTS_TOLD = {
    "sentinels": "that mean `no value`: missing",
    "impossible": "that cannot be: missing",
    "duplicates": "said twice: they count once",
    "conflicts": "said twice and differently: missing",
}


def inspect_file(
    file: Path,
    *,
    cluster: str,
    zone: str | None,
    billing_zone: str,
    fields: str | None,
    nodes: Path | None,
    extracted_at: str | None,
    as_json: bool,
) -> None:
    """Print the inspection of a file. Exits 2 if it cannot be read at all; raises SettingsRefused for a bad request."""
    for path in (file, nodes):
        if path is not None and not path.is_file():
            raise SettingsRefused(f"no such file: {path}")
    content = decompressed(file.read_bytes(), name=file.name, largest_bytes=LARGEST_READ_BYTES)
    inspection = inspect_ledger(content, name=file.name) if is_general_ledger(content) else inspect_extract(
        content,
        name=file.name,
        cluster=cluster,
        zone=_zone(zone, "--zone") if zone else None,
        billing_zone=_zone(billing_zone, "--billing-zone"),
        fields=[name.strip() for name in fields.split(",")] if fields else None,
        nodes=nodes.read_bytes() if nodes else None,
        extracted_at=given_instant(extracted_at) if extracted_at else None,
    )  # fmt: skip
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
    if seen.telemetry:
        _print_telemetry(seen.telemetry, console)
    else:
        held = f"{_hours(seen.gpu_seconds)} GPU-hours ({seen.gpu_seconds} GPU-seconds)"
        console.print(f"  {seen.holds:,} hold GPUs: {held}", markup=False)
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
        ("namespace" if seen.source == PODS else "account", seen.by_account),
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


def _print_telemetry(told: Telemetry, console: Console) -> None:
    """Devices, when they were seen, what they did, and the values that are not believed."""
    devices = f"{told.devices:,} devices ({told.slices:,} of them slices) on {told.hosts:,} hosts"
    lines = [f"{devices}, {told.samples:,} samples"]
    if told.seen_from and told.seen_until and told.scrape_seconds:
        seen = f"{told.seen_from:%Y-%m-%dT%H:%M:%SZ} to {told.seen_until:%Y-%m-%dT%H:%M:%SZ}"
        lines.append(f"from {seen}, one every {told.scrape_seconds} s")
        observed, expected, active = (
            _hours(Fraction(milliseconds, 1000))
            for milliseconds in (told.observed_milliseconds, told.expected_milliseconds, told.active_milliseconds)
        )
        lines.append(f"{observed} device-hours observed of {expected}, {active} of them active above 20 %")
    lines += [f"{count:,} devices: activity from {metric}" for metric, count in told.activity_metrics.items()]
    lines += [f"{count:,} devices carry the label of a {kind}" for kind, count in told.labelled.items()]
    lines += [f"{count:,} values {FAULTS_TOLD[fault]}" for fault, count in told.faults.items() if count]
    for line in lines:
        console.print(f"  {line}", markup=False)


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
