"""`chargeback focus`: a certified month as a FOCUS file, in the version that its reader takes."""

import sys
from pathlib import Path

import dagster as dg
import polars as pl
from rich.console import Console

from assets.materialisation import month_called
from assets.release import certificate_in_force
from chargeback.contracts.focus_cost_and_usage import FOCUS_COST_AND_USAGE
from chargeback.ledger.focus_files import FILE_KINDS, FOCUS_VERSIONS, LINE_END, csv_cells, parts_of, projected
from orchestration.bill_command import DONE, REFUSED
from orchestration.local_files import half_written, refuse_without_folder
from orchestration.workspace import open_workspace
from resources.setting_kinds import SettingsRefused
from resources.settings import load_settings


def write_focus(month: str, *, version: str, out: Path, config: Path | None) -> int:
    """Write the file; the exit code: 1 where the certificate does not hold, with its reasons.

    Raises SettingsRefused for an unknown version, a file that is neither .csv nor .parquet, or no folder to write to.
    """
    if version not in FOCUS_VERSIONS:
        raise SettingsRefused(f"--focus-version {version!r}: must be one of {', '.join(FOCUS_VERSIONS)}")
    kind = out.suffix.removeprefix(".")
    if kind not in FILE_KINDS:
        raise SettingsRefused(f"--out {out}: must end in .csv or .parquet")
    refuse_without_folder(out)
    settings = load_settings(config)
    workspace = open_workspace(settings, to_read=True)
    chosen = month_called(month, settings)
    try:
        certificate_in_force(chosen, lake=workspace.lake, evidence=workspace.evidence, settings=settings)
    except dg.Failure as refused:
        Console(stderr=True, soft_wrap=True, highlight=False).print(str(refused.description), style="red", markup=False)
        return REFUSED
    rows = workspace.lake.scan(FOCUS_COST_AND_USAGE, [chosen.partition]).frame
    ordered = pl.concat(parts_of(projected(rows, version=version)))
    if kind == "csv":
        csv_cells(ordered).sink_csv(half_written(out), line_terminator=LINE_END)
    else:
        ordered.sink_parquet(half_written(out), compression="zstd")
    half_written(out).replace(out)
    sys.stdout.write(f"{out}: FOCUS {version}, {month}\n")
    return DONE
