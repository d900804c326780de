"""The asset published."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import dagster as dg
import polars as pl

from assets.certificate import certificate
from assets.enforcement import mode_of
from assets.materialisation import Inputs, Month, materialise, month_of
from assets.release import certificate_hash_of, certificate_in_force
from chargeback.contracts.focus_billing_period import FOCUS_BILLING_PERIOD
from chargeback.contracts.focus_cost_and_usage import FOCUS_COST_AND_USAGE
from chargeback.contracts.focus_invoice_detail import FOCUS_INVOICE_DETAIL
from chargeback.contracts.journal_entries import JOURNAL_ENTRIES
from chargeback.contracts.names import slug_of
from chargeback.contracts.published import PUBLISHED
from chargeback.contracts.recovery import RECOVERY
from chargeback.contracts.statements import STATEMENTS
from chargeback.ledger.corrections_csv import render_corrections_csv
from chargeback.ledger.estate_page import render_summary
from chargeback.ledger.focus_files import FILE_KINDS, parts_of, render_focus
from chargeback.ledger.hledger import render_hledger
from chargeback.ledger.journal_csv import render_journal_csv
from chargeback.ledger.recovery_report import recovery_report, render_recovery_csv
from chargeback.ledger.statement_lines_csv import render_lines_csv
from chargeback.ledger.statement_page import render_page
from chargeback.ledger.statement_pdf import render_pdf
from resources.evidence import EvidenceStore
from resources.lake import Lake
from resources.object_store import ObjectStore
from resources.people_objects import PeopleObjects
from resources.settings import Settings

FOCUS_TABLES = (FOCUS_COST_AND_USAGE, FOCUS_INVOICE_DETAIL, FOCUS_BILLING_PERIOD)
FOCUS_NAMES = ("focus-1.3-cost-and-usage", "focus-1.4-invoice-detail", "focus-1.4-billing-period")


@dataclass(frozen=True, slots=True)
class Rendered:
    """One document to be let out."""

    kind: str
    team: str
    name: str
    render: Callable[[], bytes]
    """Its bytes, the same each time: asked for twice, so that only one FOCUS file is in memory at once."""

    @classmethod
    def of(cls, kind: str, team: str, name: str, content: bytes) -> "Rendered":
        """A document that is small enough to be kept."""
        return cls(kind, team, name, lambda: content)


@dg.asset(deps=[certificate])
def published(
    context: dg.AssetExecutionContext,
    lake: dg.ResourceParam[Lake],
    store: dg.ResourceParam[ObjectStore],
    evidence: dg.ResourceParam[EvidenceStore],
    people: dg.ResourceParam[PeopleObjects],
    settings: dg.ResourceParam[Settings],
) -> dg.MaterializeResult:
    """One row per document that the certificate let out: statements, their lines, the journal, FOCUS files."""
    month = month_of(context, settings)
    held = certificate_in_force(month, lake=lake, evidence=evidence, people=people, settings=settings)
    mode = mode_of(month, lake=lake, people=people, settings=settings)
    stated = lake.scan(STATEMENTS, [month.partition])
    entries = lake.scan(JOURNAL_ENTRIES, [month.partition])
    recovered = lake.scan(RECOVERY, [month.partition])
    focus = [lake.scan(table, [month.partition]) for table in FOCUS_TABLES]
    return materialise(
        context,
        lake,
        PUBLISHED,
        month.partition,
        inputs=Inputs.of(
            held,
            stated,
            entries,
            recovered,
            *focus,
            settings={"mode": mode, "scheduling_tax": settings.recovery.tax},
        ),
        rule=lambda: _let_out(
            [
                *_documents(
                    stated.frame.collect(), entries.frame.collect(), recovered.frame.collect(), month, settings, mode
                ),
                *_focus_files([scanned.frame for scanned in focus], month),
            ],
            month,
            store,
            certificate_hash_of(held),
        ),
    )


def _documents(
    stated: pl.DataFrame, entries: pl.DataFrame, recovered: pl.DataFrame, month: Month, settings: Settings, mode: str
) -> list[Rendered]:
    rendered = []
    for team, document in stated.select("team", "document").sort("team").iter_rows():
        folder = slug_of(team)
        rendered.append(Rendered.of("statement page", team, f"{folder}/statement.html", render_page(document)))
        rendered.append(Rendered.of("statement paper", team, f"{folder}/statement.pdf", render_pdf(document)))
        rendered.append(Rendered.of("statement lines", team, f"{folder}/lines.csv", render_lines_csv(document)))
        if (corrected := render_corrections_csv(document)) is not None:
            rendered.append(Rendered.of("statement corrections", team, f"{folder}/corrections.csv", corrected))
    journal = render_journal_csv(entries, settings.currency, mode=mode)
    ledger = render_hledger(entries, settings.currency, mode=mode)
    report = recovery_report(recovered, name=month.period.month, currency=settings.currency, tax=settings.recovery.tax)
    summary = render_summary(list(stated.sort("team")["document"]), month=month.period.month, recovery=report)
    rendered.append(Rendered.of("estate summary", "", "summary.html", summary))
    rendered.append(Rendered.of("recovery", "", "recovery.csv", render_recovery_csv(recovered)))
    rendered.append(Rendered.of("journal", "", f"outbox/journal-{month.period.month}.csv", journal))
    rendered.append(Rendered.of("ledger file", "", f"outbox/journal-{month.period.month}.hledger", ledger))
    return rendered


def _focus_files(tables: list[pl.LazyFrame], month: Month) -> list[Rendered]:
    """FOCUS 1.3 rows in parts of bounded size and the two small datasets of 1.4, each as CSV and as Parquet."""
    files = []
    for table, name, frame in zip(FOCUS_TABLES, FOCUS_NAMES, tables, strict=True):
        parts = parts_of(frame) if table is FOCUS_COST_AND_USAGE else [frame.sort(table.key)]
        for number, part in enumerate(parts, start=1):
            stem = f"focus/{name}-{month.period.month}-part-{number:04d}" if len(parts) > 1 else (
                f"focus/{name}-{month.period.month}"
            )  # fmt: skip
            files += [
                Rendered("FOCUS file", "", f"{stem}.{extension}", partial(render_focus, part, extension))
                for extension in FILE_KINDS
            ]
    return files


def _let_out(documents: list[Rendered], month: Month, store: ObjectStore, certificate_hash: str) -> pl.DataFrame:
    """Write every document under a folder named after all their contents: nothing let out is overwritten."""
    shas = {document.name: hashlib.sha256(document.render()).hexdigest() for document in documents}
    together = hashlib.sha256("".join(f"{name} {sha}\n" for name, sha in sorted(shas.items())).encode()).hexdigest()
    rows = []
    for document in documents:
        key = f"published/{month.period.month}/{together[:12]}/{document.name}"
        content = document.render()
        store.put_new(key, content)
        rows.append(
            {
                "month": month.period.month,
                "object": key,
                "kind": document.kind,
                "team": document.team,
                "sha256": shas[document.name],
                "bytes": len(content),
                "certificate_hash": certificate_hash,
            }
        )
    return pl.DataFrame(rows, schema=PUBLISHED.schema)
