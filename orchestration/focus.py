"""`chargeback focus`: a certified month as a FOCUS file, in the version that its reader takes."""

import sys
from pathlib import Path

import dagster as dg
import polars as pl
from rich.console import Console

from assets.materialisation import month_called
from assets.release import certificate_in_force
from chargeback.contracts.focus_billing_period import FOCUS_BILLING_PERIOD
from chargeback.contracts.focus_cost_and_usage import FOCUS_COST_AND_USAGE
from chargeback.contracts.focus_invoice_detail import FOCUS_INVOICE_DETAIL
from chargeback.ledger.focus_closed import once_closed
from chargeback.ledger.focus_files import FILE_KINDS, FOCUS_VERSIONS, LINE_END, csv_cells, parts_of, projected
from orchestration.bill_command import DONE, REFUSED
from orchestration.local_files import half_written, refuse_without_folder
from orchestration.workspace import open_workspace
from resources.setting_kinds import SettingsRefused, one_of
from resources.settings import load_settings

DATASETS = {
    "cost-and-usage": FOCUS_COST_AND_USAGE,
    "invoice-detail": FOCUS_INVOICE_DETAIL,
    "billing-period": FOCUS_BILLING_PERIOD,
}
INVOICES_SINCE = "1.4"


def write_focus(month: str, *, version: str, dataset: str, out: Path, config: Path | None) -> int:
    """Write the file; the exit code: 1 where the certificate does not hold, with its reasons.

    Raises SettingsRefused for an unknown version or dataset, a file that is neither .csv nor .parquet, or no folder to
    write to.
    """
    if version not in FOCUS_VERSIONS:
        raise SettingsRefused(f"--focus-version {version!r}: must be one of {', '.join(FOCUS_VERSIONS)}")
    one_of(dataset, tuple(DATASETS), "--dataset")
    contract = DATASETS[dataset]
    if contract is not FOCUS_COST_AND_USAGE and version != INVOICES_SINCE:
        raise SettingsRefused(f"--dataset {dataset} is of FOCUS {INVOICES_SINCE}: add --focus-version {INVOICES_SINCE}")
    kind = out.suffix.removeprefix(".")
    if kind not in FILE_KINDS:
        raise SettingsRefused(f"--out {out}: must end in .csv or .parquet")
    refuse_without_folder(out)
    settings = load_settings(config)
    workspace = open_workspace(settings, to_read=True)
    chosen = month_called(month, settings)
    try:
        certificate_in_force(
            chosen, lake=workspace.lake, evidence=workspace.evidence, people=workspace.people, settings=settings
        )
    except dg.Failure as refused:
        Console(stderr=True, soft_wrap=True, highlight=False).print(str(refused.description), style="red", markup=False)
        return REFUSED
    rows = workspace.lake.scan(contract, [chosen.partition]).frame
    if contract is not FOCUS_COST_AND_USAGE and month in workspace.lake.closed_months(contract):
        rows = once_closed(rows, contract)
    if contract is FOCUS_COST_AND_USAGE:
        ordered = pl.concat(parts_of(projected(rows, version=version)))
    else:
        ordered = rows.drop("month").sort([name for name in contract.key if name != "month"])
    if kind == "csv":
        csv_cells(ordered).sink_csv(half_written(out), line_terminator=LINE_END)
    else:
        ordered.sink_parquet(half_written(out), compression="zstd")
    half_written(out).replace(out)
    of = "" if contract is FOCUS_COST_AND_USAGE else f" {dataset}"
    sys.stdout.write(f"{out}: FOCUS {version}{of}, {month}\n")
    return DONE
