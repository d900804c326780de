"""The asset published."""

import hashlib
from dataclasses import dataclass

import dagster as dg
import polars as pl

from assets.certificate import certificate
from assets.materialisation import Inputs, Month, materialise, month_of
from assets.release import certificate_hash_of, certificate_in_force
from chargeback.contracts.journal_entries import JOURNAL_ENTRIES
from chargeback.contracts.names import slug_of
from chargeback.contracts.published import PUBLISHED
from chargeback.contracts.statements import STATEMENTS
from chargeback.ledger.estate_page import render_summary
from chargeback.ledger.hledger import render_hledger
from chargeback.ledger.journal_csv import render_journal_csv
from chargeback.ledger.statement_lines_csv import render_lines_csv
from chargeback.ledger.statement_page import render_page
from chargeback.ledger.statement_pdf import render_pdf
from resources.evidence import EvidenceStore
from resources.lake import Lake
from resources.object_store import ObjectStore
from resources.settings import Settings


@dataclass(frozen=True, slots=True)
class Rendered:
    """One document to be let out."""

    kind: str
    team: str
    name: str
    content: bytes


@dg.asset(deps=[certificate])
def published(
    context: dg.AssetExecutionContext,
    lake: dg.ResourceParam[Lake],
    store: dg.ResourceParam[ObjectStore],
    evidence: dg.ResourceParam[EvidenceStore],
    settings: dg.ResourceParam[Settings],
) -> dg.MaterializeResult:
    """One row per document that the certificate let out: statements as pages, on paper and as lines, the journal."""
    month = month_of(context, settings)
    held = certificate_in_force(month, lake=lake, evidence=evidence, settings=settings)
    stated = lake.scan(STATEMENTS, [month.partition])
    entries = lake.scan(JOURNAL_ENTRIES, [month.partition])
    return materialise(
        context,
        lake,
        PUBLISHED,
        month.partition,
        inputs=Inputs.of(held, stated, entries, settings={"mode": settings.mode}),
        rule=lambda: _let_out(
            _documents(stated.frame.collect(), entries.frame.collect(), month, settings),
            month,
            store,
            certificate_hash_of(held),
        ),
    )


def _documents(stated: pl.DataFrame, entries: pl.DataFrame, month: Month, settings: Settings) -> list[Rendered]:
    rendered = []
    for team, document in stated.select("team", "document").sort("team").iter_rows():
        folder = slug_of(team)
        rendered.append(Rendered("statement page", team, f"{folder}/statement.html", render_page(document)))
        rendered.append(Rendered("statement paper", team, f"{folder}/statement.pdf", render_pdf(document)))
        rendered.append(Rendered("statement lines", team, f"{folder}/lines.csv", render_lines_csv(document)))
    journal = render_journal_csv(entries, settings.currency, mode=settings.mode)
    ledger = render_hledger(entries, settings.currency, mode=settings.mode)
    summary = render_summary(list(stated.sort("team")["document"]), month=month.period.month)
    rendered.append(Rendered("estate summary", "", "summary.html", summary))
    rendered.append(Rendered("journal", "", f"outbox/journal-{month.period.month}.csv", journal))
    rendered.append(Rendered("ledger file", "", f"outbox/journal-{month.period.month}.hledger", ledger))
    return rendered


def _let_out(documents: list[Rendered], month: Month, store: ObjectStore, certificate_hash: str) -> pl.DataFrame:
    """Write every document under a folder named after all their contents: nothing let out is overwritten."""
    shas = {document.name: hashlib.sha256(document.content).hexdigest() for document in documents}
    together = hashlib.sha256("".join(f"{name} {sha}\n" for name, sha in sorted(shas.items())).encode()).hexdigest()
    rows = []
    for document in documents:
        key = f"published/{month.period.month}/{together[:12]}/{document.name}"
        store.put_new(key, document.content)
        rows.append(
            {
                "month": month.period.month,
                "object": key,
                "kind": document.kind,
                "team": document.team,
                "sha256": shas[document.name],
                "bytes": len(document.content),
                "certificate_hash": certificate_hash,
            }
        )
    return pl.DataFrame(rows, schema=PUBLISHED.schema)
