"""`chargeback rate-card explain`: how each rate of a card follows from its inputs, and what one more of them would do.

Not here: the figures (rate_card_document.py), how they are printed (rate_card_tables.py, chargeback/ledger).
"""

import json
import sys
from decimal import Decimal
from pathlib import Path

from rich.console import Console

from chargeback.billing_period import BillingPeriod
from chargeback.ledger.csv_text import render_csv
from chargeback.ledger.rate_card_page import render_rate_card
from chargeback.ledger.statement_document import Document
from chargeback.pricing.card_calendar import calendar_findings
from chargeback.pricing.rate_card import RateCard
from orchestration.rate_card_document import card_document
from orchestration.rate_card_file import card_of_file
from orchestration.rate_card_tables import print_card
from orchestration.workspace import Workspace, workspace_here
from resources.setting_kinds import one_of

FORMATS = ("table", "json", "csv", "html")
HEADER = ("accelerator", "part", "from", "per_year", "per_gpu_hour", "per_cent")


def explain_card_file(path: Path, *, output: str, config: Path | None) -> None:
    """Print the explanation of a card. Where there is a lake, its cards and signatures are held against this one.

    Raises SettingsRefused for an unknown format or file, PeopleRefused with every reason for a card that is refused.
    """
    one_of(output, FORMATS, "--format")
    card = card_of_file(path)
    workspace, findings = workspace_here(config), list[str]()
    if workspace is not None:
        findings = _beside_landed(card, workspace)
        card, _ = workspace.people.signed_or_not(card, BillingPeriod(card.effective_from, workspace.settings.zone))
    document = card_document(card, findings=findings)
    if output == "json":
        sys.stdout.write(json.dumps(document, ensure_ascii=False, sort_keys=True) + "\n")
    elif output == "csv":
        sys.stdout.buffer.write(_csv(document))
    elif output == "html":
        sys.stdout.buffer.write(render_rate_card(document))
    else:
        print_card(document, Console(soft_wrap=True, highlight=False))


def _beside_landed(card: RateCard, workspace: Workspace) -> list[str]:
    """What the landed cards and this one say of each other."""
    landed = [each for each in workspace.people.rate_cards() if each.sha256 != card.sha256]
    known = set(calendar_findings(landed))
    return [finding for finding in calendar_findings([*landed, card]) if finding not in known]


def _csv(document: Document) -> bytes:
    rows: list[tuple[str | Decimal, ...]] = []
    for each in document["accelerators"]:
        name = each["accelerator"]
        parts = [*each["components"], {"name": "rate", "how": each["denominator"], "per_cent": "100", **each["total"]}]
        for part in parts:
            figures = (part["per_year"], part["per_gpu_hour"], part["per_cent"])
            rows.append((name, part["name"], part["how"], *map(Decimal, figures)))
        for effect in each["effects"]:
            figures = (effect["per_year"], effect["difference"], effect["per_cent"])
            rows.append((name, "effect", effect["change"], *map(Decimal, figures)))
    return render_csv(HEADER, rows)
